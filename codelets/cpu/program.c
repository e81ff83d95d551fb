/* The CPU executor of programs: a map is cut into blocks, which the threads share in contiguous
 * ranges. Reductions go to reduce.c. Opens at most one OpenMP region; allocates only before it.
 * Entry points: heddle__cpu_program, heddle__cpu_threads. */
#include "cpu/interpreter.h"

#include <base/memory.h>
#include <omp.h>

enum { ADDITIONS_OF_REGION = 60000 }; /* work that is worth an OpenMP region */

int heddle__cpu_threads(const struct heddle_cpu_team *team, double additions, int64_t n_items)
{
    if (team->n_threads <= 1 || additions < ADDITIONS_OF_REGION) return 1;
    return n_items < team->n_threads ? (int)n_items : team->n_threads;
}

/* Blocks from..to-1 of a map. `registers`: NULL to have them on the stack. */
static void run_map(const struct heddle__code *code, int64_t from, int64_t to, char *registers)
{
    _Alignas(64) char local[STACK_SCRATCH_BYTES];
    struct heddle__lane lane;
    heddle__lane_begin(&lane, code, registers ? registers : local, NULL);
    int64_t idx[WALK_MAX_NDIM];
    bool new_row = true;
    for (int64_t b = from; b < to; b++) {
        const int64_t rows = heddle__walk_block(code->walk, 0, b, idx);
        new_row |= idx[code->walk->first] == 0 || code->walk->sideways;
        heddle__run_block(&lane, code, idx, rows, new_row);
        new_row = false;
    }
}

static enum heddle_status map(const struct heddle_launch *launch, void *const buffers[],
                              const union heddle_scalar constants[],
                              const struct heddle_cpu_team *team)
{
    const struct heddle_program *p = launch->program;
    struct heddle__walk walk;
    struct heddle__code code;
    heddle__walk_begin(&walk);
    heddle__walk_add(&walk, launch, UINT32_MAX, 0, launch->geometry.ndim);
    heddle__walk_shape(&walk, 0, HEDDLE_BLOCK);
    heddle__decode(&code, &walk, launch, buffers, constants, p->n_instrs, false);
    while (walk.cut > 1 && walk.cut * walk.inner > SHORT_BLOCK &&
           heddle__register_bytes(&code) > REGISTERS_BYTES)
        walk.cut = (walk.cut + 1) / 2;

    if (code.jumps && walk.first == walk.ndim - 1 && walk.first > 0) {
        walk.sideways = true;
        if (walk.cut > SHORT_BLOCK) walk.cut = SHORT_BLOCK;
    }

    const int64_t n_blocks = heddle__walk_blocks(&walk, 0);
    const double additions = code.weight * (double)heddle__kept_size(&launch->geometry);
    const int n_threads = heddle__cpu_threads(team, additions, n_blocks);
    const size_t bytes = heddle__register_bytes(&code);
    char *scratch = NULL;
    if (bytes > STACK_SCRATCH_BYTES) {
        scratch = heddle__alloc_aligned(bytes * (size_t)n_threads);
        if (!scratch) return heddle__fail(HEDDLE_ENOMEM, "no memory for a block's values");
    }
    if (n_threads == 1) {
        run_map(&code, 0, n_blocks, scratch);
    } else {
#pragma omp parallel num_threads(n_threads)
        {
            const int64_t t = omp_get_thread_num(), n = omp_get_num_threads();
            run_map(&code, n_blocks * t / n, n_blocks * (t + 1) / n,
                    scratch ? scratch + (size_t)t * bytes : NULL);
        }
    }
    heddle__free(scratch);
    return HEDDLE_OK;
}

enum heddle_status heddle__cpu_program(const struct heddle_launch *launch, void *const buffers[],
                                       const union heddle_scalar constants[],
                                       const struct heddle_cpu_team *team)
{
    if (heddle__kept_size(&launch->geometry) == 0) return HEDDLE_OK;
    if (launch->program->n_reductions == 0) return map(launch, buffers, constants, team);
    return heddle__cpu_reduce(launch, buffers, constants, team);
}
