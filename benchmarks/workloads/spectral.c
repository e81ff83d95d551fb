/* See spectral.h. */
#include "spectral.h"

#include "bench.h"

#include <string.h>

enum { BATCHED = 32 }; /* rows */

static int record_eigh(void *context, heddle_array **out)
{
    bench_must(heddle_linalg_eigh(context, &out[0], &out[1]), "eigh");
    return 2;
}

static int record_eigvalsh(void *context, heddle_array **out)
{
    out[0] = heddle_linalg_eigvalsh(context);
    return 1;
}

static int record_svd(void *context, heddle_array **out)
{
    bench_must(heddle_linalg_svd(context, &out[1], &out[0], &out[2]), "svd");
    return 3;
}

void run_spectral(const char *name, int64_t n)
{
    static const struct {
        const char *name;
        bench_record *record;
    } operations[] = {{"eigvalsh", record_eigvalsh}, {"eigh", record_eigh}, {"svd", record_svd}};
    const bool batched = strstr(name, "batched");
    const int64_t shape[3] = {n, batched ? BATCHED : n, BATCHED};
    heddle_array *x = bench_input(batched ? 3 : 2, shape, -1, 1, HEDDLE_FLOAT64);
    heddle_array *a = bench_ready(heddle_sin(heddle_multiply(x, heddle_scalar(1e5))));
    heddle_release(x);
    size_t i = 0;
    while (strncmp(name, operations[i].name, strlen(operations[i].name)) != 0) i++;
    const struct bench_times t = bench_time(operations[i].record, a);
    bench_line(name, n, 0, &t);
    heddle_release(a);
}
