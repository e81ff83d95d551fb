/* Kernels that users of CuPy write, retold: the rows, and what their oracles are given. */
#ifndef HEDDLE_TESTS_RETOLD_H
#define HEDDLE_TESTS_RETOLD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RETOLD_INPUTS = 6, RETOLD_OUTPUTS = 3 };

/* An array of any dtype: of integers `whole`, of others `re` and `im`. */
struct retold_column {
    int64_t size;
    double *re, *im;
    int64_t *whole;
};

/* What an oracle reads and fills: inputs broadcast to the result, but for raw ones; outputs. */
struct retold_set {
    int64_t n, rows, columns; /* of the result, which is a matrix */
    struct retold_column in[RETOLD_INPUTS], out[RETOLD_OUTPUTS];
};
typedef void retold_oracle(const struct retold_set *s);

/* An input: numbers from `lo` up to `hi`, of NumPy's type character; 'T' is what the row says. */
struct retold_input {
    char type;
    double lo, hi;
    int raw; /* 0: it has the result's shape; -1: it has, and is raw; else so many elements, raw */
    enum { RETOLD_DRAWN, RETOLD_SORTED, RETOLD_NUMBER } order;
};

struct retold {
    const char *name, *in, *out, *operation;
    const char *types; /* what T is, one after the other */
    struct retold_input inputs[RETOLD_INPUTS];
    retold_oracle *oracle;
    double ulp, scale; /* rounding in units of the last place of the value, or of `scale` if that
                              is larger */
    int64_t rows, columns; /* 0: those of the driver, in several orientations */
    const char *preamble;
};

/* Rows by topic, each list ended by one without a name. */
extern const struct retold retold_functions[], retold_models[], retold_integers[], retold_gathers[],
    retold_programs[];

/* Of oracles: the elements of inputs and outputs. */
#define ORACLE(name) static void name(const struct retold_set *s)
#define EACH for (int64_t i = 0; i < s->n; i++)
#define IN(k) s->in[k].re[i]
#define IN_WHOLE(k) s->in[k].whole[i]
#define OUT(k) s->out[k].re[i]
#define OUT_WHOLE(k) s->out[k].whole[i]

#endif
