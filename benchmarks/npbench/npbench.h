/* Programs of NPBench (github.com/spcl/npbench) with Heddle: the same names, sizes, inputs and mathematics, so that
 * NumPy's results and times stand beside Heddle's. A program is a row: its parameters by size, what makes its inputs,
 * and what computes its outputs, a text or a function in C. */
#ifndef NPBENCH_H
#define NPBENCH_H

#include <heddle.h>
#include <heddle/must.h>

enum npb_size { NPB_TEST, NPB_S, NPB_M, NPB_L, NPB_PAPER, NPB_SIZES };
enum { NPB_ROOM = 32, NPB_PARAMETERS = 8, NPB_INPUTS = 9, NPB_OUTPUTS = 4 };

/* Arrays and numbers by their names. */
struct npb_values {
    int n;
    struct heddle_binding at[NPB_ROOM];
};

/* An input of random numbers, those that numpy.random.default_rng(42) draws, in the order of the rows. */
struct npb_draw {
    const char *name, *shape; /* its extents, of parameters: "I + 4, K" */
    enum heddle_dtype dtype;  /* HEDDLE_FLOAT64 or HEDDLE_FLOAT32 */
    int restart;              /* of a generator that is seeded again */
};

/* Computes the outputs, which become the caller's. They may still be lazy. */
typedef void npb_function(const struct npb_values *values, heddle_array **outputs);

struct npb_program {
    const char *name; /* of its folder in the suite */
    const char *parameters[NPB_PARAMETERS];
    double sizes[NPB_SIZES][NPB_PARAMETERS];
    struct npb_draw draws[NPB_INPUTS];
    const char *make; /* a text that makes the inputs, of parameters and draws */
    const char *inputs[NPB_INPUTS];
    const char *outputs[NPB_OUTPUTS];
    const char *text; /* that computes them, or */
    npb_function *compute;
};

/* A list of programs of one field; the name of the last row is NULL. */
extern const struct npb_program npb_products[], npb_symmetric[], npb_statistics[],
    npb_elementwise[], npb_learning[], npb_stencils[], npb_flows[], npb_solvers[], npb_others[];

/* Parameters and inputs of a program, computed; to be released with npb_forget. */
struct npb_values npb_prepare(const struct npb_program *program, enum npb_size size);
void npb_forget(struct npb_values *values);

/* The outputs, recorded; the caller's. */
void npb_record(const struct npb_program *program, const struct npb_values *values,
                heddle_array **outputs);

heddle_array *npb_array(const struct npb_values *values, const char *name);
double npb_number(const struct npb_values *values, const char *name);
int npb_count(const char *const *names, int room); /* of a list that NULL ends, or its room */

/* Adds an array, which npb_forget releases; npb_set replaces the one that has the name, if there is one. */
void npb_bind(struct npb_values *values, const char *name, heddle_array *array);
void npb_set(struct npb_values *values, const char *name, heddle_array *array);

/* A copy that has references of its own, for a computation that changes values; to be released with npb_forget. */
struct npb_values npb_keep(const struct npb_values *values);

/* One step of an iteration: the text gives the named arrays new values, which are evaluated. */
void npb_advance(struct npb_values *values, const char *text, int n, const char *const *names);

/* Outputs by their names; the caller's. */
void npb_take(const struct npb_values *values, heddle_array **outputs, int n,
              const char *const *names);

/* Two arguments: how many names, and the names. */
#define NPB_NAMES(...)                                                                             \
    (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *[])                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* Fills `out` with n numbers of the generator, as NumPy's random() does. */
struct npb_generator {
    unsigned long long high, low; /* the state, of 128 bits */
    int has_half;                 /* a draw of 32 bits left the other half */
    unsigned half;
};
void npb_seed_42(struct npb_generator *generator);
void npb_draw_doubles(struct npb_generator *generator, long long n, double *out);
void npb_draw_floats(struct npb_generator *generator, long long n, float *out);

/* Of an output: its elements, the sum of their absolute values, and the sum of each times a weight in -0.5 .. 0.5 that
 * depends on its place: frac(i * golden ratio) - 0.5. A complex number is two elements. */
struct npb_sums {
    double count, absolute, weighted;
};
struct npb_sums npb_sums_of(heddle_array *output);

/* Compares the outputs with the lines of a file that `run --record` made from NumPy's results; prints what differs.
 * Returns how many do, or have no line. */
int npb_compare(const char *path, const struct npb_program *program, const char *size,
                heddle_array *const *outputs);

#endif
