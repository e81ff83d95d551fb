/* Modules: CUDA source, of the user's or made at run time by families, PTX or machine code. Each is compiled and loaded once for an architecture, and stays
 * loaded until heddle__cuda_close, as a GPU may still run what the program has let go of. */
#ifndef HEDDLE_CUDA_MODULES_H
#define HEDDLE_CUDA_MODULES_H

#include "loaded.h"

#include <base/error.h>
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>

struct heddle_module_text {
    const char *data; /* source ends with a zero byte */
    size_t bytes;
    bool is_source;
    bool is_ours;      /* a source that is compiled as those of programs are, with their header */
    const char *flags; /* of another source, for the compiler, separated by spaces */
};

/* Loads modules from now on; `folder`: the disk cache, which is copied, or NULL. */
void heddle__modules_open(const char *folder);
/* Unloads all. Nothing may run any more. */
void heddle__modules_close(void);
/* The kernel that was found before; NULL: none was, or modules have been closed since. */
cudaKernel_t heddle__loaded_kernel(const struct heddle_loaded *loaded);
void heddle__loaded_set(struct heddle_loaded *loaded, cudaKernel_t kernel);

/* The kernel `name` of a module on the current device; takes as long as the compiler if it is new. `caller`, of whose
 * texts this is: "heddle_raw_call". HEDDLE_ESYNTAX with the compiler's log, HEDDLE_ENAME, HEDDLE_EDEVICE, HEDDLE_ENOMEM. */
enum heddle_status heddle__module_kernel(const struct heddle_module_text *text, const char *name,
                                         const char *caller, cudaKernel_t *kernel);

/* Machine code of a source for an architecture, from the disk or from NVRTC, which needs no device; to be freed with
 * heddle__free. */
enum heddle_status heddle__module_compile(const struct heddle_module_text *text, int arch,
                                          const char *folder, const char *caller, char **cubin,
                                          size_t *size);

#endif
