/* Numbers as NumPy writes them: scalars in all their digits, and the columns of an array in a
 * common format. The locale does not matter. */
#ifndef HEDDLE_EXPLAIN_FORMAT_NUMBER_H
#define HEDDLE_EXPLAIN_FORMAT_NUMBER_H

#include <heddle/dtype.h>
#include <stdbool.h>
#include <stdint.h>

enum { HEDDLE_FORMAT_MAX = 64 }; /* bytes of a number, with padding and the terminating zero */

/* NumPy's FloatingFormat: precision 8, shortest digits. */
struct heddle__float_format {
    enum heddle_dtype dtype; /* of the values, real */
    bool plus;               /* positive numbers have a sign, too */
    bool exponential;        /* 1.5e+03 */
    int pad_left;            /* columns before the point */
    int pad_right;           /* columns after it */
    int precision;           /* exponential: digits after the point */
    int exponent_size;
};

/* The format for values[0], values[stride], ... */
struct heddle__float_format heddle__float_format(const double *values, int64_t n, int64_t stride,
                                                 enum heddle_dtype dtype, bool plus);
/* Writes a value in it; returns its length. */
int heddle__float_write(const struct heddle__float_format *f, double x, char *out);

/* str(numpy.float64(x)): the shortest digits that read back as x, a number of that real dtype. `point`: "1.0", else "1". */
int heddle__float_shortest(double x, enum heddle_dtype dtype, bool point, bool plus, char *out);

#endif
