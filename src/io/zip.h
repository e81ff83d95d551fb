/* Reads zip archives in memory: the directory, and one member. zip64, stored and deflated. */
#ifndef HEDDLE_IO_ZIP_H
#define HEDDLE_IO_ZIP_H

#include "io/file.h"

#include <heddle/status.h>
#include <stdint.h>

/* The directory of an archive, and a position in it. */
struct heddle_zip {
    const unsigned char *data;
    size_t n;
    uint64_t base; /* offsets count from here: bytes may come before the archive */
    uint64_t at;   /* of the next entry of the directory */
    uint64_t end;  /* of the directory */
    uint64_t left; /* how many entries are still to come */
};

struct heddle_zip_entry {
    const char *name; /* not terminated, in the archive */
    size_t name_length;
    uint64_t packed, size; /* bytes in the archive, bytes of the member */
    uint64_t header;       /* of the member's local header, in the file */
    uint32_t crc;
    int method; /* 0 stored, 8 deflated */
    int flags;
};

/* The CRC of bytes; what was read of a large file is given back by and by. */
uint32_t heddle__zip_checksum(const unsigned char *data, uint64_t n);

/* Finds the directory. All of these set the thread's last error: what is wrong, and at which byte. */
enum heddle_status heddle__zip_open(const unsigned char *data, size_t n, struct heddle_zip *out);

/* The next entry; *more is 0 after the last. */
enum heddle_status heddle__zip_next(struct heddle_zip *zip, struct heddle_zip_entry *out,
                                    int *more);

/* The member's bytes, checked against its CRC: in place, if they are stored and the archive, whose bytes these are,
 * is mapped; else in memory of their own aligned to 64. HEDDLE_ENOMEM for more than `most` of the latter. */
enum heddle_status heddle__zip_read(const struct heddle_zip *zip,
                                    const struct heddle_zip_entry *entry,
                                    const struct heddle_bytes *archive, int64_t most,
                                    struct heddle_bytes *out);

#endif
