/* Indexing, as NumPy's: integers, slices with any step, ellipsis, newaxis, arrays of integers, masks.
 *
 *     a[1:-1, ::2]    heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_STEP(2)))
 *     a[0, ..., None] heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(0), HEDDLE_ELLIPSIS, HEDDLE_NEWAXIS))
 *     a[i, :, j]      heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(i), HEDDLE_ALL, HEDDLE_BY(j)))
 *     a[a > 0]        heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(heddle_greater(a, heddle_scalar(0)))))
 *
 * Arrays of integers are broadcast together. Their axes stand where those were that they index, if these and what
 * integers index are next to each other, else in front. A mask, an array of bool, stands for as many arrays as it has
 * axes: its heddle_nonzero. An index that is out of range makes the result an error, HEDDLE_EINDEX, which shows when it
 * is evaluated.
 *
 * How many elements a mask selects is part of the result's shape: a[mask] evaluates the mask when it is called. */
#ifndef HEDDLE_INDEX_H
#define HEDDLE_INDEX_H

#include <heddle/array.h>
#include <heddle/list.h>

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_index_kind {
    HEDDLE_INDEX_SLICE, /* a zeroed index is `:` */
    HEDDLE_INDEX_INT,
    HEDDLE_INDEX_ELLIPSIS,
    HEDDLE_INDEX_NEWAXIS,
    HEDDLE_INDEX_ARRAY,
};

/* One index. Python's rules: negative numbers count from the end, slices are clamped. */
struct heddle_index {
    enum heddle_index_kind kind;
    bool has_start, has_stop; /* false: from, or to, the end that the step's sign says */
    int64_t start;            /* slice start, or the integer */
    int64_t stop;
    int64_t step; /* 0 means 1 */
    heddle_array *by; /* of HEDDLE_INDEX_ARRAY; borrowed for the call */
};

#ifndef __cplusplus
#define HEDDLE_AT(i)                                                                               \
    { .kind = HEDDLE_INDEX_INT, .start = (i) }
#define HEDDLE_ALL                                                                                 \
    { .kind = HEDDLE_INDEX_SLICE }
#define HEDDLE_SLICE(from, to)                                                                     \
    { .has_start = true, .start = (from), .has_stop = true, .stop = (to) }
#define HEDDLE_SLICE_STEP(from, to, by)                                                            \
    { .has_start = true, .start = (from), .has_stop = true, .stop = (to), .step = (by) }
#define HEDDLE_FROM(from)                                                                          \
    { .has_start = true, .start = (from) }
#define HEDDLE_TO(to)                                                                              \
    { .has_stop = true, .stop = (to) }
#define HEDDLE_STEP(by)                                                                            \
    { .step = (by) }
#define HEDDLE_ELLIPSIS                                                                            \
    { .kind = HEDDLE_INDEX_ELLIPSIS }
#define HEDDLE_NEWAXIS                                                                             \
    { .kind = HEDDLE_INDEX_NEWAXIS }
#define HEDDLE_BY(indices)                                                                         \
    { .kind = HEDDLE_INDEX_ARRAY, .by = (indices) }
#else
#define HEDDLE_AT(i) (heddle_index{HEDDLE_INDEX_INT, false, false, (i), 0, 0, nullptr})
#define HEDDLE_ALL (heddle_index{HEDDLE_INDEX_SLICE, false, false, 0, 0, 0, nullptr})
#define HEDDLE_SLICE(from, to)                                                                     \
    (heddle_index{HEDDLE_INDEX_SLICE, true, true, (from), (to), 0, nullptr})
#define HEDDLE_SLICE_STEP(from, to, by)                                                            \
    (heddle_index{HEDDLE_INDEX_SLICE, true, true, (from), (to), (by), nullptr})
#define HEDDLE_FROM(from)                                                                          \
    (heddle_index{HEDDLE_INDEX_SLICE, true, false, (from), 0, 0, nullptr})
#define HEDDLE_TO(to) (heddle_index{HEDDLE_INDEX_SLICE, false, true, 0, (to), 0, nullptr})
#define HEDDLE_STEP(by) (heddle_index{HEDDLE_INDEX_SLICE, false, false, 0, 0, (by), nullptr})
#define HEDDLE_ELLIPSIS (heddle_index{HEDDLE_INDEX_ELLIPSIS, false, false, 0, 0, 0, nullptr})
#define HEDDLE_NEWAXIS (heddle_index{HEDDLE_INDEX_NEWAXIS, false, false, 0, 0, 0, nullptr})
#define HEDDLE_BY(indices) (heddle_index{HEDDLE_INDEX_ARRAY, false, false, 0, 0, 0, (indices)})
#endif
#define HEDDLE_INDEX(...) HEDDLE_LIST_(struct heddle_index, __VA_ARGS__)

/** a[index...]. Missing trailing indices are `:`. Without arrays it is an access map: costs nothing and fuses.
 *  Errors: HEDDLE_EINDEX integer out of range, too many indices, or a mask of another shape (extents of 0 fit); HEDDLE_EARG step or two
 *  ellipses; HEDDLE_EDTYPE an array of neither integers nor bool; HEDDLE_ESHAPE more than HEDDLE_MAX_NDIM axes, or
 *  arrays that do not broadcast. */
HEDDLE_API heddle_array *heddle_getitem(heddle_array *a, int n, const struct heddle_index *index);

/** A new array: `a` with a[index...] = value, which broadcasts and is converted to a's dtype as
 *  astype does. `a` itself does not change; but if nobody can see it any more when the result is
 *  evaluated, and `value` reads nothing of it that is set but element by element, that is made in its storage (without
 *  arrays among the indices).
 *  An element that arrays of indices name more than once gets the last value, in C order of the selection. a[mask] = value
 *  is lazy, a choice as heddle_where, unless the value has an element for each that is selected: then the mask is evaluated.
 *  Errors: as heddle_getitem; HEDDLE_ESHAPE value does not broadcast; HEDDLE_EDTYPE value of a
 *  higher kind (complex into real). Cost: fuses with the expression that makes the value; else than
 *  in place, the elements outside a slice of step 1 are copied, all of `a` for other steps and for arrays. */
HEDDLE_API heddle_array *heddle_set_item(heddle_array *a, int n, const struct heddle_index *index,
                                         heddle_array *value);

#ifdef __cplusplus
}
#endif

#endif
