/* Methods of elementwise functions: np.add.reduce, accumulate, reduceat, outer. */
#include "base/memory.h"
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

enum { MOST = 1000 }; /* elements along an axis, of methods that go from one to the next */

static const struct value first_axis = {.kind = VALUE_INT};

/* Every element of a with every one of b. */
CALL(call_outer)
{
    heddle_array *a, *b;
    int64_t shape[HEDDLE_MAX_NDIM] = {0};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &b))
        return false;
    const int of_a = heddle_ndim(a), ndim = of_a + heddle_ndim(b);
    if (ndim > HEDDLE_MAX_NDIM)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, at, "%d axes, more than %d", ndim,
                                 HEDDLE_MAX_NDIM);
    for (int d = 0; d < ndim; d++) shape[d] = d < of_a ? heddle_shape(a)[d] : 1;
    return heddle__expr_from_array(run, f->binary(heddle_reshape(a, ndim, shape), b), at, out);
}

/* ---- Of reductions and scans --------------------------------------------------------------------------- */

/* Along the first axis if none is given. */
CALL(call_reduce)
{
    if (args[1].kind == VALUE_ABSENT) args[1] = first_axis;
    return heddle__expr_call_reduce_dtype(run, f, at, args, out);
}

CALL(call_accumulate)
{
    if (args[1].kind == VALUE_ABSENT) args[1] = first_axis;
    return heddle__expr_call_scan(run, f, at, args, out);
}

/* logical_and and logical_or are the least and the largest of bool. */
CALL(call_accumulate_truth)
{
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_from_array(run, heddle_astype(a, HEDDLE_BOOL), args[0].at, &args[0]))
        return false;
    return call_accumulate(run, f, at, args, out);
}

/* ---- From one element to the next ------------------------------------------------------------------------ */

/* An array, its axis and how long that is; all elements for axis=None. */
struct line {
    heddle_array *a;
    int axis, ndim; /* ndim: of what was given */
    int64_t n;
};

static bool to_line(struct run *run, struct value *args, struct line *line)
{
    bool given = true;
    line->axis = 0;
    if (!heddle__expr_to_array(run, &args[0], true, &line->a)) return false;
    if (args[1].kind != VALUE_ABSENT && !heddle__expr_to_axis(run, &args[1], &line->axis, &given))
        return false;
    line->ndim = heddle_ndim(line->a);
    if (!given) line->a = heddle__expr_flat(line->a);
    const int ndim = heddle_ndim(line->a);
    if (line->axis < 0) line->axis += ndim;
    if (line->axis < 0 || line->axis >= ndim)
        return heddle__expr_fail(run, HEDDLE_EAXIS, args[0].at, "there is no such axis of %d",
                                 ndim);
    line->n = heddle_shape(line->a)[line->axis];
    return true;
}

/* What the line became, of one element along its axis, with the axes that keepdims= asks for. */
static bool from_line(struct run *run, const struct line *line, heddle_array *r, bool keepdims,
                      size_t at, struct value *out)
{
    int64_t ones[HEDDLE_MAX_NDIM];
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) ones[d] = 1;
    if (!keepdims)
        r = heddle_squeeze(r, 1, &line->axis);
    else if (heddle_ndim(line->a) != line->ndim)
        r = heddle_reshape(r, line->ndim, ones);
    return heddle__expr_from_array(run, r, at, out);
}

/* As the function makes it: of one element, too. */
static heddle_array *in_result_dtype(const struct function *f, heddle_array *a)
{
    heddle_array *const r = f->binary(a, a);
    return heddle_status_of(r) == HEDDLE_OK ? heddle_astype(a, heddle_dtype_of(r)) : r;
}

/* From the left: ((a0 - a1) - a2) - ... */
CALL(call_fold)
{
    struct line line;
    bool keepdims = false;
    if (!to_line(run, args, &line) || !heddle__expr_to_bool(run, &args[2], "keepdims", &keepdims))
        return false;
    if (line.n < 1 || line.n > MOST)
        return heddle__expr_fail(run, line.n < 1 ? HEDDLE_ESHAPE : HEDDLE_ERANGE, at,
                                 "%s() of %lld elements: it takes 1 to %d", f->name,
                                 (long long)line.n, MOST);
    heddle_array *const a = in_result_dtype(f, line.a);
    heddle_array *r = heddle__expr_slice(a, line.axis, 0, 1);
    for (int64_t i = 1; i < line.n; i++)
        r = f->binary(r, heddle__expr_slice(a, line.axis, i, i + 1));
    return from_line(run, &line, r, keepdims, at, out);
}

/* By halves, of functions that associate. */
CALL(call_halves)
{
    struct line line;
    bool keepdims = false;
    if (!to_line(run, args, &line) || !heddle__expr_to_bool(run, &args[2], "keepdims", &keepdims))
        return false;
    const int axis = line.axis;
    heddle_array *a = in_result_dtype(f, line.a);
    if (line.n < 1) { /* 0, where that changes nothing */
        const bool zero = f->binary == heddle_bitwise_or || f->binary == heddle_bitwise_xor ||
                          f->binary == heddle_logical_xor || f->binary == heddle_gcd;
        const struct heddle_reduce_options o = {
            .size = sizeof o, .axis = axis, .has_axis = true, .keepdims = true};
        if (!zero) return heddle__expr_fail(run, HEDDLE_ESHAPE, at, "%s() of no elements", f->name);
        a = heddle_astype(heddle_sum_with(a, &o), heddle_dtype_of(a));
    }
    for (int64_t n = line.n; n > 1; n -= n / 2) {
        heddle_array *const both = f->binary(heddle__expr_slice(a, axis, 0, n / 2),
                                             heddle__expr_slice(a, axis, n - n / 2, n));
        heddle_array *const parts[2] = {both, heddle__expr_slice(a, axis, n / 2, n - n / 2)};
        a = n % 2 ? heddle_concat(2, parts, axis) : both;
    }
    return from_line(run, &line, a, keepdims, at, out);
}

/* The segments that begin there: to the next start, if that is greater, else one element. */
static bool find_ends(struct run *run, size_t at, int64_t n, int64_t n_starts,
                      const int64_t *starts, int64_t *ends)
{
    if (n_starts == 0) return heddle__expr_fail(run, HEDDLE_ESHAPE, at, "there are no indices");
    for (int64_t i = 0; i < n_starts; i++) {
        if (starts[i] < 0 || starts[i] >= n)
            return heddle__expr_fail(run, HEDDLE_EINDEX, at,
                                     "index %lld is out of range for %lld elements",
                                     (long long)starts[i], (long long)n);
        const int64_t next = i + 1 < n_starts ? starts[i + 1] : n;
        ends[i] = next > starts[i] ? next : starts[i] + 1;
    }
    return true;
}

/* Few segments, or of arrays that have no room for one axis more: one after the other. */
static bool reduce_each(struct run *run, const struct function *f, const struct line *line,
                        int64_t n, const int64_t *starts, const int64_t *ends, heddle_array **out)
{
    heddle_array **parts = heddle__expr_room(run, n);
    if (!parts) return false;
    const struct heddle_reduce_options o = {
        .size = sizeof o, .axis = line->axis, .has_axis = true, .keepdims = true};
    for (int64_t i = 0; i < n; i++)
        parts[i] = f->reduce(heddle__expr_slice(line->a, line->axis, starts[i], ends[i]), &o);
    *out = heddle_concat((int)n, parts, line->axis);
    return true;
}

/* Reductions of [i0, i1), [i1, i2), ... along an axis; of i0 >= i1 the element i0 alone. */
CALL(call_reduceat)
{
    enum { FEW = 16 };
    struct line line;
    int64_t n, *starts;
    const struct value index = args[1];
    args[1] = args[2];
    if (!to_line(run, args, &line) ||
        !heddle__expr_to_many_ints(run, &index, "an index", &starts, &n))
        return false;
    int64_t *const ends = heddle__alloc((size_t)(n + 1) * sizeof *ends);
    heddle_array *r = NULL;
    if (!ends) {
        heddle__free(starts);
        return heddle__expr_no_memory(run);
    }
    bool good = find_ends(run, index.at, line.n, n, starts, ends);
    if (good && n > FEW && n <= INT32_MAX && heddle_ndim(line.a) < HEDDLE_MAX_NDIM) {
        r = heddle__expr_segments(f->reduce, line.a, line.axis, n, starts, ends);
        good = r || heddle__expr_no_memory(run);
    } else if (good) {
        good = reduce_each(run, f, &line, n, starts, ends, &r);
    }
    heddle__free(starts);
    heddle__free(ends);
    return good && heddle__expr_from_array(run, r, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define OUTER(name, function)                                                                      \
    {                                                                                              \
        name ".outer", "A/a B/b", call_outer,                                                      \
        {                                                                                          \
            .binary = heddle_##function                                                            \
        }                                                                                          \
    }
#define OF_REDUCTION(name, function)                                                               \
    {name ".reduce",                                                                               \
     "array/a axis= dtype= | keepdims= initial= where=",                                           \
     call_reduce,                                                                                  \
     {.reduce = heddle_##function##_with}},                                                        \
    {                                                                                              \
        name ".reduceat", "array/a indices axis=", call_reduceat,                                  \
        {                                                                                          \
            .reduce = heddle_##function##_with                                                     \
        }                                                                                          \
    }
#define REDUCED(name, how)                                                                         \
    {                                                                                              \
#name ".reduce", "array/a axis= | keepdims=", how,                                         \
        {                                                                                          \
            .binary = heddle_##name                                                                \
        }                                                                                          \
    }
#define SCANNED(name, how, function)                                                               \
    {                                                                                              \
        name ".accumulate", "array/a axis= dtype=", how,                                           \
        {                                                                                          \
            .scan = heddle_cumulative_##function##_with                                            \
        }                                                                                          \
    }

static const struct function rows[] = {
#define ROW_1(name)
#define ROW_2(name) OUTER(#name, name),
#define ROW_3(name)
#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, expression)             \
    ROW_##arity(name)
#include <heddle/ops.def>
#undef HEDDLE_OP
    OUTER("power", pow),
    OUTER("mod", remainder),
    OUTER("true_divide", divide),
    OUTER("arctan2", atan2),
    OF_REDUCTION("add", sum),
    OF_REDUCTION("multiply", prod),
    OF_REDUCTION("maximum", max),
    OF_REDUCTION("minimum", min),
    OF_REDUCTION("fmax", nanmax),
    OF_REDUCTION("fmin", nanmin),
    OF_REDUCTION("logical_and", all),
    OF_REDUCTION("logical_or", any),
    REDUCED(bitwise_and, call_halves),
    REDUCED(bitwise_or, call_halves),
    REDUCED(bitwise_xor, call_halves),
    REDUCED(logical_xor, call_halves),
    REDUCED(gcd, call_halves),
    REDUCED(lcm, call_halves),
    REDUCED(hypot, call_halves),
    REDUCED(logaddexp, call_halves),
    REDUCED(subtract, call_fold),
    REDUCED(divide, call_fold),
    SCANNED("add", call_accumulate, sum),
    SCANNED("multiply", call_accumulate, prod),
    SCANNED("maximum", call_accumulate, max),
    SCANNED("minimum", call_accumulate, min),
    SCANNED("logical_and", call_accumulate_truth, min),
    SCANNED("logical_or", call_accumulate_truth, max),
};

TABLE(methods);
