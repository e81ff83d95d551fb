/* What the core knows of a kernel family: a constant in the family's folder, to which its nodes and its
 * kernel calls point. Nothing outside that folder switches on a family. Its number is that of its row in
 * codelets/families.def. */
#ifndef HEDDLE_GRAPH_FAMILY_H
#define HEDDLE_GRAPH_FAMILY_H

#include "graph/infer.h"
#include "graph/node.h"

#include "kernels.h"

struct heddle_planner;
struct heddle_text;

enum {
    HEDDLE_FAMILY_MERGES = 1, /* equal operations on equal operands are one */
    HEDDLE_FAMILY_INLINE = 2, /* small ones may run on the caller's thread: their cost is known */
    HEDDLE_FAMILY_TAKES_GRID = 4, /* it computes its result in any partition that is asked for */
    HEDDLE_FAMILY_IN_PLACE = 8,   /* an update may overwrite its result: nobody else has that */
    HEDDLE_FAMILY_DIRECT = 16,    /* its CUDA kernel may be launched by any thread (src/direct/) */
    HEDDLE_FAMILY_MAY_FAIL = 32,  /* for what its data are; what does not need it must not fail */
    HEDDLE_FAMILY_UPDATES = 64,   /* it may overwrite an input that nobody else has */
};

/* Kinds of devices that a call can run on: bits. */
enum { HEDDLE_ON_CPU = 1, HEDDLE_ON_GPU = 2 };

enum heddle_work_side { HEDDLE_BEFORE, HEDDLE_AFTER };

/* What a node over (a, arrays of indices ...) takes of `a`; these are one less than its inputs. */
struct heddle_at_indices {
    int8_t name;                  /* enum heddle_indexing */
    int8_t axis[HEDDLE_MAX_NDIM]; /* of `a`, that array k indexes */
    int8_t from[HEDDLE_MAX_NDIM]; /* the result's axis that walks axis d of `a`; -1: none */
    int8_t by[HEDDLE_MAX_NDIM]
             [HEDDLE_MAX_NDIM]; /* the one that walks axis d of array k; -1: none */
};

struct heddle_family_info {
    const char *name;
    unsigned flags;
    size_t params_bytes; /* of a node's parameters: plain data without padding, compared by bytes */

    /* ---- Nodes ---- */
    /* Work of a node in bytes moved, to tell what is small: an addition counts as two. */
    double (*work)(const heddle_array *node);
    /* Whether operand i can be read where it is through `map`, from an array of `shape` in C order;
     * NULL: never. Else it is materialised first. */
    bool (*reads_view)(const heddle_array *node, int i, const struct heddle_map *map,
                       const int64_t *shape);
    /* Which elements of its first input those of a node are, so that a program which needs them may read them there itself. NULL, or
     * it gives NULL: they are none, or the family has a better way. */
    const struct heddle_at_indices *(*at_indices)(const heddle_array *node);
    /* Dtype and shape of output i > 0; those of output 0 are the node's. NULL: there is one output. */
    int n_outputs; /* 0 stands for 1 */
    void (*output)(const heddle_array *node, int i, enum heddle_dtype *dtype,
                   struct heddle_shape *shape);
    /* Output i alone, whose others nobody has: a node of one output that takes less, owned. NULL, or it gives NULL: there is none. */
    heddle_array *(*alone)(const heddle_array *node, int i);
    /* What explain shows beside name, dtype and shape; may be NULL. */
    void (*print)(struct heddle_text *text, const heddle_array *node);
    /* Adds the tasks that compute value `at` of the plan in the making, and its arrays, one for each
     * output (plan/build, plan/cut). False when memory is gone. */
    bool (*cut)(struct heddle_planner *p, int32_t at);

    /* ---- Kernel calls; NULL where it says so ---- */
    enum heddle_family id;
    /* What calls of one key take is in proportion to their flops and bytes, so that what one took
     * predicts the next. Made of dtype, size class and the like. NULL: one key for all calls. */
    uint64_t (*cost_key)(const void *arguments);
    /* Bytes of scratch on a CPU team; `n_threads` = 0: on a GPU. NULL: none. */
    size_t (*scratch_bytes)(const void *arguments, int n_threads);
    /* Makes an error of what its kernels report about data (kernels.h), of all arrays that the task writes. NULL: they report
     * nothing. */
    heddle_describe *describe;
    /* Whether elementwise work can be part of a call. AFTER: on what it writes, over the same elements: `launch` reads the call's
     * buffer in place, and may write to the same one. BEFORE: the launch makes what the call reads, each element where the call will
     * write one, in the buffer that it writes. NULL: never. Then `join` makes it so; the launch lives as long as the arguments. */
    bool (*takes)(const void *arguments, const struct heddle_launch *launch,
                  enum heddle_work_side side);
    void (*join)(void *arguments, const struct heddle_launch *launch, enum heddle_work_side side);
    /* The call as a launch over rows, which may be a stage of a chain of programs (codelets/rows.h), with the task's numbers of buffers. The planner may
     * change it; it lives as long as the arguments. NULL, or it gives NULL: never. */
    struct heddle_launch *(*as_launch)(const void *arguments);
    /* Where the call can run, HEDDLE_ON_ bits; NULL: anywhere. */
    unsigned (*devices)(const void *arguments, struct heddle_object *const objects[]);
};

/* What a FAMILY node owns beside its inputs. */
struct heddle_operation {
    const struct heddle_family_info *family;
    /* A reference, or NULL. No part of the plan: nodes that differ in it alone have the same plan. */
    struct heddle_object *object;
    int64_t params[]; /* of family->params_bytes */
};

/* A node of output 0's dtype and shape. It copies the parameters and takes a reference of its own to
 * `object` (may be NULL). Owned; NULL and this thread's error when memory is gone. */
heddle_array *heddle__make_operation(const struct heddle_family_info *family,
                                     enum heddle_dtype dtype, int ndim, const int64_t *shape,
                                     int n_in, heddle_array *const in[], const void *params,
                                     struct heddle_object *object);
/* Dtype and shape of output `i`. */
void heddle__describe_output(const heddle_array *operation, int i, enum heddle_dtype *dtype,
                             struct heddle_shape *shape);
/* Makes an array of each output of an operation that has several; each is owned, and the reference of
 * `operation` moves in. They keep the operation, which keeps all values once one is evaluated. False:
 * none is made. */
bool heddle__make_outputs(heddle_array *operation, heddle_array *outputs[]);

static inline const struct heddle_family_info *heddle__family_of(const heddle_array *a)
{
    return a->operation->family;
}
static inline const void *heddle__params_of(const heddle_array *a)
{
    return a->operation->params;
}
static inline int heddle__n_outputs(const struct heddle_family_info *family)
{
    return family->n_outputs > 1 ? family->n_outputs : 1;
}

#endif
