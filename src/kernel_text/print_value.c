/* Expressions as C and as CUDA C++. Every value has its type, so that CUDA's templates need no names of types. Entry
 * points: heddle__print_value, heddle__print_as. */
#include "kernel_text/print.h"

#include <math.h>

/* "hd_add_int32(" in C, "hd_add(" in CUDA. */
static void begin_call(struct print *p, const char *operation, enum heddle_dtype dtype)
{
    heddle__text_put(&p->text, "hd_%s", operation);
    if (!p->cuda) heddle__text_put(&p->text, "_%s", heddle_dtype_name(dtype));
    heddle__text_put(&p->text, "(");
}

static enum heddle_dtype type_of(const struct print *p, const struct kernel_node *n)
{
    return (enum heddle_dtype)p->form->types->nodes[n->number];
}

static void begin_cast(struct print *p, enum heddle_dtype from, enum heddle_dtype to)
{
    if (p->cuda)
        heddle__text_put(&p->text, "hd_cast<hd_%s>(", heddle_dtype_name(to));
    else
        heddle__text_put(&p->text, "hd_cast_%s_%s(", heddle_dtype_name(to),
                         heddle_dtype_name(from));
}

void heddle__print_as(struct print *p, const struct kernel_node *n, enum heddle_dtype to)
{
    const enum heddle_dtype from = type_of(p, n);
    if (from != to) begin_cast(p, from, to);
    heddle__print_value(p, n);
    if (from != to) heddle__text_put(&p->text, ")");
}

/* With all its digits. */
static void number(struct print *p, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = type_of(p, n);
    const char *const name = heddle_dtype_name(dtype);
    const double x = dtype == HEDDLE_FLOAT32 ? (double)n->value.f32 : n->value.f64;
    if (heddle_dtype_kind(dtype) != 'F')
        heddle__text_put(&p->text, "(hd_%s)%lluu%s", name,
                         (unsigned long long)heddle__convert(n->value, dtype, HEDDLE_UINT64).u64,
                         "ll");
    else if (isfinite(x))
        heddle__text_put(&p->text, "(hd_%s)%a", name, x);
    else
        heddle__text_put(&p->text, "(hd_%s)(%s / hd_zero)", name, isnan(x) ? "0.0" : "1.0");
}

static void extent(struct print *p, const struct kernel_node *n)
{
    if (!n->b) {
        heddle__text_put(&p->text, "n%d", n->symbol);
        return;
    }
    heddle__text_put(&p->text, "hd_extent(e%d, %d, ", n->symbol, p->form->ndims[n->symbol]);
    heddle__print_as(p, n->b, HEDDLE_INT64);
    heddle__text_put(&p->text, ")");
}

/* Index d of an array of indices, or of the element's own. */
static void index_of(struct print *p, const struct kernel_node *n, int d)
{
    const int extent = n->kind == KERNEL_SYMBOL ? p->form->tree->symbols[n->symbol].extent : 0;
    if (n->kind == KERNEL_PLACE)
        heddle__text_put(&p->text, d < p->form->ndim ? "c%d" : "0", d);
    else if (d >= extent)
        heddle__text_put(&p->text, "0");
    else
        heddle__text_put(&p->text, "(hd_int64)x%d[%d]", n->symbol, d);
}

/* hd_step(e3[1], hd_step(e3[0], 0, (index 0)), (index 1)) */
static void place_by_axes(struct print *p, const struct kernel_node *n)
{
    const int ndim = p->form->ndims[n->symbol];
    for (int d = ndim - 1; d >= 0; d--)
        heddle__text_put(&p->text, "hd_step(e%d[%d], ", n->symbol, d);
    heddle__text_put(&p->text, "0");
    for (int d = 0; d < ndim; d++) {
        heddle__text_put(&p->text, ", ");
        index_of(p, n->b, d);
        heddle__text_put(&p->text, ")");
    }
}

void heddle__print_place(struct print *p, const struct kernel_node *n)
{
    const int extent = p->form->tree->symbols[n->symbol].extent;
    if (extent)
        heddle__text_put(&p->text, "x%d, %d, ", n->symbol, extent);
    else
        heddle__text_put(&p->text, "p%d, n%d, ", n->symbol, n->symbol);
    if (n->op)
        place_by_axes(p, n);
    else
        heddle__print_as(p, n->b, HEDDLE_INT64);
}

static void element(struct print *p, const struct kernel_node *n)
{
    if (p->form->mode[n->symbol] == KERNEL_ROWS) { /* all of them are there */
        heddle__text_put(&p->text, "p%d[", n->symbol);
        heddle__print_as(p, n->b, HEDDLE_INT64);
        heddle__text_put(&p->text, "]");
        return;
    }
    begin_call(p, "element", type_of(p, n));
    heddle__print_place(p, n);
    heddle__text_put(&p->text, ")");
}

/* The element's own index along an axis; 0 where there is no such axis. */
static void place(struct print *p, const struct kernel_node *n)
{
    begin_call(p, "element", HEDDLE_INT64);
    heddle__text_put(&p->text, "c, %d, ", p->form->ndim);
    heddle__print_as(p, n->b, HEDDLE_INT64);
    heddle__text_put(&p->text, ")");
}

static void invoke(struct print *p, const struct kernel_node *n)
{
    const struct kernel_helper *const h = &p->form->tree->helpers[n->symbol];
    const struct kernel_node *x = n->a;
    heddle__text_put(&p->text, "f%d(", n->symbol);
    for (int i = 0; i < h->n; i++, x = x->next) {
        if (i) heddle__text_put(&p->text, ", ");
        heddle__print_as(p, x, (enum heddle_dtype)p->form->types->symbols[h->first + i]);
    }
    heddle__text_put(&p->text, ")");
}

static void operation(struct print *p, const struct kernel_node *n)
{
    const enum kernel_operator op = (enum kernel_operator)n->op;
    const enum heddle_dtype dtype = heddle__kernel_operands(p->form->types, n);
    const char *const name = heddle__kernel_operation(op, dtype);
    if (name)
        begin_call(p, name, dtype);
    else
        heddle__text_put(&p->text, "(%s", n->b ? "" : heddle__kernel_operator_text(op));
    heddle__print_as(p, n->a, dtype);
    if (n->b) {
        heddle__text_put(&p->text, name ? ", " : " %s ", heddle__kernel_operator_text(op));
        heddle__print_as(p, n->b, dtype);
    }
    heddle__text_put(&p->text, ")");
}

static void call(struct print *p, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = heddle__kernel_operands(p->form->types, n);
    const struct kernel_node *const more[] = {n->b, n->c};
    if (n->op == KERNEL_F_COMPLEX)
        heddle__text_put(&p->text, "hd_make_%s(", heddle_dtype_name(type_of(p, n)));
    else
        begin_call(p, heddle__kernel_function_operation((enum kernel_function)n->op), dtype);
    heddle__print_as(p, n->a, dtype);
    for (int i = 0; i < 2 && more[i]; i++) {
        heddle__text_put(&p->text, ", ");
        heddle__print_as(p, more[i], dtype);
    }
    heddle__text_put(&p->text, ")");
}

static void choice(struct print *p, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = type_of(p, n);
    heddle__text_put(&p->text, "(");
    heddle__print_as(p, n->a, HEDDLE_BOOL);
    heddle__text_put(&p->text, " ? ");
    heddle__print_as(p, n->b, dtype);
    heddle__text_put(&p->text, " : ");
    heddle__print_as(p, n->c, dtype);
    heddle__text_put(&p->text, ")");
}

void heddle__print_value(struct print *p, const struct kernel_node *n)
{
    switch ((enum kernel_kind)n->kind) {
    case KERNEL_NUMBER: number(p, n); break;
    case KERNEL_SYMBOL: heddle__text_put(&p->text, "x%d", n->symbol); break;
    case KERNEL_ELEMENT: element(p, n); break;
    case KERNEL_EXTENT: extent(p, n); break;
    case KERNEL_UNARY:
    case KERNEL_BINARY: operation(p, n); break;
    case KERNEL_CHOICE: choice(p, n); break;
    case KERNEL_CAST: heddle__print_as(p, n->a, type_of(p, n)); break;
    case KERNEL_CALL: call(p, n); break;
    case KERNEL_PLACE: place(p, n); break;
    case KERNEL_INVOKE: invoke(p, n); break;
    default: break;
    }
}
