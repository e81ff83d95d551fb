/* Cases for several GPUs, for CPU and GPU together, and for more data than fit a GPU. Which devices
 * take part is HEDDLE_DEVICES' to say. */
#ifndef SEVERAL_H
#define SEVERAL_H

#include <stdint.h>

void run_several_axpy(const char *name, int64_t n);          /* float32 */
void run_several_black_scholes(const char *name, int64_t n); /* float32, call and put */
void run_several_sumabs2(const char *name, int64_t n);       /* float32 */
void run_several_cumulative_sum(const char *name, int64_t n);
void run_several_jacobi(const char *name, int64_t n); /* float64, n x n, 100 steps */
void run_several_matmul(const char *name, int64_t n); /* float32, n x n */
void run_redistribute(const char *name, int64_t n); /* float32, n x n: blocks of rows to columns */
void run_host_light(const char *name, int64_t n);   /* float32 in host memory, read once: axpy */
void run_host_heavy(const char *name, int64_t n);   /* ... Black-Scholes */
void run_host_jacobi(const char *name, int64_t n);  /* ... n x n, 10 steps in one evaluation */
void run_host_matmul(const char *name, int64_t n);  /* ... n x n */
void run_stream(const char *name, int64_t n);       /* ... sum(a*b + c*d), a GPU's memory limited */

#endif
