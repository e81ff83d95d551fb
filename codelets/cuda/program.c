/* Launches of programs: layout, kernels (compiled, else interpreted), parameters, grid. The launch
 * path must not allocate, synchronise or compile. Entry points: heddle__cuda_program and what else
 * kernels.h declares about programs on CUDA. */
#include "cuda/library.h"
#include "cuda/interpret.h"
#include "cuda/jit.h"
#include "cuda/modules.h"
#include "cuda/program.h"
#include "cuda/reductions/reductions.h"
#include "cuda/tiles/tiles.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    int n_devices, jit;
    struct heddle_cuda_device devices[HEDDLE_MAX_DEVICES];
    atomic_uintptr_t streams[HEDDLE_MAX_DEVICES]; /* + 1: the first that came to each */
    atomic_llong kernels, interpreted;
} cuda;

const struct heddle_cuda_device *heddle__cuda_device(int device)
{
    return device >= 0 && device < cuda.n_devices ? &cuda.devices[device] : NULL;
}

int heddle__cuda_n_devices(void)
{
    return cuda.n_devices;
}

enum heddle_status heddle__cuda_check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return HEDDLE_OK;
    (void)cudaGetLastError();
    return heddle__fail(HEDDLE_EDEVICE, "CUDA: %s: %s", what, cudaGetErrorString(error));
}

enum heddle_status heddle__cuda_device_here(const struct heddle_cuda_device **device)
{
    int number = 0;
    const enum heddle_status status = heddle__cuda_check(cudaGetDevice(&number), "cudaGetDevice");
    if (status != HEDDLE_OK) return status;
    *device = heddle__cuda_device(number);
    HEDDLE_REQUIRE(*device, HEDDLE_ENODEVICE, "CUDA: device %d was not opened", number);
    return HEDDLE_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

static enum heddle_status open_device(int number)
{
    struct heddle_cuda_device *d = &cuda.devices[number];
    enum heddle_status status = HEDDLE_OK;
    int major = 0, minor = 0;
    atomic_store(&cuda.streams[number], 0);
    HEDDLE_TRY(heddle__cuda_check(cudaSetDevice(number), "cudaSetDevice"));
    HEDDLE_TRY(heddle__cuda_check(
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number), "attributes"));
    HEDDLE_TRY(heddle__cuda_check(
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number), "attributes"));
    HEDDLE_TRY(heddle__cuda_check(
        cudaDeviceGetAttribute(&d->processors, cudaDevAttrMultiProcessorCount, number),
        "attributes"));
    HEDDLE_TRY(heddle__cuda_check(
        cudaDeviceGetAttribute(&d->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number),
        "attributes"));
    d->arch = major * 10 + minor;
    d->can_interpret = heddle__interpret_open(d) == HEDDLE_OK;
fail:
    return status;
}

enum heddle_status heddle__cuda_open(int n_devices, const struct heddle_cuda_settings *settings)
{
    enum heddle_status status = HEDDLE_OK;
    char folder[4096];
    int current = 0;
    if (n_devices > HEDDLE_MAX_DEVICES) n_devices = HEDDLE_MAX_DEVICES;
    if (n_devices <= 0) return HEDDLE_OK;
    HEDDLE_TRY(heddle__cuda_check(cudaGetDevice(&current), "cudaGetDevice"));
    for (int d = 0; d < n_devices; d++) HEDDLE_TRY(open_device(d));
    cuda.n_devices = n_devices;
    cuda.jit = settings->jit;
    const int n = settings->cache_dir
                      ? snprintf(folder, sizeof folder, "%s/kernels", settings->cache_dir)
                      : 0;
    const char *const disk = n > 0 && n < (int)sizeof folder ? folder : NULL;
    heddle__modules_open(disk);
    if (cuda.jit) status = heddle__jit_open(disk, sysconf(_SC_NPROCESSORS_ONLN) >= 16 ? 4 : 2);
fail:
    (void)cudaSetDevice(current);
    return status;
}

void heddle__cuda_close(void)
{
    heddle__libraries_close();
    heddle__modules_close();
    if (cuda.jit) heddle__jit_close();
    cuda.jit = 0;
    cuda.n_devices = 0;
}

void heddle__cuda_counters(struct heddle_cuda_counters *out)
{
    out->kernels = atomic_load(&cuda.kernels);
    out->interpreted = atomic_load(&cuda.interpreted);
    out->compiled = heddle__jit_compiled();
}

void heddle__cuda_wait_compiled(void)
{
    if (cuda.jit) heddle__jit_wait();
}

/* ---- parameters ------------------------------------------------------------------------------ */

int64_t heddle__cuda_magic(int64_t d)
{
    int shift = 0;
    if (d <= 0 || d > INT32_MAX) return 0;
    while (shift < 32 && (INT64_C(1) << shift) < d) shift++;
    const uint64_t one = 1;
    const uint64_t multiplier = ((one << 32) * ((one << shift) - (uint64_t)d)) / (uint64_t)d + 1;
    return (int64_t)((uint64_t)shift << 32 | (uint32_t)multiplier);
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Grid of the first pass. */
struct grid {
    int64_t blocks;
    unsigned x, y;
};

/* Of hd_divisor: 2^(width + l) / |d|, rounded down, plus 1, without its bit 2^width, where 2^l is the least power of two that is not less
 * than |d|; of signed types half of that quotient, rounded up, which has no such bit. T. Granlund and P. Montgomery, Division by
 * Invariant Integers using Multiplication, 1994, figure 4.1. Of less than 4 bytes 2^32 / |d|, rounded up: the error, of less than |d|, times
 * what is divided is less than 2^32. */
static int64_t multiplier(int64_t d, enum heddle_dtype dtype)
{
    __extension__ typedef unsigned __int128 wide;
    const bool is_signed = heddle_dtype_kind(dtype) == 'I';
    const int width = 8 * (int)heddle_dtype_size(dtype);
    uint64_t size = is_signed && d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
    int log = 0;
    if (width < 32) return size < 2 ? 0 : (int64_t)(((UINT64_C(1) << 32) + size - 1) / size);
    if (width == 32) size = (uint32_t)size;
    if (size == 0) return 0;
    while (log < width && ((wide)1 << log) < size) log++;
    if (is_signed) return (int64_t)(uint64_t)((((wide)1 << (width - 1 + log)) + size - 1) / size);
    return (int64_t)(uint64_t)(((((wide)1 << log) - size) << width) / size + 1);
}

int64_t *heddle__cuda_pack_constants(int64_t *at, const struct heddle_launch *launch,
                                     const union heddle_scalar constants[])
{
    const struct heddle_program *p = launch->program;
    for (int k = 0; k < p->n_constants; k++) {
        const union heddle_scalar *value = &constants[launch->constants[k]];
        const enum heddle_dtype dtype = (enum heddle_dtype)p->constant_dtype[k];
        if (strchr("BIU", heddle_dtype_kind(dtype))) {
            *at++ = heddle__convert(*value, dtype, HEDDLE_INT64).i64;
            if (heddle__cuda_has_divisor(p, k)) {
                *at = multiplier(at[-1], dtype);
                at++;
            }
            continue;
        }
        *at = 0;
        memcpy(at, value, heddle_dtype_size(dtype));
        at += dtype == HEDDLE_COMPLEX128 ? 2 : 1;
    }
    return at;
}

static void pack(int64_t slots[HEDDLE_MAX_SLOTS], const struct heddle_launch *launch,
                 const struct heddle_cuda_layout *l, const struct heddle_cuda_pointers *pointers,
                 const union heddle_scalar constants[])
{
    const struct heddle_program *p = launch->program;
    const struct heddle_cuda_class *c = &l->class;
    const int ndim = c->n_kept + c->n_reduced;
    memset(slots, 0, HEDDLE_SLOT_OPERAND * sizeof *slots);
    slots[HEDDLE_SLOT_N] = l->kept;
    slots[HEDDLE_SLOT_CHUNKS] = l->n_chunks;
    slots[HEDDLE_SLOT_UNITS] = l->kept * l->n_chunks;
    slots[HEDDLE_SLOT_CHUNK] = l->chunk;
    slots[HEDDLE_SLOT_GROUP] = l->group;
    slots[HEDDLE_SLOT_GROUP_CHUNKS] = l->group_chunks;
    slots[HEDDLE_SLOT_FLAT] = l->flat_offset;
    if (pointers->report) {
        slots[HEDDLE_SLOT_REPORT] = (int64_t)(intptr_t)pointers->report->words;
        slots[HEDDLE_SLOT_TAG] = pointers->report->tag;
    }
    slots[HEDDLE_SLOT_LANES] = (int64_t)(intptr_t)pointers->lanes;
    slots[HEDDLE_SLOT_MAGIC_N] = heddle__cuda_magic(l->kept);
    slots[HEDDLE_SLOT_MAGIC_CHUNKS] = heddle__cuda_magic(l->n_chunks);
    slots[HEDDLE_SLOT_MAGIC_GROUP_CHUNKS] = heddle__cuda_magic(l->group_chunks);
    for (int d = 0; d < ndim; d++) {
        slots[HEDDLE_SLOT_EXTENT + d] = l->extent[d];
        slots[HEDDLE_SLOT_MAGIC + d] = heddle__cuda_magic(l->extent[d]);
        slots[HEDDLE_SLOT_FLAT_STRIDE + d] = l->flat_stride[d];
    }
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
        slots[HEDDLE_SLOT_ORIGIN + d] = launch->geometry.origin[d];
    for (int r = 0; r < p->n_reductions; r++)
        slots[HEDDLE_SLOT_PARTIAL + r] = (int64_t)(intptr_t)pointers->partial[r];
    for (int k = 0; k < p->n_operands; k++) {
        const int slot = heddle__cuda_operand_slot(c, k);
        slots[slot] = (int64_t)(intptr_t)pointers->operand[k];
        for (int d = 0; d < ndim; d++) slots[slot + 1 + d] = l->stride[k][d];
    }
    (void)heddle__cuda_pack_constants(slots + heddle__cuda_operand_slot(c, p->n_operands), launch,
                                      constants);
    heddle__cuda_pack_stretches(slots, launch, c);
}

static struct grid grid_of(int64_t slots[HEDDLE_MAX_SLOTS], const struct heddle_cuda_layout *l,
                           const struct heddle_cuda_device *device)
{
    const struct heddle_cuda_class *c = &l->class;
    struct grid g = {1, 256, 1};
    switch (c->form) {
    case HEDDLE_FORM_ROWS: {
        int columns = 0, rows = 0;
        heddle__cuda_rows_tile(l, &columns, &rows);
        const int64_t inner = l->extent[c->n_kept - 1];
        const int64_t n_rows = heddle__cuda_number_rows(l, slots);
        slots[HEDDLE_SLOT_COLUMNS] = divide_up(inner, columns);
        slots[HEDDLE_SLOT_MAGIC_COLUMNS] = heddle__cuda_magic(slots[HEDDLE_SLOT_COLUMNS]);
        slots[HEDDLE_SLOT_CHUNKS] = n_rows;
        slots[HEDDLE_SLOT_UNITS] = slots[HEDDLE_SLOT_COLUMNS] * divide_up(n_rows, rows);
        g.blocks = slots[HEDDLE_SLOT_UNITS];
        g.x = (unsigned)(columns / c->vector);
        g.y = 256 / g.x;
        break;
    }
    case HEDDLE_FORM_TILES: {
        const struct heddle_tiles_grid tiles = heddle__tiles_grid(l);
        slots[HEDDLE_SLOT_COLUMNS] = tiles.columns;
        slots[HEDDLE_SLOT_CHUNKS] = tiles.band;
        slots[HEDDLE_SLOT_GROUP_CHUNKS] = tiles.bands;
        slots[HEDDLE_SLOT_MAGIC_COLUMNS] = heddle__cuda_magic(tiles.columns);
        slots[HEDDLE_SLOT_MAGIC_CHUNKS] = heddle__cuda_magic(tiles.band);
        slots[HEDDLE_SLOT_MAGIC_GROUP_CHUNKS] = heddle__cuda_magic(tiles.bands);
        /* A block for each tile: there is no loop, so no limit for its index. */
        return (struct grid){tiles.tiles, 256, 1};
    }
    case HEDDLE_FORM_THREAD: { /* small blocks, so that few chunks are spread out */
        const int64_t units =
            (c->whole ? l->kept : l->kept * l->n_chunks) / (c->together ? c->together : 1);
        while (g.x > 32 && units < (int64_t)g.x * device->processors * 4) g.x /= 2;
        g.blocks = divide_up(units, g.x);
        slots[HEDDLE_SLOT_UNITS] = units;
        break;
    }
    case HEDDLE_FORM_STAGED:
        slots[HEDDLE_SLOT_COLUMNS] = l->kept / c->columns;
        slots[HEDDLE_SLOT_MAGIC_COLUMNS] = heddle__cuda_magic(slots[HEDDLE_SLOT_COLUMNS]);
        slots[HEDDLE_SLOT_UNITS] = slots[HEDDLE_SLOT_COLUMNS] * (c->whole ? 1 : l->n_chunks);
        g.blocks = divide_up(slots[HEDDLE_SLOT_UNITS], 256 / c->columns);
        break;
    case HEDDLE_FORM_RUNS:
    case HEDDLE_FORM_LINES:
        slots[HEDDLE_SLOT_UNITS] = l->kept;
        g.blocks = divide_up(l->kept, 256 / c->threads);
        break;
    case HEDDLE_FORM_WARP:
    case HEDDLE_FORM_BLOCK:
        slots[HEDDLE_SLOT_UNITS] = c->whole ? l->kept : l->kept * l->n_chunks;
        if (c->side > 0 && c->columns == 0) { /* strips of chunks */
            const int64_t extent = l->extent[c->across], strips = divide_up(extent, c->side);
            slots[HEDDLE_SLOT_UNITS] = slots[HEDDLE_SLOT_UNITS] / extent * strips;
            slots[HEDDLE_SLOT_COLUMNS] = strips;
            slots[HEDDLE_SLOT_BESIDE] = l->beside;
            slots[HEDDLE_SLOT_MAGIC_COLUMNS] = heddle__cuda_magic(strips);
            slots[HEDDLE_SLOT_MAGIC_BESIDE] = heddle__cuda_magic(l->beside);
        }
        if (c->together) {
            const int64_t extent = l->extent[c->n_kept - 1],
                          columns = divide_up(extent, c->together);
            slots[HEDDLE_SLOT_UNITS] = slots[HEDDLE_SLOT_UNITS] / extent * columns;
            slots[HEDDLE_SLOT_COLUMNS] = columns;
            slots[HEDDLE_SLOT_MAGIC_COLUMNS] = heddle__cuda_magic(columns);
        }
        g.blocks = divide_up(slots[HEDDLE_SLOT_UNITS], c->form == HEDDLE_FORM_WARP ? 8 : 1);
        if (c->shares) g.blocks *= c->shares;
        break;
    case HEDDLE_FORM_PAIRS: {
        const int last = c->n_kept - 1, across = c->across;
        const int64_t columns = divide_up(l->extent[last], c->together * across);
        int64_t bands = 1, outer = l->kept / l->extent[last];
        if (c->together_rows > 1) {
            bands = divide_up(l->extent[last - 1], c->together_rows * (256 / across));
            outer /= l->extent[last - 1];
        }
        slots[HEDDLE_SLOT_UNITS] = g.blocks = outer * columns * bands;
        slots[HEDDLE_SLOT_COLUMNS] = columns;
        slots[HEDDLE_SLOT_MAGIC_COLUMNS] = heddle__cuda_magic(columns);
        slots[HEDDLE_SLOT_BESIDE] = bands;
        slots[HEDDLE_SLOT_MAGIC_BESIDE] = heddle__cuda_magic(bands);
        break;
    }
    default:
        g.blocks = divide_up(l->kept, (int64_t)256 * c->vector * c->unroll);
        /* Else a block for each piece: processors that are done begin the next one, whose loads hide behind the
         * arithmetic of others. */
        if (l->few_blocks && g.blocks > (int64_t)device->processors * 32)
            g.blocks = (int64_t)device->processors * 32;
        break;
    }
    const int64_t most = c->wide ? INT32_MAX : INT32_MAX / 256 / (g.x == 256 ? 1 : 2);
    if (g.blocks > most) g.blocks = most;
    return g;
}

static enum heddle_status launch_kernel(cudaKernel_t kernel, struct grid g, int64_t *slots,
                                        cudaStream_t stream)
{
    void *args[] = {slots};
    const dim3 grid = {(unsigned)g.blocks, 1, 1}, block = {g.x, g.y, 1};
    return heddle__cuda_check(cudaLaunchKernel((const void *)kernel, grid, block, args, 0, stream),
                              "launch of a program");
}

static enum heddle_status
launch_compiled(const struct heddle_launch *launch, const struct heddle_cuda_layout *l,
                const struct heddle_cuda_device *device, const struct heddle_jit_kernels *kernels,
                const struct heddle_cuda_pointers *pointers, const union heddle_scalar constants[],
                cudaStream_t stream, int *n_kernels)
{
    int64_t slots[HEDDLE_MAX_SLOTS];
    const struct heddle_cuda_class *c = &l->class;
    enum heddle_status status = HEDDLE_OK;
    pack(slots, launch, l, pointers, constants);
    if (c->form != HEDDLE_FORM_NONE) {
        const struct grid g = grid_of(slots, l, device);
        HEDDLE_TRY(launch_kernel(kernels->main, g, slots, stream));
        (*n_kernels)++;
    }
    if (c->finish != HEDDLE_FORM_NONE && !c->joined) {
        const int per_block = c->finish == HEDDLE_FORM_THREAD ? 256
                              : c->finish == HEDDLE_FORM_WARP ? 8
                                                              : 1;
        struct grid g = {divide_up(l->kept, per_block), 256, 1};
        if (g.blocks > INT32_MAX / 256) g.blocks = INT32_MAX / 256;
        HEDDLE_TRY(launch_kernel(kernels->finish, g, slots, stream));
        (*n_kernels)++;
    }
fail:
    return status;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static void find_pointers(const struct heddle_launch *launch, void *const buffers[], void *scratch,
                          const struct heddle_cuda_layout *l, struct heddle_cuda_pointers *out)
{
    const struct heddle_program *p = launch->program;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < p->n_operands; k++)
        out->operand[k] = (char *)buffers[launch->buffer[k]] +
                          launch->access[k].offset *
                              (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
    char *at = scratch;
    for (int r = 0; r < p->n_reductions; r++) {
        const size_t bytes =
            (size_t)l->kept * (size_t)l->n_chunks * heddle__partial_size(&p->reductions[r]);
        if (launch->geometry.phase != HEDDLE_PHASE_WHOLE)
            out->partial[r] = buffers[launch->buffer[p->n_operands + r]];
        else if (l->n_chunks > 1) {
            out->partial[r] = at;
            at += (bytes + 63) / 64 * 64;
        }
    }
    out->lanes = at;
}

/* A kernel whose blocks are joined counts them in variables of its module: two launches of it on a device must
 * not overlap. So it is for one stream: StarPU has one for each worker, and one worker for a device
 * unless it is told otherwise. */
static int is_first_stream(int device, void *stream)
{
    const uintptr_t number = (uintptr_t)stream + 1;
    uintptr_t first = 0;
    return atomic_compare_exchange_strong(&cuda.streams[device], &first, number) || first == number;
}

void heddle__cuda_prepare(const struct heddle_launch *launch)
{
    struct heddle_cuda_layout layout;
    struct heddle_jit_kernels kernels;
    int done = 0;
    if (!cuda.jit || heddle__kept_size(&launch->geometry) == 0) return;
    heddle__jit_watch_exit();
    heddle__cuda_layout(launch, NULL, &layout);
    for (int d = 0; d < cuda.n_devices; d++) {
        if (cuda.devices[d].arch == done) continue;
        done = cuda.devices[d].arch;
        (void)heddle__jit_find(launch->program, &layout.class, done, &kernels);
    }
}

/* `compile`: compiled kernels, whose compilation is started; else the interpreter's. */
static enum heddle_status run(const struct heddle_launch *launch, void *const buffers[],
                              const union heddle_scalar constants[], void *scratch, void *stream,
                              const struct heddle_report *report, int compile, bool *interpreted)
{
    struct heddle_cuda_layout layout;
    struct heddle_cuda_pointers pointers;
    struct heddle_jit_kernels kernels;
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_cuda_device *device;
    int n_kernels = 0;

    if (heddle__kept_size(&launch->geometry) == 0) return HEDDLE_OK;
    HEDDLE_TRY(heddle__cuda_device_here(&device));

    heddle__cuda_layout(launch, buffers, &layout);
    if (layout.kept * layout.n_chunks == 0 && launch->geometry.phase == HEDDLE_PHASE_PARTIAL)
        return HEDDLE_OK;
    if ((layout.class.joined || layout.class.shares) &&
        !is_first_stream((int)(device - cuda.devices), stream))
        heddle__reductions_apart(&layout);
    find_pointers(launch, buffers, scratch, &layout, &pointers);
    pointers.report = report;
    const bool is_compiled =
        compile && heddle__jit_find(launch->program, &layout.class, device->arch, &kernels);
    for (int s = 0; launch->stretches && !is_compiled && s < launch->stretches->n; s++) {
        struct heddle_access access[HEDDLE_MAX_OPERANDS];
        const struct heddle_launch alone = heddle__stretch(launch, s, access);
        HEDDLE_TRY(run(&alone, buffers, constants, scratch, stream, report, 0, interpreted));
    }
    if (launch->stretches && !is_compiled) return HEDDLE_OK;
    if (is_compiled) {
        status = launch_compiled(launch, &layout, device, &kernels, &pointers, constants, stream,
                                 &n_kernels);
    } else {
        status =
            heddle__interpret(launch, &layout, device, &pointers, constants, stream, &n_kernels);
        atomic_fetch_add(&cuda.interpreted, n_kernels);
        if (interpreted) *interpreted = true;
    }
    atomic_fetch_add(&cuda.kernels, n_kernels);
fail:
    return status;
}

enum heddle_status heddle__cuda_program(const struct heddle_launch *launch, void *const buffers[],
                                        const union heddle_scalar constants[], void *scratch,
                                        void *stream, bool *interpreted)
{
    return run(launch, buffers, constants, scratch, stream, NULL, cuda.jit, interpreted);
}

enum heddle_status heddle__cuda_interpret(const struct heddle_launch *launch, void *const buffers[],
                                          const union heddle_scalar constants[], void *scratch,
                                          void *stream)
{
    return run(launch, buffers, constants, scratch, stream, NULL, 0, NULL);
}

bool heddle__cuda_compiles(void)
{
    return cuda.jit;
}

void heddle__cuda_count(int n_kernels, int n_interpreted)
{
    atomic_fetch_add(&cuda.kernels, n_kernels);
    atomic_fetch_add(&cuda.interpreted, n_interpreted);
}

/* ---- The row of programs that check indices: each by itself, never in a chain (rows/launch.c) -------------- */

static enum heddle_status run_checked(const void *arguments, struct heddle_kernel_context *k)
{
    return run(arguments, k->buffers, k->constants, k->scratch, k->stream, &k->report, cuda.jit,
               &k->interpreted);
}

static void prepare_checked(const void *arguments)
{
    heddle__cuda_prepare(arguments);
}

const struct heddle_cuda_kernel heddle__checked_cuda = {.run = run_checked,
                                                        .prepare = prepare_checked};
