/* What the system says that this process has; look.h. */
#include "soak/look.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long entries(const char *folder)
{
    DIR *d = opendir(folder);
    long n = 0;
    if (!d) return -1;
    for (const struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static long resident_kb(void)
{
    char line[200];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f) return -1;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0) kb = atol(line + 6);
    fclose(f);
    return kb;
}

struct look look_now(double seconds)
{
    malloc_trim(0); /* what is free in glibc's heaps is no growth */
    const struct mallinfo2 heap = mallinfo2();
    return (struct look){seconds, resident_kb(), (long)((heap.uordblks + heap.hblkhd) >> 10),
                         entries("/proc/self/fd"), entries("/proc/self/task")};
}

void look_print(const struct look *look)
{
    fprintf(stderr, "%6.0f s: %ld kB resident, %ld kB of the heap, %ld descriptors, %ld threads\n",
            look->seconds, look->resident_kb, look->heap_kb, look->descriptors, look->threads);
}

static int by_size(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static long median_resident(int n, const struct look *looks)
{
    long *kb = malloc((size_t)n * sizeof *kb);
    for (int i = 0; i < n; i++) kb[i] = looks[i].resident_kb;
    qsort(kb, (size_t)n, sizeof *kb, by_size);
    const long median = kb[n / 2];
    free(kb);
    return median;
}

bool look_is_flat(int n, const struct look *looks)
{
    const int third = n / 3;
    if (third < 3) return true;
    const long before = median_resident(third, looks + third);
    const long after = median_resident(third, looks + n - third);
    long descriptors = 0, threads = 0;
    for (int i = 0; i <= third; i++) {
        if (looks[i].descriptors > descriptors) descriptors = looks[i].descriptors;
        if (looks[i].threads > threads) threads = looks[i].threads;
    }
    fprintf(stderr, "median resident: %ld kB, then %ld kB (%.3f)\n", before, after,
            (double)after / (double)before);
    return after <= before + before / 20 && looks[n - 1].descriptors <= descriptors &&
           looks[n - 1].threads <= threads;
}
