/* The parts of cuda_families: kernels of families, called by themselves. */
#ifndef HEDDLE_TESTS_CUDA_FAMILIES_H
#define HEDDLE_TESTS_CUDA_FAMILIES_H

#include "cuda/gpu.h"

/* Bytes to new device memory, and back; gpu_free_all frees it. */
void *families_to_gpu(const void *from, size_t bytes);
void families_from_gpu(void *to, const void *from, size_t bytes);
/* Random bits. */
uint64_t families_random(void);

void test_batches(void);
void test_jacobi(void);
void test_scans(void);
void test_gathers(void);
void test_compacts(void);
void test_scatters(void);
void test_searches(void);
void test_sparse(void);
void test_systems(void);
void test_histograms(void);
void test_sorts(void);
void test_windows(void);

#endif
