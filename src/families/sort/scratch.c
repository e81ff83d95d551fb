/* Scratch memory of sorting. Entry point: heddle__sort_scratch. */
#include "families/sort/cpu_sort.h"
#include "families/sort/cuda_line.h"
#include "families/sort/cuda_sort.h"
#include "families/sort/sort.h"

/* A merge: for what a pass writes that is not the last, unless `out` does (cpu_line.c, cuda_merge.cu); on a GPU also for
 * where tiles begin. */
static size_t merge_scratch(const struct heddle_sort_line *s, bool on_gpu)
{
    const size_t size = (size_t)(s->sort.rows * s->sort.n);
    const int passes = heddle__sort_passes(s->n_runs);
    const bool even = passes % 2 == 0, positions = s->sort.positions;
    const size_t elements = positions ? passes > 1 : even;
    return (positions && even ? size * sizeof(int64_t) : 0) +
           elements * size * s->sort.element_bytes + (on_gpu ? heddle__sort_tiles_bytes(s) : 0);
}

/* Rows. CPU: two arrays of keys, for the row that a team sorts together or for each thread's row. */
size_t heddle__sort_scratch(const void *arguments, int n_threads)
{
    const struct heddle_sort *s = arguments;
    const struct heddle_sort_line *line = arguments;
    if (s->phase == HEDDLE_SORT_MERGE) return merge_scratch(line, n_threads == 0);
    if (s->phase == HEDDLE_SORT_PAIR) return n_threads == 0 ? heddle__sort_tiles_bytes(line) : 0;
    if (s->phase != HEDDLE_SORT_ROWS) return 0;
    if (n_threads == 0) return heddle__sort_cuda_bytes(s);
    const int64_t rows = heddle__sort_together(s, n_threads) ? 1 : n_threads;
    return 2 * heddle__sort_element(s) * (size_t)(s->n * rows);
}
