/* Compiled kernels of programs: found in about a microsecond, or made on another thread. */
#ifndef HEDDLE_CUDA_JIT_H
#define HEDDLE_CUDA_JIT_H

#include "cuda/layout.h"

#include <base/error.h>
#include <cuda_runtime.h>
#include <stdbool.h>

struct heddle_jit_kernels {
    cudaKernel_t main, finish; /* NULL where the class has none */
};

/* Starts `n_threads` compilers. `folder`: the disk cache, or NULL. */
enum heddle_status heddle__jit_open(const char *folder, int n_threads);
/* Waits for what is being compiled, drops what waits, unloads all kernels. */
void heddle__jit_close(void);

/* The kernels, when they are ready; else false, and their compilation has been started. Programs
 * whose compilation failed stay false for good. */
int heddle__jit_find(const struct heddle_program *p, const struct heddle_cuda_class *c, int arch,
                     struct heddle_jit_kernels *out);
/* The same for any text: of a key, compared as bytes, and the kernels that it has. `source` makes it (NULL: memory is
 * gone), which is freed by heddle__free. */
struct heddle_jit_has {
    bool main, finish;
};
int heddle__jit_find_text(const void *key, size_t key_size, struct heddle_jit_has has, int arch,
                          char *(*source)(const void *of), const void *of,
                          struct heddle_jit_kernels *out);
void heddle__jit_wait(void);
/* On the thread that asks for kernels: when it is the main thread, exit() waits for the compilers. */
void heddle__jit_watch_exit(void);
int64_t heddle__jit_compiled(void); /* by NVRTC, since the start of the process */

#endif
