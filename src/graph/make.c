/* The building blocks: nodes of each kind, made canonical. Checks nothing that a user can get wrong. Entry points: make.h. */
#include "graph/make.h"

#include "array/grid.h"
#include "array/storage.h"
#include "base/memory.h"
#include "graph/family.h"
#include "graph/stacks.h"

#include <string.h>

heddle_array *heddle__hand_out(heddle_array *owned)
{
    return owned ? heddle__adopt(owned) : heddle__error_last();
}

heddle_array *heddle__no_memory(void)
{
    heddle__fail(HEDDLE_ENOMEM, "out of memory");
    return NULL;
}

bool heddle__is_constant(const heddle_array *x)
{
    return x->kind == HEDDLE_NODE_CONSTANT || x->weak;
}

/* A new node over one input. */
static heddle_array *over(enum heddle_node_kind kind, heddle_array *x, enum heddle_dtype dtype,
                          int ndim, const int64_t *shape)
{
    heddle_array *a = heddle__node_new(kind, dtype, ndim, shape);
    if (!a) return heddle__no_memory();
    a->in_dtype = x->dtype;
    heddle__node_inputs(a, 1, &x); /* in_own has the room */
    return a;
}

heddle_array *heddle__make_constant(union heddle_scalar value, enum heddle_dtype dtype, int ndim,
                                    const int64_t *shape)
{
    heddle_array *a = heddle__node_new(HEDDLE_NODE_CONSTANT, dtype, ndim, shape);
    if (!a) return heddle__no_memory();
    a->value = value;
    return a;
}

heddle_array *heddle__make_zeros(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    return heddle__make_constant((union heddle_scalar){.c128 = {0, 0}}, dtype, ndim, shape);
}

/* Kernels cast halves to float32, and to them from float32 and float64: the dtype by which others go, or `from`. */
static enum heddle_dtype between(enum heddle_dtype from, enum heddle_dtype to)
{
    if (heddle__is_half(from)) return to == HEDDLE_FLOAT32 ? from : HEDDLE_FLOAT32;
    if (!heddle__is_half(to) || heddle_dtype_kind(from) == 'F') return from;
    return heddle_dtype_size(from) > 2 ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
}

/* Whether the elements lie in memory one after the other, part by part, so that another shape costs nothing (plan/cut/reshape.c). */
static bool is_in_order(const heddle_array *x)
{
    struct heddle_storage *storage = heddle__node_storage(x);
    if (!storage) return false;
    const struct heddle_grid *grid = heddle__storage_grid(storage);
    const bool is =
        !heddle__storage_is_file(storage) && (!grid || heddle__grid_is_contiguous(grid));
    heddle__storage_release(storage);
    return is;
}

/* What x is a reshape of, retained, if that is a copy: an operation on it instead, reshaped, needs none before it. NULL: nothing. */
static heddle_array *before_copy(heddle_array *x)
{
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_RESHAPE, NULL);
    if (!source || !is_in_order(source)) return source;
    heddle__release(source);
    return NULL;
}

/* `owned` with that shape, in its place; NULL stays NULL. */
static heddle_array *reshaped_as(heddle_array *owned, int ndim, const int64_t *shape)
{
    heddle_array *r = owned ? heddle__make_reshape(owned, ndim, shape) : NULL;
    heddle__release(owned);
    return r;
}

heddle_array *heddle__make_cast(heddle_array *x, enum heddle_dtype dtype)
{
    const enum heddle_dtype from = (enum heddle_dtype)x->dtype;
    if (from == dtype && !x->weak) return heddle__retain(x);
    if (heddle__is_constant(x))
        return heddle__make_constant(heddle__convert(x->value, from, dtype), dtype, x->ndim,
                                     x->shape);
    if (x->size == 0) return heddle__make_zeros(dtype, x->ndim, x->shape);
    /* A wider one costs less after the copy, where what reads it can convert. */
    const bool widens = heddle_dtype_size(dtype) > heddle_dtype_size(from);
    heddle_array *source = widens ? NULL : before_copy(x);
    if (source) return reshaped_as(heddle__recast(source, dtype), x->ndim, x->shape);
    const enum heddle_dtype by = between(from, dtype);
    if (by == from) return over(HEDDLE_NODE_CAST, x, dtype, x->ndim, x->shape);
    return heddle__recast(over(HEDDLE_NODE_CAST, x, by, x->ndim, x->shape), dtype);
}

heddle_array *heddle__recast(heddle_array *owned, enum heddle_dtype dtype)
{
    heddle_array *r = owned ? heddle__make_cast(owned, dtype) : NULL;
    heddle__release(owned);
    return r;
}

heddle_array *heddle__make_distribute(heddle_array *x, struct heddle_grid *grid)
{
    heddle_array *a = x->size == 0 ? heddle__retain(x)
                                   : over(HEDDLE_NODE_DISTRIBUTE, x, (enum heddle_dtype)x->dtype,
                                          x->ndim, x->shape);
    if (a && a != x)
        a->grid = grid;
    else
        heddle__grid_release(grid);
    return a;
}

/* ---- Operations of families --------------------------------------------------------------------- */

heddle_array *heddle__make_operation(const struct heddle_family_info *family,
                                     enum heddle_dtype dtype, int ndim, const int64_t *shape,
                                     int n_in, heddle_array *const in[], const void *params,
                                     struct heddle_object *object)
{
    heddle_array *a = heddle__node_new(HEDDLE_NODE_FAMILY, dtype, ndim, shape);
    if (!a) return heddle__no_memory();
    a->in_dtype = n_in > 0 ? in[0]->dtype : (uint8_t)dtype;
    a->operation = heddle__calloc(1, sizeof *a->operation + (family->params_bytes + 7) / 8 * 8);
    if (!a->operation || !heddle__node_inputs(a, n_in, in)) {
        heddle__release(a);
        return heddle__no_memory();
    }
    a->operation->family = family;
    a->operation->object = heddle__object_retain(object);
    if (family->params_bytes > 0) memcpy(a->operation->params, params, family->params_bytes);
    return a;
}

void heddle__describe_output(const heddle_array *operation, int i, enum heddle_dtype *dtype,
                             struct heddle_shape *shape)
{
    *dtype = (enum heddle_dtype)operation->dtype;
    *shape = (struct heddle_shape){.ndim = operation->ndim};
    memcpy(shape->extent, operation->shape, sizeof shape->extent);
    if (i > 0) heddle__family_of(operation)->output(operation, i, dtype, shape);
}

bool heddle__make_outputs(heddle_array *operation, heddle_array *outputs[])
{
    const int n = heddle__n_outputs(heddle__family_of(operation));
    HEDDLE_ASSERT(n <= UINT8_MAX); /* a node's `op` */
    int made = 0;
    for (; made < n; made++) {
        enum heddle_dtype dtype;
        struct heddle_shape shape;
        heddle__describe_output(operation, made, &dtype, &shape);
        outputs[made] = over(HEDDLE_NODE_OUTPUT, operation, dtype, shape.ndim, shape.extent);
        if (!outputs[made]) break;
        outputs[made]->op = (uint8_t)made;
    }
    heddle__release(operation);
    if (made == n) return true;
    while (made-- > 0) heddle__release(outputs[made]);
    return false;
}

/* ---- Views -------------------------------------------------------------------------------------- */

/* Whether to read x, which is a part of an assembled array, takes no more than to read that: it is no result that would be stored
 * twice, or one that is much smaller. */
static bool is_free(heddle_array *x)
{
    enum { SMALLER = 8 };
    if (heddle__is_constant(x) || heddle__node_has_data(x) || x->kind == HEDDLE_NODE_INDEX)
        return true;
    struct heddle_map map;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &map);
    const bool is = source && (heddle__node_has_data(source) || source->kind == HEDDLE_NODE_INDEX ||
                               source->size <= x->size / SMALLER);
    heddle__release(source);
    return is;
}

/* The same view of the one part of x that it reads, if it may be read: owned, or NULL. */
static heddle_array *view_of_part(heddle_array *x, const struct heddle_map *map, int ndim,
                                  const int64_t *shape)
{
    enum { DEEPEST = 16 }; /* parts of parts */
    struct heddle_box view = {{0}, {0}};
    struct heddle_map of_part = *map;
    heddle_array *part = heddle__retain(x);
    bool is_apart = false;
    for (int d = 0; d < ndim; d++) view.hi[d] = shape[d];
    for (int i = 0; i < DEEPEST && part && part->kind == HEDDLE_NODE_ASSEMBLE; i++) {
        const struct heddle_box region = heddle__map_region(&of_part, &view);
        struct heddle_landing landing = {{0}, {0}};
        heddle_array *const whole = part;
        part = heddle__node_part(whole, &region, &landing);
        is_apart = whole->of_ranks;
        for (int d = 0; d < x->ndim; d++) of_part.offset[d] -= landing.start[d];
        heddle__release(whole);
    }
    heddle_array *r = NULL;
    if (part && (is_apart || is_free(part))) r = heddle__make_view(part, &of_part, ndim, shape);
    heddle__release(part);
    return r;
}

heddle_array *heddle__make_view(heddle_array *x, const struct heddle_map *map, int ndim,
                                const int64_t *shape)
{
    /* some need no view */
    const enum heddle_dtype dtype = (enum heddle_dtype)x->dtype;
    if (heddle__is_constant(x)) return heddle__make_constant(x->value, dtype, ndim, shape);
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return heddle__make_zeros(dtype, ndim, shape);
    if (heddle__same_shape(ndim, shape, x->ndim, x->shape) && heddle__map_is_identity(map, ndim))
        return heddle__retain(x);

    /* a view of a view is one of its source */
    struct heddle_map inner, composed = *map;
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_VIEW, &inner);
    if (source)
        composed = heddle__map_compose(&inner, map);
    else
        source = heddle__retain(x);
    if (heddle__same_shape(ndim, shape, source->ndim, source->shape) &&
        heddle__map_is_identity(&composed, ndim))
        return source;

    heddle_array *a =
        source->kind == HEDDLE_NODE_ASSEMBLE ? view_of_part(source, &composed, ndim, shape) : NULL;
    if (a) {
        heddle__release(source);
        return a;
    }
    a = over(HEDDLE_NODE_VIEW, source, dtype, ndim, shape);
    heddle__release(source);
    if (!a) return NULL;
    a->map = heddle__alloc(sizeof *a->map);
    if (!a->map) {
        heddle__release(a);
        return heddle__no_memory();
    }
    *a->map = composed;
    return a;
}

heddle_array *heddle__make_moved_axis(heddle_array *x, int from, int to)
{
    struct heddle_map map = {.n = (int8_t)x->ndim};
    int64_t shape[HEDDLE_MAX_NDIM];
    int rest = 0;
    if (from == to) return heddle__retain(x);
    for (int d = 0; d < x->ndim; d++) { /* axis d of the view is axis `of` of x */
        rest += rest == from;
        const int of = d == to ? from : rest++;
        map.axis[of] = (int8_t)d;
        map.step[of] = 1;
        shape[d] = x->shape[of];
    }
    return heddle__make_view(x, &map, x->ndim, shape);
}

heddle_array *heddle__make_broadcast(heddle_array *x, int ndim, const int64_t *shape)
{
    if (!x->weak && heddle__same_shape(ndim, shape, x->ndim, x->shape)) return heddle__retain(x);
    const struct heddle_map map = heddle__map_broadcast(x->ndim, x->shape, ndim);
    return heddle__make_view(x, &map, ndim, shape);
}

/* Pairs the axes of x whose extent is not 1 with those of `shape`; false when they differ. */
static bool pair_axes(const heddle_array *x, int ndim, const int64_t *shape, struct heddle_map *map)
{
    *map = (struct heddle_map){.n = (int8_t)x->ndim};
    int to = 0;
    for (int d = 0; d < x->ndim; d++) {
        map->axis[d] = -1;
        if (x->shape[d] == 1) continue;
        while (to < ndim && shape[to] == 1) to++;
        if (to == ndim || shape[to] != x->shape[d]) return false;
        map->axis[d] = (int8_t)to++;
        map->step[d] = 1;
    }
    while (to < ndim && shape[to] == 1) to++;
    return to == ndim;
}

bool heddle__only_ones_differ(const heddle_array *x, int ndim, const int64_t *shape)
{
    struct heddle_map map;
    return pair_axes(x, ndim, shape, &map);
}

heddle_array *heddle__make_ones(heddle_array *x, int ndim, const int64_t *shape)
{
    if (!x->weak && heddle__same_shape(ndim, shape, x->ndim, x->shape)) return heddle__retain(x);
    struct heddle_map map;
    pair_axes(x, ndim, shape, &map);
    return heddle__make_view(x, &map, ndim, shape);
}

/* ---- Reshapes ------------------------------------------------------------------------------------ */

/* Whether x is 0 .. n - 1, and rows of `shape` are few and long: then indices along both axes make it, at no cost, and what is computed of it can be
 * cut along both (plan/policy/automatic.c). */
static bool is_wide_index(const heddle_array *x, int ndim, const int64_t *shape)
{
    enum { ROWS = 64, COLUMNS = 1 << 16 };
    return x->kind == HEDDLE_NODE_INDEX && ndim == 2 && shape[0] <= ROWS && shape[1] >= COLUMNS;
}

/* row * columns + column */
static heddle_array *make_wide_index(const int64_t *shape)
{
    static const enum heddle_dtype dtypes[2] = {HEDDLE_INT64, HEDDLE_INT64};
    const struct heddle_shape all = {2, {shape[0], shape[1]}}, rows = {2, {shape[0], 1}};
    heddle_array *row = heddle__make_index(shape[0]),
                 *column = row ? heddle__make_index(shape[1]) : NULL,
                 *turned = column ? heddle__make_ones(row, 2, rows.extent) : NULL;
    heddle_array *by = turned ? heddle__make_constant((union heddle_scalar){.i64 = shape[1]},
                                                      HEDDLE_INT64, 0, NULL)
                              : NULL;
    heddle_array *first = by ? heddle__make_map(HEDDLE_OP_MULTIPLY, HEDDLE_INT64, HEDDLE_INT64,
                                                &rows, 2, (heddle_array *[]){turned, by}, dtypes)
                             : NULL;
    heddle_array *a = first ? heddle__make_map(HEDDLE_OP_ADD, HEDDLE_INT64, HEDDLE_INT64, &all, 2,
                                               (heddle_array *[]){first, column}, dtypes)
                            : NULL;
    heddle__release(row);
    heddle__release(column);
    heddle__release(turned);
    heddle__release(by);
    heddle__release(first);
    return a;
}

/* Whether x is a few elementwise operations on numbers and on such data, or indices, of its own shape, which `shape` is for. */
static bool is_of_data(heddle_array *x, int ndim, const int64_t *shape, int depth)
{
    enum { DEEPEST = 4 };
    heddle_array *in[3];
    const int n = depth < DEEPEST ? heddle__node_operands(x, in) : 0;
    bool is = n > 0;
    for (int i = 0; i < n; i++) {
        is = is && (heddle__is_constant(in[i]) ||
                    (heddle__same_shape(in[i]->ndim, in[i]->shape, x->ndim, x->shape) &&
                     (is_in_order(in[i]) || is_wide_index(in[i], ndim, shape) ||
                      is_of_data(in[i], ndim, shape, depth + 1))));
        heddle__release(in[i]);
    }
    return is;
}

/* The same operations on reshaped data: so they are fused with what reads them. */
static heddle_array *reshape_operands(heddle_array *x, int ndim, const int64_t *shape)
{
    heddle_array *in[3], *reshaped[3] = {NULL};
    enum heddle_dtype dtypes[3];
    const enum heddle_node_kind kind = x->kind;
    const int n = heddle__is_constant(x) ? 0 : heddle__node_operands(x, in);
    bool ok = true;
    if (n <= 0) return heddle__make_reshape(x, ndim, shape);
    for (int i = 0; i < n; i++) {
        if (ok) reshaped[i] = reshape_operands(in[i], ndim, shape);
        ok = reshaped[i];
        dtypes[i] = (enum heddle_dtype)in[i]->dtype;
        heddle__release(in[i]);
    }
    struct heddle_shape as = {.ndim = ndim};
    memcpy(as.extent, shape, (size_t)ndim * sizeof *shape);
    heddle_array *a = ok ? heddle__make_same(x, kind, &as, n, reshaped, dtypes) : NULL;
    for (int i = 0; i < n; i++) heddle__release(reshaped[i]);
    return a;
}

heddle_array *heddle__make_reshape(heddle_array *x, int ndim, const int64_t *shape)
{
    if (heddle__is_constant(x))
        return heddle__make_constant(x->value, (enum heddle_dtype)x->dtype, ndim, shape);
    if (x->size == 0) return heddle__make_zeros((enum heddle_dtype)x->dtype, ndim, shape);
    if (heddle__only_ones_differ(x, ndim, shape)) return heddle__make_ones(x, ndim, shape);
    heddle_array *source = heddle__node_source(x, HEDDLE_NODE_RESHAPE, NULL);
    if (source) return reshaped_as(source, ndim, shape); /* source is no reshape */
    if (is_wide_index(x, ndim, shape)) return make_wide_index(shape);
    if (is_of_data(x, ndim, shape, 0)) return reshape_operands(x, ndim, shape);
    return over(HEDDLE_NODE_RESHAPE, x, (enum heddle_dtype)x->dtype, ndim, shape);
}

heddle_array *heddle__make_index(int64_t extent)
{
    if (extent == 0) return heddle__make_zeros(HEDDLE_INT64, 1, &extent);
    heddle_array *a = heddle__node_new(HEDDLE_NODE_INDEX, HEDDLE_INT64, 1, &extent);
    return a ? a : heddle__no_memory();
}

/* ---- Elementwise and assembly ------------------------------------------------------------------- */

/* A constant in the precision of `as`. */
static union heddle_scalar rounded(union heddle_scalar value, enum heddle_dtype dtype,
                                   enum heddle_dtype as)
{
    if (as == dtype) return value;
    return heddle__convert(heddle__convert(value, dtype, as), as, dtype);
}

/* What a MAP of `shape` takes for x, which it has asked for as `as`, in the dtype that this is computed in: an owned
 * reference. A constant of another form gets a node of its own, 0-d, which nobody else can evaluate. */
static heddle_array *operand(heddle_array *x, enum heddle_dtype as,
                             const struct heddle_shape *shape)
{
    const enum heddle_dtype dtype = heddle__computed_in(as);
    const bool same = heddle__same_shape(shape->ndim, shape->extent, x->ndim, x->shape);
    if (x->dtype == dtype && same) return heddle__retain(x);
    if (heddle__is_constant(x)) {
        const enum heddle_dtype from = (enum heddle_dtype)x->dtype;
        return heddle__make_constant(rounded(heddle__convert(x->value, from, dtype), dtype, as),
                                     dtype, 0, NULL);
    }
    if (same) return heddle__make_cast(x, dtype);
    return heddle__recast(heddle__make_broadcast(x, shape->ndim, shape->extent), dtype);
}

/* What the operands are reshapes of, all from the shape *before to `shape`, or themselves, if they are numbers. False: `of` has nothing. */
static bool find_sources(const struct heddle_shape *shape, int n, heddle_array *const operands[],
                         heddle_array *of[3], struct heddle_shape *before)
{
    bool alike = true, any = false;
    int found = 0;
    for (; found < n && alike; found++) {
        heddle_array *x = operands[found], *source = NULL;
        if (heddle__is_constant(x)) {
            of[found] = heddle__retain(x);
            continue;
        }
        if (heddle__same_shape(shape->ndim, shape->extent, x->ndim, x->shape))
            source = before_copy(x);
        of[found] = source;
        alike = source && (!any || heddle__same_shape(before->ndim, before->extent, source->ndim,
                                                      source->shape));
        if (!alike) continue;
        any = true;
        before->ndim = source->ndim;
        memcpy(before->extent, source->shape, (size_t)source->ndim * sizeof *source->shape);
    }
    if (alike && any) return true;
    for (int i = 0; i < found; i++) heddle__release(of[i]);
    return false;
}

heddle_array *heddle__make_map(enum heddle_op op, enum heddle_dtype in_dtype,
                               enum heddle_dtype dtype, const struct heddle_shape *shape, int n,
                               heddle_array *const operands[], const enum heddle_dtype dtypes[])
{
    heddle_array *of[3];
    struct heddle_shape before;
    if (find_sources(shape, n, operands, of, &before)) {
        heddle_array *y = heddle__make_map(op, in_dtype, dtype, &before, n, of, dtypes);
        for (int i = 0; i < n; i++) heddle__release(of[i]);
        return reshaped_as(y, shape->ndim, shape->extent);
    }
    heddle_array *a = heddle__make_map_of_stack(op, in_dtype, dtype, shape, n, operands, dtypes);
    if (a) return a;
    a = heddle__node_new(HEDDLE_NODE_MAP, dtype, shape->ndim, shape->extent);
    if (!a) return heddle__no_memory();
    if (a->size == 0) {
        a->kind = HEDDLE_NODE_CONSTANT;
        return a;
    }
    a->op = (uint8_t)op;
    a->in_dtype = (uint8_t)heddle__computed_in(in_dtype);
    a->dtype = (uint8_t)heddle__computed_in(dtype);
    for (int i = 0; i < n; i++) {
        a->in[i] = operand(operands[i], dtypes[i], shape); /* the reference moves in */
        if (!a->in[i]) {
            heddle__release(a);
            return NULL;
        }
        a->n_in = i + 1;
    }
    return heddle__recast(a, dtype);
}

heddle_array *heddle__make_same(const heddle_array *x, enum heddle_node_kind kind,
                                const struct heddle_shape *shape, int n,
                                heddle_array *const operands[], const enum heddle_dtype dtypes[])
{
    const enum heddle_dtype dtype = (enum heddle_dtype)x->dtype;
    if (kind == HEDDLE_NODE_CAST) return heddle__make_cast(operands[0], dtype);
    return heddle__make_map((enum heddle_op)x->op, (enum heddle_dtype)x->in_dtype, dtype, shape, n,
                            operands, dtypes);
}
