/* OpenBLAS, loaded at the first product. */
#ifndef HEDDLE_CODELETS_CPU_BLAS_H
#define HEDDLE_CODELETS_CPU_BLAS_H

#include <heddle/status.h>

#include <cblas.h>

/* The functions in use. Each call runs on the calling thread alone: loops over tiles run on teams, so that
 * no second set of threads wants the same cores. */
#define HEDDLE_CPU_BLAS_GEMM(X) X(cblas_sgemm) X(cblas_dgemm) X(cblas_cgemm) X(cblas_zgemm)
#define HEDDLE_CPU_BLAS_GEMV(X) X(cblas_sgemv) X(cblas_dgemv) X(cblas_cgemv) X(cblas_zgemv)
#define HEDDLE_CPU_BLAS_DOT(X) X(cblas_sdot) X(cblas_ddot) X(cblas_cdotu_sub) X(cblas_zdotu_sub)
#define HEDDLE_CPU_BLAS_MAP(X)                                                                     \
    HEDDLE_CPU_BLAS_GEMM(X) HEDDLE_CPU_BLAS_GEMV(X) HEDDLE_CPU_BLAS_DOT(X)
struct heddle_cpu_blas {
#define HEDDLE_CPU_BLAS_FIELD(name) __typeof__(name) *name;
    HEDDLE_CPU_BLAS_MAP(HEDDLE_CPU_BLAS_FIELD)
#undef HEDDLE_CPU_BLAS_FIELD
    char core[32];   /* whose kernels it uses: "SkylakeX" */
    char chosen[32]; /* whose it would have used, if that is an older one; else "" */
};

/* Errors: HEDDLE_EDEVICE, if there is none. */
enum heddle_status heddle__cpu_blas(const struct heddle_cpu_blas **blas);
/* Fills a struct of n pointers with functions of the same library: LAPACK's, by their Fortran names ("dpotrf_"),
 * which OpenBLAS has inside. `who` wants them, for the text of errors. Errors: HEDDLE_EDEVICE. */
enum heddle_status heddle__cpu_lapack(const char *who, int n, const char *const names[],
                                      void *functions);
/* For LAPACK's functions that consist of thousands of small steps, after each of which BLAS's threads wait for each
 * other: how many threads of up to n are worth while, n or 1. It tries a few steps. */
int heddle__cpu_blas_threads(int n);
/* On each thread that is about to call BLAS: how many threads of its own it may use, with the caller; 1: none.
 * Gives what to restore. */
int heddle__cpu_blas_begin(int n_threads);
void heddle__cpu_blas_end(int before);

#endif
