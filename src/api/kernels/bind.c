/* The arguments of a call decide what the letters are, and the shape. Entry points: heddle__kernel_bind,
 * heddle__kernel_decided, heddle__kernel_whole, heddle__kernel_parameter. */
#include "api/kernels/kernels.h"

#define NAME_OF(s) (s)->length > 40 ? 40 : (s)->length, (s)->name

enum heddle_dtype heddle__kernel_parameter(const struct heddle__kernel_call *c, int symbol)
{
    return heddle__kernel_dtype(&c->types, c->tree->symbols[symbol].type);
}

/* An array has the type of its parameter; the first of a letter decides it. */
static enum heddle_status bind_array(struct heddle__kernel_call *c, int i)
{
    const struct kernel_symbol *const s = &c->tree->symbols[i];
    const enum heddle_dtype dtype = (enum heddle_dtype)c->in[i]->dtype;
    const enum heddle_dtype known = heddle__kernel_dtype(&c->types, s->type);
    if (known == HEDDLE_DTYPE_NONE && !c->types.letters[s->type & 127]) {
        const bool is_part = heddle__kernel_is_complex_of(s->type);
        HEDDLE_REQUIRE(!is_part || heddle_dtype_kind(dtype) == 'C', HEDDLE_EDTYPE,
                       "kernel '%.40s': argument '%.*s' is of %s, not complex", c->tree->name,
                       NAME_OF(s), heddle_dtype_name(dtype));
        c->types.letters[s->type & 127] =
            (unsigned char)(is_part ? heddle__real_dtype(dtype) : dtype);
        return HEDDLE_OK;
    }
    if (heddle__kernel_is_letter(s->type))
        HEDDLE_REQUIRE(known == dtype, HEDDLE_EDTYPE,
                       "kernel '%.40s': argument '%.*s' is of %s, where %c is %s already",
                       c->tree->name, NAME_OF(s), heddle_dtype_name(dtype), s->type & 127,
                       heddle_dtype_name((enum heddle_dtype)c->types.letters[s->type & 127]));
    HEDDLE_REQUIRE(known == dtype, HEDDLE_EDTYPE,
                   "kernel '%.40s': argument '%.*s' is of %s, not %s", c->tree->name, NAME_OF(s),
                   heddle_dtype_name(dtype), heddle_dtype_name(known));
    return HEDDLE_OK;
}

/* Numbers alone decide a letter by the widest kind among them. */
static void bind_number(struct heddle__kernel_call *c, int i, const bool decided[128])
{
    const kernel_type type = c->tree->symbols[i].type;
    if (!heddle__kernel_is_letter(type) || decided[type & 127]) return;
    unsigned char *const known = &c->types.letters[type & 127];
    enum heddle_dtype dtype = (enum heddle_dtype)c->in[i]->dtype;
    if (heddle__kernel_is_complex_of(type))
        dtype = dtype < HEDDLE_FLOAT32 ? HEDDLE_FLOAT64 : heddle__real_dtype(dtype);
    if (!*known || heddle__kind_rank(dtype) > heddle__kind_rank((enum heddle_dtype) * known))
        *known = (unsigned char)dtype;
}

static enum heddle_status bind_types(struct heddle__kernel_call *c)
{
    const struct kernel_tree *const tree = c->tree;
    bool decided[128];
    for (int i = 0; i < tree->n_in; i++)
        if (!c->in[i]->weak && bind_array(c, i) != HEDDLE_OK) return heddle__last_code();
    for (int k = 0; k < 128; k++) decided[k] = c->types.letters[k];
    for (int i = 0; i < tree->n_in; i++)
        if (c->in[i]->weak) bind_number(c, i, decided);
    for (int i = 0; i < tree->n_in; i++)
        HEDDLE_REQUIRE(
            heddle__kernel_parameter(c, i), HEDDLE_EDTYPE,
            "kernel '%.40s': argument '%.*s' is complex of %s", tree->name,
            NAME_OF(&tree->symbols[i]),
            heddle_dtype_name((enum heddle_dtype)c->types.letters[tree->symbols[i].type & 127]));
    for (int i = 0; i < tree->n_in; i++)
        if (c->in[i]->weak && heddle__check_value("kernel_call", c->in[i],
                                                  heddle__kernel_parameter(c, i)) != HEDDLE_OK)
            return heddle__last_code();
    return HEDDLE_OK;
}

enum heddle_status heddle__kernel_decided(const struct heddle__kernel_call *c)
{
    const struct kernel_tree *const tree = c->tree;
    for (int i = tree->n_in; i < tree->n_in + tree->n_out; i++)
        HEDDLE_REQUIRE(heddle__kernel_parameter(c, i), HEDDLE_EDTYPE,
                       "kernel '%.40s': no argument decides the type %c of '%.*s'", tree->name,
                       tree->symbols[i].type & 127, NAME_OF(&tree->symbols[i]));
    return HEDDLE_OK;
}

void heddle__kernel_whole(struct heddle__kernel_call *c, const struct heddle_shape *shape)
{
    c->shape = *shape;
    c->first = 0;
    c->size = 1;
    for (int d = shape->ndim - 1; d >= 0; d--) {
        c->step[d] = c->size;
        c->size *= shape->extent[d];
    }
}

static enum heddle_status bind_shape(struct heddle__kernel_call *c,
                                     const struct heddle_lengths *given)
{
    const struct kernel_tree *const tree = c->tree;
    heddle_array *whole[KERNEL_MAX_PARAMETERS];
    int n = 0;
    for (int i = 0; i < tree->n_in; i++)
        if (!tree->symbols[i].raw) whole[n++] = c->in[i];
    HEDDLE_REQUIRE(n || given->count, HEDDLE_EARG,
                   "kernel '%.40s': no argument has the shape of the result: name it, .shape",
                   tree->name);
    c->shape.ndim = 0;
    if (n && heddle__broadcast_all("kernel_call", n, whole, &c->shape) != HEDDLE_OK)
        return heddle__last_code();
    const int ndim = given->count;
    const int64_t *const extent = given->at;
    if (ndim) {
        if (heddle__check_shape("kernel_call", ndim, extent) != HEDDLE_OK)
            return heddle__last_code();
        HEDDLE_REQUIRE(heddle__broadcast(&c->shape, ndim, extent) &&
                           heddle__same_shape(c->shape.ndim, c->shape.extent, ndim, extent),
                       HEDDLE_ESHAPE, "kernel '%.40s': its arguments do not broadcast to shape %s",
                       tree->name, heddle__shape_text(ndim, extent).text);
    }
    heddle__kernel_whole(c, &c->shape);
    return HEDDLE_OK;
}

enum heddle_status heddle__kernel_bind(struct heddle__kernel_call *c,
                                       const struct heddle_lengths *given)
{
    const enum heddle_status status = bind_types(c);
    return status == HEDDLE_OK ? bind_shape(c, given) : status;
}
