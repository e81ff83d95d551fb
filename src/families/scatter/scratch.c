/* Scratch memory of writing by position. Entry point: heddle__scatter_scratch. */
#include "families/scatter/cpu_buckets.h"
#include "families/scatter/cuda_scatter.h"
#include "families/scatter/scatter.h"

size_t heddle__scatter_scratch(const void *arguments, int n_threads)
{
    return n_threads == 0 ? heddle__scatter_cuda_bytes(arguments)
                          : heddle__scatter_buckets_bytes(arguments, n_threads);
}
