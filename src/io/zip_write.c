/* Writes zip archives into memory that has room for all of one. Members are stored, each .npy header at a
 * multiple of 64 bytes, so that a reader can use the data in place; zip64 fields are there only where numbers
 * need them. Knows nothing of arrays. Entry points: zip_write.h. */
#include "io/zip_write.h"

#include "io/zip.h"

#include <string.h>

enum {
    LOCAL_BYTES = 30,
    ENTRY_BYTES = 46,
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR_BYTES = 20,
    WIDE_BYTES = 4 + 16, /* the zip64 field of a local header */
    ALIGN_BYTES = 6,     /* the least of a field that aligns */
    ALIGN_ID = 0xd935,   /* the field's number, that of other writers that align */
    ALIGNMENT = 64,
    DATE = 1 << 5 |
           1, /* 1980-01-01, so that equal arrays give equal files; numpy.savez does so, too */
    VERSION = 20,
    VERSION_WIDE = 45,
    UTF8 = 1 << 11,
};
static const char suffix[] = ".npy";

/* ---- Layout ------------------------------------------------------------------------------------------ */

static uint64_t size_of(const struct heddle_zip_member *m)
{
    return m->header_bytes + m->data_bytes;
}

static uint64_t name_bytes(const struct heddle_zip_member *m)
{
    return strlen(m->name) + sizeof suffix - 1;
}

static bool is_wide(uint64_t value)
{
    return value >= UINT32_MAX;
}

/* Bytes of the zip64 field in the directory. */
static uint64_t wide_bytes(const struct heddle_zip_member *m)
{
    const uint64_t n = (is_wide(size_of(m)) ? 16U : 0U) + (is_wide(m->local) ? 8U : 0U);
    return n ? n + 4 : 0;
}

uint64_t heddle__zip_layout(int64_t n, struct heddle_zip_member *members)
{
    uint64_t at = 0, directory = 0;
    for (int64_t i = 0; i < n; i++) {
        struct heddle_zip_member *m = &members[i];
        m->local = at;
        at += LOCAL_BYTES + name_bytes(m) + (is_wide(size_of(m)) ? (uint64_t)WIDE_BYTES : 0U);
        uint64_t pad = (ALIGNMENT - at % ALIGNMENT) % ALIGNMENT;
        if (pad > 0 && pad < ALIGN_BYTES) pad += ALIGNMENT;
        m->at = at += pad;
        at += size_of(m);
        directory += ENTRY_BYTES + name_bytes(m) + wide_bytes(m);
    }
    const bool wide = n >= UINT16_MAX || is_wide(at) || is_wide(directory);
    return at + directory + (wide ? (uint64_t)(END64_BYTES + LOCATOR_BYTES) : 0U) + END_BYTES;
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static unsigned char *put(unsigned char *to, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++, value >>= 8) *to++ = (unsigned char)value;
    return to;
}

static unsigned char *put_bytes(unsigned char *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

static unsigned char *put_name(unsigned char *to, const struct heddle_zip_member *m)
{
    to = put_bytes(to, m->name, strlen(m->name));
    return put_bytes(to, suffix, sizeof suffix - 1);
}

static uint64_t clipped(uint64_t value)
{
    return is_wide(value) ? UINT32_MAX : value;
}

/* What local header and directory entry share: from the version to the length of the name. */
static unsigned char *put_common(unsigned char *to, const struct heddle_zip_member *m, uint32_t crc)
{
    bool ascii = true;
    for (const char *c = m->name; *c; c++) ascii = ascii && (unsigned char)*c < 128;
    to = put(to, is_wide(size_of(m)) || is_wide(m->local) ? VERSION_WIDE : VERSION, 2);
    to = put(to, ascii ? 0 : UTF8, 2);
    to = put(to, 0, 2); /* stored */
    to = put(to, 0, 2);
    to = put(to, DATE, 2);
    to = put(to, crc, 4);
    to = put(to, clipped(size_of(m)), 4);
    to = put(to, clipped(size_of(m)), 4);
    return put(to, name_bytes(m), 2);
}

static void put_local(unsigned char *file, const struct heddle_zip_member *m, uint32_t crc)
{
    const bool wide = is_wide(size_of(m));
    const uint64_t fixed = LOCAL_BYTES + name_bytes(m);
    const uint64_t extra = m->at - m->local - fixed;
    const uint64_t pad = extra - (wide ? (uint64_t)WIDE_BYTES : 0U);
    unsigned char *to = put_bytes(file + m->local, "PK\3\4", 4);
    to = put_common(to, m, crc);
    to = put(to, extra, 2);
    to = put_name(to, m);
    if (wide) {
        to = put(to, 1, 2);
        to = put(to, 16, 2);
        to = put(to, size_of(m), 8);
        to = put(to, size_of(m), 8);
    }
    if (pad == 0) return;
    to = put(to, ALIGN_ID, 2);
    to = put(to, pad - 4, 2);
    to = put(to, ALIGNMENT, 2);
    memset(to, 0, (size_t)pad - ALIGN_BYTES);
}

static unsigned char *put_entry(unsigned char *to, const struct heddle_zip_member *m, uint32_t crc)
{
    const uint64_t wide = wide_bytes(m);
    to = put_bytes(to, "PK\1\2", 4);
    to = put(to, VERSION_WIDE | 3 << 8, 2); /* made on Unix */
    to = put_common(to, m, crc);
    to = put(to, wide, 2);
    to = put(to, 0, 6); /* no comment, first disk, attributes */
    to = put(to, 0600ULL << 16, 4);
    to = put(to, clipped(m->local), 4);
    to = put_name(to, m);
    if (wide == 0) return to;
    to = put(to, 1, 2);
    to = put(to, wide - 4, 2);
    if (is_wide(size_of(m))) {
        to = put(to, size_of(m), 8);
        to = put(to, size_of(m), 8);
    }
    return is_wide(m->local) ? put(to, m->local, 8) : to;
}

static void put_end(unsigned char *to, uint64_t n, uint64_t directory, uint64_t size)
{
    if (n >= UINT16_MAX || is_wide(directory) || is_wide(size)) {
        to = put_bytes(to, "PK\6\6", 4);
        to = put(to, END64_BYTES - 12, 8);
        to = put(to, VERSION_WIDE | 3 << 8, 2);
        to = put(to, VERSION_WIDE, 2);
        to = put(to, 0, 8); /* one disk */
        to = put(to, n, 8);
        to = put(to, n, 8);
        to = put(to, size, 8);
        to = put(to, directory, 8);
        to = put_bytes(to, "PK\6\7", 4);
        to = put(to, 0, 4);
        to = put(to, directory + size, 8);
        to = put(to, 1, 4);
    }
    to = put_bytes(to, "PK\5\6", 4);
    to = put(to, 0, 4);
    to = put(to, n < UINT16_MAX ? n : UINT16_MAX, 2);
    to = put(to, n < UINT16_MAX ? n : UINT16_MAX, 2);
    to = put(to, clipped(size), 4);
    to = put(to, clipped(directory), 4);
    put(to, 0, 2);
}

void heddle__zip_write(unsigned char *file, int64_t n, const struct heddle_zip_member *members)
{
    const uint64_t directory = n > 0 ? members[n - 1].at + size_of(&members[n - 1]) : 0;
    unsigned char *to = file + directory;
    for (int64_t i = 0; i < n; i++) {
        const struct heddle_zip_member *m = &members[i];
        memcpy(file + m->at, m->header, m->header_bytes);
        const uint32_t crc = heddle__zip_checksum(file + m->at, size_of(m));
        put_local(file, m, crc);
        to = put_entry(to, m, crc);
    }
    put_end(to, (uint64_t)n, directory, (uint64_t)(to - file) - directory);
}
