/* Distribution: where the parts of an array live. Nothing here is needed to use every processor:
 * an array without a distribution is cut, placed and balanced by Heddle. */
#ifndef HEDDLE_DISTRIBUTE_H
#define HEDDLE_DISTRIBUTE_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Places ---------------------------------------------------------------------------------- */

/* A processor with its memory: a CPU team or a GPU. */
typedef int32_t heddle_place;
#define HEDDLE_ANYWHERE 0 /* Heddle decides, task by task */

/** The i-th CPU team (one a NUMA domain, or heddle_config.cpu_workers), and the GPU with CUDA's
 *  number i: "cpu:i" and "gpu:i" of heddle_devices. That there is one is checked when an array is
 *  distributed to it. */
HEDDLE_API heddle_place heddle_cpu(int i);
HEDDLE_API heddle_place heddle_gpu(int i);

/** Starts the runtime and gives the number of CPU teams, of GPUs in use. */
HEDDLE_API enum heddle_status heddle_count_places(int *n_cpus, int *n_gpus);

enum { HEDDLE_PLACE_NAME_MAX = 16 };
/** "cpu:0", "gpu:3", "anywhere". Returns `name`. */
HEDDLE_API const char *heddle_place_name(heddle_place place, char name[HEDDLE_PLACE_NAME_MAX]);

/* ---- Distributions --------------------------------------------------------------------------- */

/* How one axis of extent N is cut. Intervals may be empty. */
enum heddle_cut_kind {
    HEDDLE_CUT_WHOLE,  /* not at all */
    HEDDLE_CUT_PARTS,  /* n near-equal intervals, the longer ones first; n = 0: one a place,
                          or one for each of grid[axis] */
    HEDDLE_CUT_SIZES,  /* n intervals of values[i] indices, which add up to N */
    HEDDLE_CUT_BOUNDS, /* n intervals that end at values[0] <= ... <= values[n - 1] = N */
    HEDDLE_CUT_BLOCKS, /* intervals of n indices, the last may be shorter; n = 1: cyclic */
    HEDDLE_CUT_COLORS, /* index i has color values[i] in 0..n-1, N of them: an interval is a run of
                          one color, and lives where the color does */
};

struct heddle_cut {
    enum heddle_cut_kind kind;
    int64_t n;
    const int64_t *values;
};

/* Elements of its neighbours that views of a part, and functions over parts, see along an axis;
 * clipped at the ends of the array. What parts there are, and what each stores, does not change. */
struct heddle_overlap {
    int64_t before, after;
};

/* How an array is cut and where its parts live. A plain value: pointers are read during the call
 * that takes it. The parts are those of the grid that the cuts of all axes make, in row-major order.
 * Part i lives at places[i % n_places]: with more parts than places, block-cyclically.
 * Where the places are a grid, interval i of axis k lives at coordinate i % grid[k] of it: blocks along
 * two axes, and a grid of 2 x 2 places, are ScaLAPACK's block-cyclic layout.
 * Where an axis is colored, colors stand for intervals: a part lives at places[color % n_places];
 * with several such axes and no `grid`, at that of its combination of colors, row-major.
 * n_places = 0: anywhere. All zero: Heddle decides. */
struct heddle_distribution {
    size_t size; /* sizeof, or 0: call.h */
    struct heddle_cut cut[HEDDLE_MAX_NDIM];
    int n_places;
    const heddle_place *places;
    int grid[HEDDLE_MAX_NDIM]; /* the places as a row-major grid: so many along each axis, 0 is 1;
                                  all 0: they are a list */
    struct heddle_overlap overlap[HEDDLE_MAX_NDIM];
};

/* The fields of a list of places: {.cut[0] = {HEDDLE_CUT_PARTS, 4}, HEDDLE_PLACES(heddle_gpu(0))}. Not
 * in C++, where the list would be gone before the struct is used. */
#ifndef __cplusplus
#define HEDDLE_PLACES(...)                                                                         \
    .n_places = (int)(sizeof((const heddle_place[]){__VA_ARGS__}) / sizeof(heddle_place)),         \
    .places = (const heddle_place[]){__VA_ARGS__}
#endif

/** `a` with that distribution, whatever its own was: the values are the same. Lazy; each byte moves
 *  at most once, from device to device where they can, and what is already in its place does not.
 *  Repeated redistributions of equal shape use one plan. NULL: Heddle decides.
 *  Errors: HEDDLE_EARG (sizes that do not add up, a place that is not there, more than 65536 parts),
 *  HEDDLE_ENOMEM. Starts the runtime when a place is named. */
HEDDLE_API heddle_array *heddle_distribute(heddle_array *a,
                                           const struct heddle_distribution *distribution);
/** The whole of `a` in one part at `place`. */
HEDDLE_API heddle_array *heddle_to(heddle_array *a, heddle_place place);
/** `a` cut and placed as `like`, of equal shape, is; evaluates `like`. */
HEDDLE_API heddle_array *heddle_distribute_like(heddle_array *a, heddle_array *like);

/* ---- Arrays from parts ------------------------------------------------------------------------- */

/* One part in memory of the caller's, in C order. */
struct heddle_part_source {
    void *data;         /* host memory, or memory of the GPU `place` */
    heddle_place place; /* a GPU: `data` is there; else it is host memory and this is a wish */
    int64_t extent;     /* along the axis that joins the parts */
    void (*deleter)(void *user); /* as for heddle_asarray; may be NULL */
    void *user;
};

/** The array that `n` parts make when they are joined along `axis`; `shape` is that of the whole.
 *  The memory is used in place, without a copy, and must stay valid and unchanged until the part's
 *  deleter is called. The deleters are called also when the call fails. Memory of a GPU must be
 *  complete (no work pending on it) and have been allocated after heddle_start: the first start on a
 *  machine measures its links, for which StarPU resets the GPUs.
 *  Errors: HEDDLE_EARG (NULL data, a place that is not there), HEDDLE_ESHAPE (extents that do not
 *  add up to shape[axis]), HEDDLE_EDTYPE, HEDDLE_ENOMEM. */
HEDDLE_API heddle_array *heddle_from_parts(int n, const struct heddle_part_source *parts, int axis,
                                           enum heddle_dtype dtype, int ndim,
                                           const int64_t *shape);

/* ---- Queries: they evaluate the array, since what Heddle decides is not known before ------------ */

struct heddle_part_info {
    int64_t lo[HEDDLE_MAX_NDIM], hi[HEDDLE_MAX_NDIM]; /* its box: lo <= index < hi */
    int64_t size;                                     /* elements */
    heddle_place place;   /* where it was asked to live; HEDDLE_ANYWHERE: nowhere in particular */
    heddle_place current; /* where a copy is now; waits for the part */
};

/** The number of parts. */
HEDDLE_API enum heddle_status heddle_count_parts(heddle_array *a, int64_t *n);
HEDDLE_API enum heddle_status heddle_part(heddle_array *a, int64_t part,
                                          struct heddle_part_info *out);
/** The part that holds the element at `index`. Errors: HEDDLE_EINDEX. */
HEDDLE_API enum heddle_status heddle_part_at(heddle_array *a, const int64_t *index, int64_t *part);
/** Where axis `axis` is cut: *n bounds, 0 and the extent included; at most `room` are written. */
HEDDLE_API enum heddle_status heddle_boundaries(heddle_array *a, int axis, int64_t room,
                                                int64_t *bounds, int64_t *n);
/** Each part, without overlap, with its place: "array([1., 2.])@<CPU 0>; array([3.])@<CUDA Device 1>".
 *  *text is to be freed with heddle_free. */
HEDDLE_API enum heddle_status heddle_parts_text(heddle_array *a, char **text);

/* ---- Views of parts ------------------------------------------------------------------------------ */

/* Elements of a part and of its overlap, in C order, readable until the view is released. */
struct heddle_part_view {
    const void *data; /* host memory if `place` is a CPU, else the GPU's */
    heddle_place place;
    void *stream; /* GPU: a CUDA stream (cudaStream_t) that the data are ready for. Of a view that was
                     acquired: NULL, the default one; work of the caller's must be done before the
                     release. Of a function's: the worker's; work may go on when it returns. */
    int64_t part;                   /* its number */
    int64_t lo[HEDDLE_MAX_NDIM];    /* the array's index of the first element of `data` */
    int64_t shape[HEDDLE_MAX_NDIM]; /* of `data` */
    int64_t before[HEDDLE_MAX_NDIM], after[HEDDLE_MAX_NDIM]; /* so many of `shape` are of the
                                                                neighbours; the rest is the part */
    void *handle; /* Heddle's */
};

/** Waits for the part, copies it to `place` if it is not there (HEDDLE_ANYWHERE: host memory), and
 *  lends it: in place where it has no overlap, else a copy with what its neighbours have now.
 *  heddle_shutdown refuses while it is held. When the process exits it ends by itself: data in host
 *  memory can still be looked at by exit handlers. */
HEDDLE_API enum heddle_status heddle_part_acquire(heddle_array *a, int64_t part, heddle_place place,
                                                  struct heddle_part_view *out);
HEDDLE_API void heddle_part_release(struct heddle_part_view *view);

/* Computes one part of a result from the same part of the input. `out` is for the part alone, without
 * overlap: shape[d] - before[d] - after[d] elements of the result's dtype along axis d, in C order,
 * in the memory of in->place; unset. It is called from threads of Heddle's, for several parts at
 * once, and may use OpenMP. Functions of Heddle's that evaluate, wait, name places, or ask about or
 * change the runtime refuse there with HEDDLE_EARG (heddle_statistics_reset does nothing); so they do
 * in deleters. exit() ends the process as it is. What it returns but HEDDLE_OK is the error of the
 * result. */
typedef enum heddle_status heddle_part_function(const struct heddle_part_view *in, void *out,
                                                void *user);

struct heddle_map_parts_options {
    size_t size;                /* call.h */
    heddle_part_function *cuda; /* for parts on GPUs: enqueues its work on in->stream and returns */
    void *user;                 /* for the functions; must stay valid until the deleter is called, or,
                                   without one, until the result has been waited for */
    void (*deleter)(void *user); /* called once, from any thread, when no function will be called any
                                    more; also when the call fails. May be NULL. */
};

/** A new array of `a`'s shape and distribution: each part is function(part of `a`), computed by a task
 *  of its own where the part lives, by .cuda if that is a GPU. NULL for `function`: on GPUs only.
 *  A part at a GPU goes to a CPU and back if there is no .cuda. Lazy, as all operations: evaluated
 *  twice, it is called twice. If `a` has an overlap, `function` sees it: halos move, and each part
 *  is copied beside them first.
 *  Errors: HEDDLE_EARG (NULL functions), HEDDLE_EDTYPE, HEDDLE_ENOMEM; at evaluation
 *  HEDDLE_ENODEVICE (no device in use that there is a function for), and those of the function. */
HEDDLE_API heddle_array *heddle_map_parts_with(heddle_array *a, enum heddle_dtype dtype,
                                               heddle_part_function *function,
                                               const struct heddle_map_parts_options *options);
#define heddle_map_parts(...)                                                                      \
    HEDDLE_CALL3(heddle_map_parts_with, heddle_map_parts_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
