/* Scratch memory of sorting. Entry point: heddle__sort_scratch. */
#include "families/sort/cpu_sort.h"
#include "families/sort/cuda_sort.h"
#include "families/sort/sort.h"

/* CPU: two arrays of keys, for the row that a team sorts together or for each thread's row. */
size_t heddle__sort_scratch(const void *arguments, int n_threads)
{
    const struct heddle_sort *s = arguments;
    if (n_threads == 0) return heddle__sort_cuda_bytes(s);
    const int64_t rows = heddle__sort_together(s, n_threads) ? 1 : n_threads;
    return 2 * heddle__sort_element(s) * (size_t)(s->n * rows);
}
