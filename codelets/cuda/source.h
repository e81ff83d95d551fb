/* CUDA C++ source from a program and the class of a layout. Pure C, no device. */
#ifndef HEDDLE_CUDA_SOURCE_H
#define HEDDLE_CUDA_SOURCE_H

#include "cuda/layout.h"
#include "base/text.h"

/* The text that all sources include as "heddle.cuh": the device headers that CMakeLists.txt lists. */
extern const char heddle__cuda_prelude[];

/* Names of the kernels in a source; both take one struct of parameter slots. */
#define HEDDLE_KERNEL_MAIN "heddle_main"     /* map, or reduce chunks; class.form */
#define HEDDLE_KERNEL_FINISH "heddle_finish" /* reduce partials; class.finish, unless joined */

/* The head of HEDDLE_KERNEL_MAIN where blocks have 256 threads. */
#define HEDDLE_KERNEL_HEAD                                                                         \
    "extern \"C\" __global__ void __launch_bounds__(256)\n" HEDDLE_KERNEL_MAIN                     \
    "(const __grid_constant__ hd_args args)\n{\n"

/* Around loops that compute values which share a check; a condition under which they may be quick, see quick.cuh. */
#define HEDDLE_COMPUTE_BEGIN "hd_compute(%s, [&](auto &quick) {\n"
#define HEDDLE_COMPUTE_END "});\n"

/* NULL when memory is gone; free with heddle__free. */
char *heddle__cuda_class_source(const struct heddle_program *p, const struct heddle_cuda_class *c);

/* ---- shared by source.c and the sources of reductions ---------------------------------------- */

struct heddle_source {
    struct heddle_text *text;
    const struct heddle_program *p;
    const struct heddle_cuda_class *c;
    int in_chunk; /* sums of small integers have 32 bits there: no chunk has so many */
};

/* "double"-like name of a dtype in a source: hd_float64. */
const char *heddle__source_type(unsigned dtype);

/* Whether `n` elements of operand k that lie together are small ones in whole words: an hd_packed. */
int heddle__source_packs(const struct heddle_source *s, int k, int n);

/* Value v<i> of instruction i. `load` and `index` say how its element of operand k is named: formats
 * with k, or with the merged axis. `reduced` formats the result of reduction r. */
struct heddle_source_names {
    void (*load)(const struct heddle_source *s, int operand);
    void (*index)(const struct heddle_source *s, int axis); /* merged axis */
    int in_compute;   /* within hd_compute: operations that can be quick have its `quick` */
    const char *live; /* whether the element exists, or is one beyond an edge; NULL: it does */
    int only_good;    /* bad indices are not noted: `good` becomes false */
};
void heddle__source_instr(const struct heddle_source *s, int i,
                          const struct heddle_source_names *names);
/* Replaces x, y and z in an expression by a, b and c. */
void heddle__source_expression(const struct heddle_source *s, const char *expression, const char *a,
                               const char *b, const char *c);
/* Whether values of the instructions 0..n-1 are for hd_compute (quick.cuh): some are quotients, roots or exp, and the others
 * bear being in a kernel twice. */
int heddle__source_is_quick(const struct heddle_program *p, int n);
/* Whether some of these are of float64, in arithmetic that takes longer than memory does. */
int heddle__source_has_quick_doubles(const struct heddle_program *p, int n);
/* Which operands a map loads. */
void heddle__source_loaded(const struct heddle_program *p, uint8_t loaded[HEDDLE_MAX_OPERANDS]);
/* Declares operand pointers p<k>, constants c<k>, and `bad`, if indices are checked. */
void heddle__source_operands(const struct heddle_source *s);
/* c<k>, and d<k> if integers are divided by it, from args.v[slot]. */
void heddle__source_constant(const struct heddle_source *s, int k, int slot);
/* Takes `from` apart into indices <prefix><first>..: over the merged axes first..first+n-1. `suffix`
 * follows each name, as "[u]"; `declare` precedes the first assignment to each, as "const I ". */
void heddle__source_indices(const struct heddle_source *s, const char *from, int first, int n,
                            const char *prefix, const char *suffix, const char *declare);
void heddle__source_map(const struct heddle_source *s);
void heddle__source_reduction(const struct heddle_source *s);

#endif
