/* NVRTC, and the disk cache of what it made. Neither needs a device or a driver. */
#ifndef HEDDLE_CUDA_COMPILE_H
#define HEDDLE_CUDA_COMPILE_H

#include <base/error.h>
#include <stddef.h>
#include <stdint.h>

/* Compiles a generated source to machine code of an architecture (90). *cubin is to be freed with
 * heddle__free. HEDDLE_EDEVICE with the head of the compiler's log; HEDDLE_ENOMEM. */
enum heddle_status heddle__compile(const char *source, int arch, char **cubin, size_t *size);

/* Identity of the machine code of a source: everything that it depends on. */
struct heddle_compile_key {
    uint64_t hash[2];
};
struct heddle_compile_key heddle__compile_key(const char *source, int arch);

/* `folder` ends in no slash. Reading gives NULL for what is missing or damaged; writing makes the
 * folder, replaces the file at once, and gives up silently. */
char *heddle__disk_read(const char *folder, struct heddle_compile_key key, size_t *size);
void heddle__disk_write(const char *folder, struct heddle_compile_key key, const char *data,
                        size_t size);

#endif
