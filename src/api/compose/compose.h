/* What functions that are made of others share: parts of an axis, reductions over axes as masks, numbers of a
 * dtype. All give arrays of the innermost scope, in error if an argument is; the caller opens a scope. */
#ifndef HEDDLE_API_COMPOSE_H
#define HEDDLE_API_COMPOSE_H

#include "graph/axes.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/assemble.h>
#include <heddle/elementwise.h>
#include <heddle/index.h>
#include <heddle/manipulate.h>
#include <heddle/reduce.h>

typedef heddle_array *heddle__reduction(heddle_array *, const struct heddle_reduce_options *);

/* Elements [from, to) along an axis, both within it; element i, without the axis. */
heddle_array *heddle__slice(heddle_array *a, int axis, int64_t from, int64_t to);
heddle_array *heddle__item(heddle_array *a, int axis, int64_t i);
/* Moved on by shift[d] along each axis d, what is at the end comes round: one array that is assembled of views. */
heddle_array *heddle__rolled(heddle_array *a, const int64_t *shift);
/* Moves the axis to another place. */
heddle_array *heddle__move(heddle_array *a, int from, int to);
/* re + im * 1j, of finite numbers. */
heddle_array *heddle__complex(heddle_array *re, heddle_array *im);
/* A shape with one extent replaced. */
struct heddle_shape heddle__with_extent(const heddle_array *a, int axis, int64_t extent);
/* All elements, as one axis. */
heddle_array *heddle__flat(heddle_array *a);
/* 0, 1, ... along axis `axis` of `ndim`; the others have extent 1. */
heddle_array *heddle__index_along(int64_t extent, int axis, int ndim);
/* A 0-d integer of that dtype: where a weak one would change a bool. */
heddle_array *heddle__constant(int64_t value, enum heddle_dtype dtype);
/* An array of zeros. */
heddle_array *heddle__zeros(enum heddle_dtype dtype, const struct heddle_shape *shape);
/* Reduces the axes of `mask`. */
heddle_array *heddle__reduce_mask(heddle__reduction *f, heddle_array *a, unsigned mask,
                                  bool keepdims, enum heddle_dtype dtype);
/* How many elements of `a` make one of the result. */
double heddle__reduced_count(const heddle_array *a, unsigned mask);
/* The dtype in which a mean is taken: the array's, or float64 of integers. */
enum heddle_dtype heddle__mean_dtype(const heddle_array *a);
/* Options of one axis; HEDDLE_EAXIS. `otherwise`: the axis if none is named. */
enum heddle_status heddle__along(const char *name, const void *options, int otherwise,
                                 const heddle_array *a, int *axis);
/* The array, and the axis that the options name; without one all elements, as one axis. Or an error. */
heddle_array *heddle__named_axis(const char *name, heddle_array *a,
                                 const struct heddle_along_options *options, int *axis,
                                 bool *given);
/* What a bad operand is, as a status, with its message set. */
enum heddle_status heddle__failed(heddle_array *bad);
/* Leaves the scope and hands result i to *out[i], unless out[i] is NULL; if one is in error, that is the status and
 * none is handed on. */
enum heddle_status heddle__leave_with(struct heddle_scope_state *scope, int n,
                                      heddle_array *const results[], heddle_array **const out[]);
/* The array to return at once, with the status of its error, when an operand or the list is bad; NULL. */
heddle_array *heddle__bad_list(const char *name, int n, heddle_array *const arrays[]);

#endif
