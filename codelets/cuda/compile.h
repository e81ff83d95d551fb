/* NVRTC, and the disk cache of what it made. Neither needs a device or a driver. */
#ifndef HEDDLE_CUDA_COMPILE_H
#define HEDDLE_CUDA_COMPILE_H

#include <base/error.h>
#include <stddef.h>
#include <stdint.h>

/* A source and what NVRTC is given with it. */
struct heddle_compile {
    const char *source, *file;        /* what messages call it */
    const char *header, *header_name; /* that it may include */
    const char *const *options;       /* beside the architecture */
    int n_options, arch;              /* 90 */
};
/* Compiles to machine code. *cubin is to be freed with heddle__free. HEDDLE_ESYNTAX with the head of the compiler's log if
 * the source is wrong; HEDDLE_EDEVICE; HEDDLE_ENOMEM. `who` wants it, for messages. */
enum heddle_status heddle__compile_text(const struct heddle_compile *compile, const char *who,
                                        char **cubin, size_t *size);

/* A generated source, as programs are compiled. */
struct heddle_compile heddle__compile_generated(const char *source, int arch);
/* Compiles a generated source to machine code of an architecture (90). *cubin is to be freed with
 * heddle__free. HEDDLE_EDEVICE with the head of the compiler's log; HEDDLE_ENOMEM. */
enum heddle_status heddle__compile(const char *source, int arch, char **cubin, size_t *size);

/* Identity of the machine code of a source: everything that it depends on. */
struct heddle_compile_key {
    uint64_t hash[2];
};
struct heddle_compile_key heddle__compile_key(const char *source, int arch);
struct heddle_compile_key heddle__compile_key_of(const struct heddle_compile *compile);
/* Makes a key depend on more bytes. */
void heddle__compile_key_mix(struct heddle_compile_key *key, const void *data, size_t size);

/* `folder` ends in no slash. Reading gives NULL for what is missing or damaged; writing makes the
 * folder, replaces the file at once, and gives up silently. */
char *heddle__disk_read(const char *folder, struct heddle_compile_key key, size_t *size);
void heddle__disk_write(const char *folder, struct heddle_compile_key key, const char *data,
                        size_t size);

#endif
