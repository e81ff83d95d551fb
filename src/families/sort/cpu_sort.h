/* How the CPU sorts rows: of the kernel and of those who plan it. */
#ifndef HEDDLE_FAMILIES_SORT_CPU_SORT_H
#define HEDDLE_FAMILIES_SORT_CPU_SORT_H

#include "families/sort/kernel.h"

#include "kernels.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of what is sorted: a key, or a key and a position, which are one word if both have 32 bits. */
static inline size_t heddle__sort_element(const struct heddle_sort *s)
{
    if (!s->positions) return s->element_bytes > 4 ? 8 : 4;
    return s->element_bytes > 4 ? 16 : 8;
}

/* Whether the threads sort one row after the other together, which is also how parts of it are left alone; else each thread
 * has rows of its own. Measured with 2 and 16 threads: keys that vectors sort are worth it sooner. */
static inline bool heddle__sort_together(const struct heddle_sort *s, int n_threads)
{
    enum { LONG = 1 << 17, LONG_FOR_SOME = 1 << 13, LONG_BYTES = 1 << 17, FEW_THREADS = 4 };
    const size_t element = heddle__sort_element(s);
    if (s->rows >= 4 * (int64_t)n_threads) return false;
    if (s->wanted.n > 0) return s->n >= LONG_FOR_SOME;
    if (n_threads < FEW_THREADS || element > 8) return n_threads > 1 && s->n >= LONG;
    return s->n * (int64_t)element >= LONG_BYTES;
}

/* Rows (HEDDLE_SORT_ROWS), for one instruction set each. */
enum heddle_status heddle__sort_rows_baseline(const struct heddle_sort *s,
                                              struct heddle_kernel_context *k);
enum heddle_status heddle__sort_rows_avx2(const struct heddle_sort *s,
                                          struct heddle_kernel_context *k);
enum heddle_status heddle__sort_rows_avx512(const struct heddle_sort *s,
                                            struct heddle_kernel_context *k);

/* The phases of a line that is cut into runs (cpu_line.c). */
enum heddle_status heddle__sort_line_cpu(const struct heddle_sort_line *s,
                                         struct heddle_kernel_context *k);

#endif
