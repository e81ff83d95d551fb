/* Reductions of many segments of an axis: what is of about one length goes together, by its indices, so that there are as many
 * reductions as powers of two, not as segments. Entry point: heddle__expr_segments. */
#include "base/memory.h"
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

#include <math.h>

/* Segments [start, end) of `a` along the axis, none of them empty. */
struct segments {
    heddle_array *a;
    int axis;
    int64_t n;
    const int64_t *start, *end;
    reduce_function *reduce;
};

/* Whether an element that is there twice changes nothing. */
static bool is_idempotent(const struct segments *s)
{
    return s->reduce != heddle_sum_with && s->reduce != heddle_prod_with;
}

/* What changes no sum, or no product, of the array's dtype. */
static heddle_array *identity_of(const struct segments *s)
{
    const char kind = heddle_dtype_kind(heddle_dtype_of(s->a));
    const bool is_sum = s->reduce == heddle_sum_with;
    if (kind == 'B') return heddle_scalar_bool(!is_sum);
    return kind == 'F' ? heddle_scalar_float(is_sum ? -0.0 : 1) : heddle_scalar_int(!is_sum);
}

/* Their reductions along one more axis after s->axis. */
static heddle_array *reduced(const struct segments *s, heddle_array *a)
{
    const struct heddle_reduce_options o = {
        .size = sizeof o, .axis = s->axis + 1, .has_axis = true};
    return s->reduce(a, &o);
}

/* `a` with its axis as n rows of as many elements. */
static heddle_array *in_rows(const struct segments *s, heddle_array *a, int64_t n, int64_t length)
{
    int64_t shape[HEDDLE_MAX_NDIM + 1];
    const int ndim = heddle_ndim(s->a);
    for (int d = 0; d < ndim; d++) shape[d + (d > s->axis)] = heddle_shape(s->a)[d];
    shape[s->axis] = n;
    shape[s->axis + 1] = length;
    return heddle_reshape(a, ndim + 1, shape);
}

/* Those of `members`, of `longest` elements at most. Shorter ones have their last element again, or what changes nothing. NULL: no
 * memory. */
static heddle_array *reduce_members(const struct segments *s, int64_t n, const int64_t *members,
                                    int64_t longest)
{
    const int64_t size = n * longest;
    int64_t *index = heddle__alloc((size_t)size * sizeof *index);
    bool *is_there = heddle__alloc((size_t)size * sizeof *is_there), all = true;
    heddle_array *r = NULL;
    if (index && is_there) {
        for (int64_t i = 0; i < size; i++) {
            const int64_t m = members[i / longest], at = s->start[m] + i % longest;
            is_there[i] = at < s->end[m];
            index[i] = is_there[i] ? at : s->end[m] - 1;
            all &= is_there[i];
        }
        r = in_rows(
            s, heddle_take(s->a, heddle_asarray(index, HEDDLE_INT64, 1, &size), .axis = s->axis), n,
            longest);
        if (!all && !is_idempotent(s)) {
            int64_t shape[HEDDLE_MAX_NDIM];
            for (int d = 0; d <= heddle_ndim(s->a); d++) shape[d] = 1;
            shape[s->axis] = n;
            shape[s->axis + 1] = longest;
            heddle_array *const mask =
                heddle_asarray(is_there, HEDDLE_BOOL, heddle_ndim(s->a) + 1, shape);
            r = heddle_where(mask, r, identity_of(s));
        }
        r = reduced(s, r);
    }
    heddle__free(index);
    heddle__free(is_there);
    return r;
}

/* If they follow each other and have one length: without indices. Else NULL. */
static heddle_array *reduce_rows(const struct segments *s)
{
    const int64_t length = s->end[0] - s->start[0];
    for (int64_t i = 0; i < s->n; i++)
        if (s->start[i] != s->start[0] + i * length || s->end[i] != s->start[i] + length)
            return NULL;
    heddle_array *const all = heddle__expr_slice(s->a, s->axis, s->start[0], s->end[s->n - 1]);
    return reduced(s, in_rows(s, all, s->n, length));
}

static int bits_of(const struct segments *s, int64_t i)
{
    return 64 - __builtin_clzll((uint64_t)(s->end[i] - s->start[i]));
}

/* Segments whose length has so many bits, in their order; at most as many as have MOST elements together. */
static int64_t find_members(const struct segments *s, int bits, int64_t *next, int64_t *members,
                            int64_t *longest)
{
    enum { MOST = 1 << 24 };
    int64_t n = 0;
    *longest = 1;
    for (; *next < s->n; ++*next) {
        if (bits_of(s, *next) != bits) continue;
        const int64_t length = s->end[*next] - s->start[*next];
        const int64_t most = length > *longest ? length : *longest;
        if (n > 0 && (n + 1) * most > MOST) break;
        *longest = most;
        members[n++] = *next;
    }
    return n;
}

heddle_array *heddle__expr_segments(reduce_function *reduce, heddle_array *a, int axis, int64_t n,
                                    const int64_t *start, const int64_t *end)
{
    const struct segments s = {a, axis, n, start, end, reduce};
    heddle_array *r = reduce_rows(&s), *joined = NULL;
    int64_t *members = heddle__alloc((size_t)n * sizeof *members),
            *place = heddle__alloc((size_t)n * sizeof *place), n_reduced = 0;
    bool good = !r && members && place;
    uint64_t there = 0; /* bit b: lengths of b bits */
    for (int64_t i = 0; i < n && good; i++) there |= UINT64_C(1) << bits_of(&s, i);
    for (; there != 0 && good; there &= there - 1) {
        const int bits = __builtin_ctzll(there);
        for (int64_t next = 0, longest, m;
             good && (m = find_members(&s, bits, &next, members, &longest)) > 0;) {
            heddle_array *const some = reduce_members(&s, m, members, longest);
            heddle_array *const both[2] = {joined, some};
            good = some != NULL;
            if (good) joined = joined ? heddle_concat(2, both, axis) : some;
            for (int64_t i = 0; i < m; i++) place[members[i]] = n_reduced++;
        }
    }
    if (good) r = heddle_take(joined, heddle_asarray(place, HEDDLE_INT64, 1, &n), .axis = axis);
    heddle__free(members);
    heddle__free(place);
    return r;
}
