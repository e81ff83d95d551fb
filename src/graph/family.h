/* What the core knows of a kernel family, a row each: a constant in the family's folder, to which its
 * nodes and its kernel calls point. Nothing outside that folder switches on a family. A family of
 * operations that are cut into programs alone has no kernels and no number. */
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
    HEDDLE_FAMILY_TAKES_GRID =
        4,                      /* its result can be computed in any partition that is asked for */
    HEDDLE_FAMILY_IN_PLACE = 8, /* an update may be made in its result: nobody else sees that */
    HEDDLE_FAMILY_MAY_FAIL =
        32, /* for what its data are: nothing that does not need it may fail so */
    HEDDLE_FAMILY_DIRECT = 16, /* its CUDA kernel may be launched by any thread (src/direct/) */
};

/* Kinds of devices that a call can run on. */
enum { HEDDLE_ON_CPU = 1, HEDDLE_ON_GPU = 2 };

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
    /* Dtype and shape of output i > 0; output 0 is the node's own. NULL: there is one. */
    int n_outputs; /* 0 is 1 */
    void (*output)(const heddle_array *node, int i, enum heddle_dtype *dtype,
                   struct heddle_shape *shape);
    /* What explain shows beside name, dtype and shape; may be NULL. */
    void (*print)(struct heddle_text *text, const heddle_array *node);
    /* Tasks that compute the value `at` of the plan in the making: makes its arrays, one an output
     * (plan/build, plan/cut). False when memory is gone. */
    bool (*cut)(struct heddle_planner *p, int32_t at);

    /* ---- Kernel calls; NULL where it says so ---- */
    enum heddle_family id;
    /* Calls of one key take times in proportion to their flops and bytes: what one took tells of the
     * next. Of dtype and size class. NULL: one key for all. */
    uint64_t (*cost_key)(const void *arguments);
    /* Bytes of scratch on a CPU team; `n_threads` = 0: on a GPU. NULL: none. */
    size_t (*scratch_bytes)(const void *arguments, int n_threads);
    /* NULL: its kernels report nothing about data (kernels.h). Who reports writes one array a task. */
    heddle_describe *describe;
    /* Where the call can run, HEDDLE_ON_ bits; NULL: anywhere. */
    unsigned (*devices)(const void *arguments, struct heddle_object *const objects[]);
};

/* What a FAMILY node owns beside its inputs. */
struct heddle_operation {
    const struct heddle_family_info *family;
    struct heddle_object
        *object;      /* a reference, or NULL; no part of the plan: two nodes that differ
                                     in it alone have the same plan */
    int64_t params[]; /* of family->params_bytes */
};

/* A node of output 0's dtype and shape; parameters are copied, a reference of `object` (may be NULL)
 * is taken. Owned; NULL and this thread's error when memory is gone. */
heddle_array *heddle__make_operation(const struct heddle_family_info *family,
                                     enum heddle_dtype dtype, int ndim, const int64_t *shape,
                                     int n_in, heddle_array *const in[], const void *params,
                                     struct heddle_object *object);
/* The outputs of an operation that has several, whose reference moves in: each owned. They keep the
 * operation, which keeps all of them once one is evaluated. False: none is made. */
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
