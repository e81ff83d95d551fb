/* Inference: shapes and dtypes of results, and the texts that name them in errors. Pure; makes no
 * nodes. Names of functions are without "heddle_", as in ops.def. */
#ifndef HEDDLE_GRAPH_INFER_H
#define HEDDLE_GRAPH_INFER_H

#include "graph/node.h"

/* The most elements that an array may have. Extents of 0 are left out of the product, so that strides
 * and the bytes of all elements fit in int64_t. */
#define HEDDLE_MAX_SIZE ((int64_t)1 << 58)

struct heddle_shape {
    int ndim;
    int64_t extent[HEDDLE_MAX_NDIM];
};

/* "(3, 4)", "(5,)", "()". */
struct heddle_shape_text {
    char text[176];
};
struct heddle_shape_text heddle__shape_text(int ndim, const int64_t *shape);
/* An argument for %s, which lives until the end of the full expression. */
#define HEDDLE_SHAPE_OF(a) (heddle__shape_text((a)->ndim, (a)->shape).text)

bool heddle__same_shape(int ndim, const int64_t *shape, int other_ndim, const int64_t *other);

/* HEDDLE_EARG, HEDDLE_ESHAPE: wrong number of axes, negative extents, too many elements. */
enum heddle_status heddle__check_shape(const char *name, int ndim, const int64_t *shape);
/* HEDDLE_EDTYPE: it is no dtype. */
enum heddle_status heddle__check_dtype(const char *name, enum heddle_dtype dtype);
/* The same of a conversion: HEDDLE_EDTYPE also if it would drop imaginary parts. */
enum heddle_status heddle__check_cast(const char *name, enum heddle_dtype from,
                                      enum heddle_dtype to);

/* Broadcasts `shape` with another one, in place. False when they do not fit. */
bool heddle__broadcast(struct heddle_shape *shape, int ndim, const int64_t *other);
/* The shape that all operands broadcast to. HEDDLE_ESHAPE. */
enum heddle_status heddle__broadcast_all(const char *name, int n, heddle_array *const operands[],
                                         struct heddle_shape *shape);

/* bool 0, integers 1, floating 2, complex 3. */
int heddle__kind_rank(enum heddle_dtype dtype);
/* The common dtype; weak scalars take the dtype of the others where their kind allows. */
enum heddle_dtype heddle__promote(int n, heddle_array *const operands[]);
/* Whether the dtype can represent the integer; true for dtypes that are not integers. */
bool heddle__int_fits(int64_t value, enum heddle_dtype dtype);
/* Whether x may become an element of the dtype: HEDDLE_EDTYPE of complex numbers for a real one, HEDDLE_ERANGE of a weak
 * integer that the dtype lacks. */
enum heddle_status heddle__check_value(const char *name, const heddle_array *x,
                                       enum heddle_dtype dtype);
/* HEDDLE_ERANGE when the dtype cannot represent a weak integer among the operands. */
enum heddle_status heddle__check_range(const char *name, int n, heddle_array *const operands[],
                                       enum heddle_dtype dtype);

/* "integers and bool": the kinds of `accepts`. Static string. */
const char *heddle__accepts_text(unsigned accepts);

/* The array to return at once when an operand is NULL or in error; NULL when all are good. */
heddle_array *heddle__bad_operand(const char *name, int n, heddle_array *const operands[]);

#endif
