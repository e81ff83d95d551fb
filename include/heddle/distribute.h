/* Distribution: where the parts of an array live. Nothing here is needed to use every processor:
 * an array without a distribution is cut, placed and balanced by Heddle. */
#ifndef HEDDLE_DISTRIBUTE_H
#define HEDDLE_DISTRIBUTE_H

#include <heddle/array.h>

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
    HEDDLE_CUT_PARTS,  /* n near-equal intervals, the longer ones first; n = 0: one a place */
    HEDDLE_CUT_SIZES,  /* n intervals of values[i] indices, which add up to N */
    HEDDLE_CUT_BOUNDS, /* n intervals that end at values[0] <= ... <= values[n - 1] = N */
    HEDDLE_CUT_BLOCKS, /* intervals of n indices, the last may be shorter; n = 1: cyclic */
    HEDDLE_CUT_COLORS, /* index i has color values[i] in 0..n-1, N of them: an interval is a run of
                          one color, and lives where the color does. One axis of an array only. */
};

struct heddle_cut {
    enum heddle_cut_kind kind;
    int64_t n;
    const int64_t *values;
};

/* How an array is cut and where its parts live. A plain value: pointers are read during the call
 * that takes it. The parts are those of the grid that the cuts of all axes make, in row-major order.
 * Part i lives at places[i % n_places] - with more parts than places, block-cyclically - or, where
 * an axis is colored, at places[color % n_places]. n_places = 0: anywhere. All zero: Heddle
 * decides. */
struct heddle_distribution {
    struct heddle_cut cut[HEDDLE_MAX_NDIM];
    int n_places;
    const heddle_place *places;
};

/* The fields of a list of places: {.cut[0] = {HEDDLE_CUT_PARTS, 4}, HEDDLE_PLACES(heddle_gpu(0))}. */
#define HEDDLE_PLACES(...)                                                                         \
    .n_places = (int)(sizeof((const heddle_place[]){__VA_ARGS__}) / sizeof(heddle_place)),         \
    .places = (const heddle_place[]){__VA_ARGS__}

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
 *  deleter is called. The deleters are called also when the call fails.
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
/** Each part with its place: "array([1., 2.])@<CPU 0>; array([3.])@<GPU 1>". *text is to be freed
 *  with heddle_free. */
HEDDLE_API enum heddle_status heddle_parts_text(heddle_array *a, char **text);

/* ---- Views of parts ------------------------------------------------------------------------------ */

/* A part's elements in C order, readable until it is released. */
struct heddle_part_view {
    const void *data; /* host memory if `place` is a CPU, else the GPU's */
    heddle_place place;
    void *stream; /* GPU: a CUDA stream (cudaStream_t) that the data are ready for: NULL, the default
                     one. Work of the caller's must be done before the release. */
    int64_t shape[HEDDLE_MAX_NDIM];
    void *handle; /* Heddle's */
};

/** Waits for the part, copies it to `place` if it is not there (HEDDLE_ANYWHERE: host memory), and
 *  lends it. While it is held no heddle_shutdown. */
HEDDLE_API enum heddle_status heddle_part_acquire(heddle_array *a, int64_t part, heddle_place place,
                                                  struct heddle_part_view *out);
HEDDLE_API void heddle_part_release(struct heddle_part_view *view);

/* Computes one part of the result, of `shape` and the result's dtype, from the same part of the
 * input; both in host memory, in C order. Not HEDDLE_OK: the result is an error with that code. */
typedef enum heddle_status heddle_part_function(const struct heddle_part_view *in,
                                                const int64_t *lo, void *out, void *user);

/** A new array of `a`'s shape and distribution, each part by `function`, one after the other on
 *  this thread. Evaluates `a`. */
HEDDLE_API heddle_array *heddle_map_parts(heddle_array *a, enum heddle_dtype dtype,
                                          heddle_part_function *function, void *user);

#endif
