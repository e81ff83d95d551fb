/* OpenBLAS, loaded at the first product. */
#ifndef HEDDLE_CODELETS_CPU_BLAS_H
#define HEDDLE_CODELETS_CPU_BLAS_H

#include <heddle/status.h>

#include <cblas.h>

/* The functions in use. Each call runs on the calling thread alone: loops over tiles run on teams, so that
 * no second set of threads wants the same cores. */
#define HEDDLE_CPU_BLAS_MAP(X) X(cblas_sgemm) X(cblas_dgemm) X(cblas_cgemm) X(cblas_zgemm)
struct heddle_cpu_blas {
#define HEDDLE_CPU_BLAS_FIELD(name) __typeof__(name) *name;
    HEDDLE_CPU_BLAS_MAP(HEDDLE_CPU_BLAS_FIELD)
#undef HEDDLE_CPU_BLAS_FIELD
    char core[32];   /* whose kernels it uses: "SkylakeX" */
    char chosen[32]; /* whose it would have used, if that is an older one; else "" */
};

/* Errors: HEDDLE_EDEVICE, if there is none. */
enum heddle_status heddle__cpu_blas(const struct heddle_cpu_blas **blas);
/* On each thread that is about to call BLAS: no threads of BLAS's own. Gives what to restore. */
int heddle__cpu_blas_begin(void);
void heddle__cpu_blas_end(int before);

#endif
