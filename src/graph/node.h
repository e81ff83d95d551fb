/* A node is the array that the user holds: one recorded operation, a constant, data, or an error.
 * Nodes are immutable but for transitions under the evaluation lock: an operation becomes data once it
 * is evaluated (it drops its inputs), or an error. */
#ifndef HEDDLE_GRAPH_NODE_H
#define HEDDLE_GRAPH_NODE_H

#include "array/map.h"
#include "base/error.h"

#include "program.h"
#include <heddle/distribute.h>
#include <stdatomic.h>

struct heddle_storage;   /* array/storage.h */
struct heddle_grid;      /* array/grid.h */
struct heddle_operation; /* graph/family.h */
struct heddle_family_info;

enum heddle_node_kind {
    HEDDLE_NODE_ERROR,
    HEDDLE_NODE_DATA,     /* storage: computed, being computed, or the user's */
    HEDDLE_NODE_CONSTANT, /* every element is `value` */
    HEDDLE_NODE_INDEX,    /* int64 index along axis 0 (1-d): arange, linspace, eye build on it */
    HEDDLE_NODE_MAP,      /* elementwise: op over inputs of one shape (views broadcast them) */
    HEDDLE_NODE_CAST,
    HEDDLE_NODE_VIEW,       /* access map of in[0] */
    HEDDLE_NODE_RESHAPE,    /* in[0]'s elements in C order */
    HEDDLE_NODE_REDUCE,     /* op (heddle_reduction) over the axes in `axes`, which are removed */
    HEDDLE_NODE_ASSEMBLE,   /* in[i], i > 0, in disjoint boxes over in[0] (NULL: they cover all) */
    HEDDLE_NODE_DISTRIBUTE, /* in[0] as it is, cut and placed by `grid` */
    HEDDLE_NODE_FAMILY,     /* an operation of a kernel family: `operation` says which */
    HEDDLE_NODE_OUTPUT,     /* output `op` of in[0]: a FAMILY that has several, or a TUPLE */
    HEDDLE_NODE_TUPLE,      /* all outputs of such a FAMILY, computed or being computed */
};

/* Where input i of an ASSEMBLE goes: its element j along axis d to start[d] + j * step[d]. */
struct heddle_landing {
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM];
};

struct heddle_node_error {
    enum heddle_status code;
    char text[HEDDLE_ERROR_TEXT_MAX];
};

struct heddle_array {
    atomic_int refs;
    _Atomic uint8_t kind; /* enum heddle_node_kind; may become DATA or ERROR at any time */
    uint8_t op;           /* MAP: enum heddle_op; REDUCE: enum heddle_reduction; OUTPUT: which */
    uint8_t dtype;        /* of the value */
    uint8_t in_dtype;     /* MAP, REDUCE: of the operands, after conversion */
    uint8_t ndim;
    bool weak; /* a scalar that takes the dtype of the other operand */
    uint8_t
        axes; /* REDUCE: bit d: axis d of in[0] is reduced; ASSEMBLE: work on it is taken apart there (stacks.h) */
    bool
        of_ranks; /* ASSEMBLE: who reads one part of it reads that part, and computes it for itself (families/sort) */
    int32_t n_in;
    int32_t walked;    /* under the evaluation lock: by how many walks, */
    int32_t mark_slot; /* the position in one, */
    uint64_t mark;     /* if this is that walk's number */
    int64_t size;      /* elements */
    int64_t shape[HEDDLE_MAX_NDIM];
    heddle_array **in; /* in_own, or allocated if there are more than three */
    heddle_array *in_own[3];
    union heddle_scalar value; /* CONSTANT, in `dtype`; it stays when the node becomes DATA */
    union {
        struct heddle_map *map;             /* VIEW: owned */
        struct heddle_landing *landings;    /* ASSEMBLE: owned, [n_in], [0] unused */
        struct heddle_storage *storage;     /* DATA: a reference */
        struct heddle_storage **storages;   /* TUPLE: owned, a reference each, NULL at the end */
        struct heddle_grid *grid;           /* DISTRIBUTE: a reference */
        struct heddle_operation *operation; /* FAMILY: owned */
        struct heddle_node_error *error;    /* ERROR: owned; NULL when there was no memory for it */
    };
    heddle_array *next; /* in the pool, or in the list of nodes to release */
};

/* ---- Making ------------------------------------------------------------------------------------- */

/* A bare node: refs 1, no inputs; NULL when memory is gone. Finish with heddle__adopt. */
heddle_array *heddle__node_new(enum heddle_node_kind kind, enum heddle_dtype dtype, int ndim,
                               const int64_t *shape);
/* Retains `inputs`, of which the first may be NULL. False when memory is gone. */
bool heddle__node_inputs(heddle_array *node, int n, heddle_array *const inputs[]);

/* Hands an owned reference to the innermost open scope of this thread, if there is one. Returns
 * `a`, or the static out-of-memory array when `a` is NULL. */
heddle_array *heddle__adopt(heddle_array *a);

/* An adopted array in the error state; also sets this thread's last error. */
heddle_array *heddle__error_array(enum heddle_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same with this thread's last error, set by heddle__fail. */
heddle_array *heddle__error_last(void);
/* The out-of-memory array: static, never freed. */
heddle_array *heddle__error_memory(void);
/* The payload of an error; NULL when memory is gone. */
struct heddle_node_error *heddle__error_new(enum heddle_status code, const char *text);

/* An adopted array over `storage`, whose reference it takes over, also when it fails. */
heddle_array *heddle__node_data(struct heddle_storage *storage, enum heddle_dtype dtype, int ndim,
                                const int64_t *shape);

/* ---- Life ------------------------------------------------------------------------------------- */

heddle_array *heddle__retain(heddle_array *a);
/* heddle_release without the scope; iterative. */
void heddle__release(heddle_array *a);

/* The input of an ASSEMBLE that has all elements of the region, side by side, none of which a later one has, retained, with its
 * landing; not data that the others are written over, for which it may be its last use. NULL: there is none, or `a` is not, or no longer, of that kind. */
heddle_array *heddle__node_part(heddle_array *a, const struct heddle_box *region,
                                struct heddle_landing *landing);
/* The boxes of what an ASSEMBLE puts together, in order, without its base. The number of them; 0: there are more than `most`, one has
 * gaps, or `a` is not, or no longer, of that kind. */
int heddle__node_parts(heddle_array *a, int most, struct heddle_box boxes[]);
/* The source of a VIEW, retained, with its map, or of a RESHAPE (which leaves `map` alone). NULL when
 * `a` is not, or no longer, of that kind. This, heddle__node_part, heddle__node_parts, heddle__node_operands, heddle__node_inputs_of and heddle__node_has_data are the
 * ways to look at a node's inputs without the evaluation lock. */
heddle_array *heddle__node_source(heddle_array *a, enum heddle_node_kind kind,
                                  struct heddle_map *map);
/* The inputs of a MAP or a CAST, retained; how many. 0: `a` is not, or no longer, one. */
int heddle__node_operands(heddle_array *a, heddle_array *in[3]);
/* The inputs of a FAMILY of one to three, retained; how many. 0: `a` is not, or no longer, one of that family. */
int heddle__node_inputs_of(heddle_array *a, const struct heddle_family_info *family,
                           heddle_array *in[3]);
/* Whether `a` is DATA, or an OUTPUT of a TUPLE, which becomes DATA once it is asked for. Without the
 * evaluation lock, too. */
bool heddle__node_has_data(const heddle_array *a);

/* The storage of DATA, or of an OUTPUT of a TUPLE: a reference; NULL: it is neither. Without the evaluation
 * lock, too. */
struct heddle_storage *heddle__node_storage(const heddle_array *a);

/* Transitions, under the evaluation lock. All drop the inputs and take over references of storages. */
void heddle__node_become_data(heddle_array *a, struct heddle_storage *storage);
/* `storages` is allocated by heddle__alloc, ends with NULL, and moves in. */
void heddle__node_become_tuple(heddle_array *a, struct heddle_storage **storages);
/* An OUTPUT of a TUPLE becomes DATA; any other node stays as it is. */
void heddle__node_settle_output(heddle_array *a);
/* An OUTPUT of a FAMILY whose other outputs nobody has becomes what its family has for that one alone, if it has. */
void heddle__node_narrow_output(heddle_array *a);
void heddle__node_become_error(heddle_array *a, enum heddle_status code, const char *text);

int64_t heddle__nodes_live(void);
/* For tests: false makes every node an allocation of its own, freed at once; empties the pools of
 * this thread and the process. */
void heddle__node_pooling(bool on);

#endif
