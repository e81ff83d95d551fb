/* Matrix products: an operation over operands (..., m, k) and (..., k, n) of one dtype and equal batch
 * axes, which casts, rounding and views make of the arguments. Entry point: heddle_matmul_with. */
#include "base/options.h"
#include "families/matmul/cut.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>
#include <string.h>

/* The operands as matrices, and the result. */
struct product {
    enum heddle_dtype dtype; /* of the result */
    enum heddle_dtype of;    /* of the operands: a half, if they are rounded to it */
    bool tf32;
    struct heddle_shape a, b;   /* 1-d operands have an axis of 1 added */
    struct heddle_shape batch;  /* the leading axes, broadcast */
    struct heddle_shape result; /* that of the node */
    struct heddle_shape shape;  /* that of the value: without the added axes */
};

static struct heddle_shape with_tail(const struct heddle_shape *batch, int64_t m, int64_t n)
{
    struct heddle_shape s = *batch;
    s.extent[s.ndim++] = m;
    s.extent[s.ndim++] = n;
    return s;
}

static struct heddle_shape matrix_shape(const heddle_array *x, bool row)
{
    struct heddle_shape s = {.ndim = x->ndim};
    memcpy(s.extent, x->shape, sizeof s.extent);
    if (x->ndim == 1) s = (struct heddle_shape){2, {row ? 1 : x->shape[0], row ? x->shape[0] : 1}};
    return s;
}

static enum heddle_status infer(heddle_array *const x[2], struct product *p)
{
    /* dtype */
    for (int i = 0; i < 2; i++)
        HEDDLE_REQUIRE(x[i]->ndim > 0, HEDDLE_ESHAPE,
                       "heddle_matmul: shapes %s and %s: argument %d "
                       "has no axes",
                       HEDDLE_SHAPE_OF(x[0]), HEDDLE_SHAPE_OF(x[1]), i + 1);
    p->dtype = heddle__promote(2, x);
    HEDDLE_REQUIRE(p->dtype != HEDDLE_BOOL, HEDDLE_EDTYPE, "heddle_matmul: dtype bool; accepts %s",
                   heddle__accepts_text(HEDDLE_ACCEPTS_NUM));

    /* inner extents and batch axes */
    p->a = matrix_shape(x[0], true);
    p->b = matrix_shape(x[1], false);
    const int64_t m = p->a.extent[p->a.ndim - 2], k = p->a.extent[p->a.ndim - 1],
                  n = p->b.extent[p->b.ndim - 1];
    HEDDLE_REQUIRE(k == p->b.extent[p->b.ndim - 2], HEDDLE_ESHAPE,
                   "heddle_matmul: shapes %s and %s: inner extents %lld and %lld differ",
                   HEDDLE_SHAPE_OF(x[0]), HEDDLE_SHAPE_OF(x[1]), (long long)k,
                   (long long)p->b.extent[p->b.ndim - 2]);
    p->batch = p->a;
    p->batch.ndim -= 2;
    HEDDLE_REQUIRE(heddle__broadcast(&p->batch, p->b.ndim - 2, p->b.extent), HEDDLE_ESHAPE,
                   "heddle_matmul: shapes %s and %s: leading axes do not broadcast",
                   HEDDLE_SHAPE_OF(x[0]), HEDDLE_SHAPE_OF(x[1]));

    /* result */
    p->result = with_tail(&p->batch, m, n);
    p->shape = p->batch;
    if (x[0]->ndim > 1) p->shape.extent[p->shape.ndim++] = m;
    if (x[1]->ndim > 1) p->shape.extent[p->shape.ndim++] = n;
    return heddle__check_shape("matmul", p->result.ndim, p->result.extent);
}

/* An operand as (batch..., rows, columns) of the dtype: owned. */
static heddle_array *operand(heddle_array *x, const struct heddle_shape *matrix,
                             const struct product *p)
{
    const struct heddle_shape full =
        with_tail(&p->batch, matrix->extent[matrix->ndim - 2], matrix->extent[matrix->ndim - 1]);
    heddle_array *stages[3] = {NULL}; /* made a matrix, broadcast, cast */
    stages[0] = heddle__make_reshape(x, matrix->ndim, matrix->extent);
    if (stages[0]) stages[1] = heddle__make_broadcast(stages[0], full.ndim, full.extent);
    if (stages[1]) stages[2] = heddle__make_cast(stages[1], p->of);
    heddle__release(stages[0]);
    heddle__release(stages[1]);
    return stages[2];
}

/* Owned. */
static heddle_array *product_node(heddle_array *const x[2], const struct product *p)
{
    heddle_array *const in[2] = {operand(x[0], &p->a, p), operand(x[1], &p->b, p)};
    const struct heddle_matmul_params params = {.tf32 = p->tf32};
    heddle_array *r = NULL;
    if (in[0] && in[1])
        r = heddle__make_operation(&heddle__matmul_family, p->dtype, p->result.ndim,
                                   p->result.extent, 2, in, &params, NULL);
    heddle__release(in[0]);
    heddle__release(in[1]);
    return r;
}

/* ---- Precision ------------------------------------------------------------------------------------ */

static enum heddle_status use_precision(enum heddle_precision precision, struct product *p)
{
    static const enum heddle_dtype rounded[] = {
        [HEDDLE_PRECISION_BFLOAT16] = HEDDLE_BFLOAT16, [HEDDLE_PRECISION_FLOAT16] = HEDDLE_FLOAT16};
    p->of = p->dtype;
    p->tf32 = precision == HEDDLE_PRECISION_TF32;
    if (precision == HEDDLE_PRECISION_FULL) return HEDDLE_OK;
    HEDDLE_REQUIRE(precision >= 0 && precision <= HEDDLE_PRECISION_FLOAT16, HEDDLE_EARG,
                   "heddle_matmul: .precision is %d", (int)precision);
    HEDDLE_REQUIRE(p->dtype == HEDDLE_FLOAT32, HEDDLE_EDTYPE,
                   "heddle_matmul: .precision is for float32, not %s", heddle_dtype_name(p->dtype));
    if (!p->tf32) p->of = rounded[precision];
    return HEDDLE_OK;
}

/* Numbers of float32 rounded to the 11 significant binary digits of TF32, by Veltkamp's splitting: x * (2^13 + 1) loses
 * the others. Large numbers are made smaller before. The innermost scope's. */
static heddle_array *as_tf32(heddle_array *x)
{
    heddle_array *const one = heddle_scalar_float(1), *const small = heddle_scalar_float(0x1p-20);
    heddle_array *const is_large = heddle_greater(heddle_abs(x), heddle_scalar_float(0x1p100));
    heddle_array *const scale = heddle_astype(heddle_where(is_large, small, one), HEDDLE_FLOAT32);
    heddle_array *const y = heddle_multiply(x, scale);
    heddle_array *const large = heddle_multiply(y, heddle_scalar_float(8193));
    heddle_array *const r = heddle_add(heddle_subtract(y, large), large);
    return heddle_where(heddle_isfinite(x), heddle_divide(r, scale), x);
}

/* The product in TF32; in a scope of its own, whose arrays it reads. */
static heddle_array *tf32_node(heddle_array *const x[2], const struct product *p)
{
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *rounded[2], *r = NULL;
    for (int i = 0; i < 2; i++) rounded[i] = as_tf32(heddle_astype(x[i], HEDDLE_FLOAT32));
    heddle_array *const bad = heddle__bad_operand("matmul", 2, rounded);
    if (!bad) r = product_node(rounded, p);
    heddle__scope_leave(&scope, NULL);
    return r;
}

heddle_array *heddle_matmul_with(heddle_array *a, heddle_array *b,
                                 const struct heddle_matmul_options *options)
{
    /* check and infer */
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("matmul", 2, x);
    if (bad) return bad;
    struct heddle_matmul_options o;
    struct product p;
    if (heddle__options("matmul", options, &o, sizeof o) != HEDDLE_OK ||
        infer(x, &p) != HEDDLE_OK || use_precision(o.precision, &p) != HEDDLE_OK)
        return heddle__error_last();

    /* build; without products to add all are zeros */
    bool empty = p.a.extent[p.a.ndim - 1] == 0;
    for (int d = 0; d < p.result.ndim; d++) empty |= p.result.extent[d] == 0;
    if (empty) return heddle__hand_out(heddle__make_zeros(p.dtype, p.shape.ndim, p.shape.extent));
    heddle_array *node = p.tf32 ? tf32_node(x, &p) : product_node(x, &p);
    if (!node) return heddle__error_last();
    heddle_array *r = heddle__make_ones(node, p.shape.ndim, p.shape.extent);
    heddle__release(node);
    return heddle__hand_out(r);
}

heddle_array *(heddle_matmul)(heddle_array *a, heddle_array *b)
{
    return heddle_matmul_with(a, b, NULL);
}
