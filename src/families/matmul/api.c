/* Matrix products: an operation over operands (..., m, k) and (..., k, n) of one dtype and equal batch
 * axes, which casts and views make of the arguments. Entry point: heddle_matmul. */
#include "families/matmul/cut.h"
#include "graph/make.h"

#include <heddle/linalg.h>
#include <string.h>

/* The operands as matrices, and the result. */
struct product {
    enum heddle_dtype dtype;
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
    if (stages[1]) stages[2] = heddle__make_cast(stages[1], p->dtype);
    heddle__release(stages[0]);
    heddle__release(stages[1]);
    return stages[2];
}

/* Owned. */
static heddle_array *product_node(heddle_array *const x[2], const struct product *p)
{
    heddle_array *const in[2] = {operand(x[0], &p->a, p), operand(x[1], &p->b, p)};
    heddle_array *r = NULL;
    if (in[0] && in[1])
        r = heddle__make_operation(&heddle__matmul_family, p->dtype, p->result.ndim,
                                   p->result.extent, 2, in, NULL, NULL);
    heddle__release(in[0]);
    heddle__release(in[1]);
    return r;
}

heddle_array *heddle_matmul(heddle_array *a, heddle_array *b)
{
    /* check and infer */
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("matmul", 2, x);
    if (bad) return bad;
    struct product p;
    if (infer(x, &p) != HEDDLE_OK) return heddle__error_last();

    /* build; without products to add all are zeros */
    bool empty = p.a.extent[p.a.ndim - 1] == 0;
    for (int d = 0; d < p.result.ndim; d++) empty |= p.result.extent[d] == 0;
    if (empty) return heddle__hand_out(heddle__make_zeros(p.dtype, p.shape.ndim, p.shape.extent));
    heddle_array *node = product_node(x, &p);
    if (!node) return heddle__error_last();
    heddle_array *r = heddle__make_ones(node, p.shape.ndim, p.shape.extent);
    heddle__release(node);
    return heddle__hand_out(r);
}
