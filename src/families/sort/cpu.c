/* The CPU's kernel of sorting: rows by the best instruction set of this processor (cpu_rows.c), lines of runs (cpu_line.c). */
#include "families/sort/cpu_sort.h"

#include "kernels.h"

#include <string.h>

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_sort *s = arguments;
    if (s->phase != HEDDLE_SORT_ROWS) return heddle__sort_line_cpu(arguments, k);
#if HEDDLE_CPU_X86
    const char *isa = heddle__cpu_isa();
    if (!strcmp(isa, "avx512")) return heddle__sort_rows_avx512(s, k);
    if (!strcmp(isa, "avx2")) return heddle__sort_rows_avx2(s, k);
#endif
    return heddle__sort_rows_baseline(s, k);
}

const struct heddle_cpu_kernel heddle__sort_cpu = {.run = run};
