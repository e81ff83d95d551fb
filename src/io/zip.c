/* The zip reader, over bytes in memory. It believes no number of the archive before it is checked:
 * an entry costs nothing until its bytes are known to be there, and a member may be at most as large
 * as deflate can make it. Knows nothing of arrays. Entry points: zip.h. */
#define ZLIB_CONST /* input of zlib is const */
#include "io/zip.h"

#include "array/file_pages.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum {
    END_BYTES = 22,     /* end of central directory */
    END64_BYTES = 56,   /* end of central directory of zip64 */
    LOCATOR_BYTES = 20, /* says where the latter is */
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    DEFLATE_RATIO_MAX = 1032, /* a deflate stream cannot expand more */
};

static uint32_t get16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p)
{
    return (uint64_t)get32(p) | (uint64_t)get32(p + 4) << 32;
}

static int has_signature(const unsigned char *p, unsigned char third, unsigned char fourth)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == third && p[3] == fourth;
}

/* The numbers of the zip64 end record, if there is one before the end record at `end`. */
static enum heddle_status read_end64(const unsigned char *data, size_t end, uint64_t *directory_end,
                                     uint64_t *n_entries, uint64_t *size, uint64_t *offset)
{
    if (end < LOCATOR_BYTES || !has_signature(data + end - LOCATOR_BYTES, 6, 7)) return HEDDLE_OK;
    const size_t locator = end - LOCATOR_BYTES;
    /* The record is right before its locator, or where the locator says. */
    uint64_t at = get64(data + locator + 8);
    if (locator >= END64_BYTES && has_signature(data + locator - END64_BYTES, 6, 6))
        at = locator - END64_BYTES;
    HEDDLE_REQUIRE(locator >= END64_BYTES && at <= locator - END64_BYTES &&
                       has_signature(data + at, 6, 6),
                   HEDDLE_EFORMAT, "byte %zu: no zip64 directory where the locator says", locator);
    *n_entries = get64(data + at + 32);
    *size = get64(data + at + 40);
    *offset = get64(data + at + 48);
    *directory_end = at;
    return HEDDLE_OK;
}

enum heddle_status heddle__zip_open(const unsigned char *data, size_t n, struct heddle_zip *out)
{
    enum heddle_status status;
    HEDDLE_REQUIRE(n >= END_BYTES, HEDDLE_EFORMAT, "byte 0: not a zip file (%zu bytes)", n);
    size_t end = n - END_BYTES;
    const size_t lowest = end > UINT16_MAX ? end - UINT16_MAX : 0; /* a comment may follow */
    while (!(has_signature(data + end, 5, 6) && get16(data + end + 20) <= n - END_BYTES - end)) {
        HEDDLE_REQUIRE(end > lowest, HEDDLE_EFORMAT,
                       "byte %zu: not a zip file (no end of a directory), or truncated", n);
        end--;
    }
    HEDDLE_REQUIRE(get16(data + end + 4) == 0 || get16(data + end + 4) == UINT16_MAX,
                   HEDDLE_EUNSUPPORTED, "byte %zu: an archive of several disks", end + 4);

    uint64_t directory_end = end, n_entries = get16(data + end + 10);
    uint64_t size = get32(data + end + 12), offset = get32(data + end + 16);
    HEDDLE_TRY(read_end64(data, end, &directory_end, &n_entries, &size, &offset));
    HEDDLE_REQUIRE(size <= directory_end && offset <= directory_end - size, HEDDLE_EFORMAT,
                   "byte %zu: the directory (%" PRIu64 " bytes at %" PRIu64
                   ") lies outside the file",
                   end, size, offset);
    HEDDLE_REQUIRE(n_entries <= size / ENTRY_BYTES, HEDDLE_EFORMAT,
                   "byte %zu: %" PRIu64 " entries in a directory of %" PRIu64 " bytes", end,
                   n_entries, size);
    *out = (struct heddle_zip){.data = data,
                               .n = n,
                               .base = directory_end - size - offset,
                               .at = directory_end - size,
                               .end = directory_end,
                               .left = n_entries};
fail:
    return status;
}

/* Takes the next 64-bit number of the zip64 extra field for a number that did not fit 32 bits. */
static int widen(uint64_t *value, const unsigned char **field, size_t *left)
{
    if (*value != UINT32_MAX) return 1;
    if (*left < 8) return 0;
    *value = get64(*field);
    *field += 8;
    *left -= 8;
    return 1;
}

/* Whether the extra fields are whole and complete the entry's three numbers. */
static int read_extra(const unsigned char *extra, size_t n, struct heddle_zip_entry *e)
{
    while (n >= 4) {
        size_t length = get16(extra + 2);
        const unsigned char *field = extra + 4;
        if (length > n - 4) return 0;
        n -= 4 + length;
        extra += 4 + length;
        if (get16(field - 4) == 1)
            return widen(&e->size, &field, &length) && widen(&e->packed, &field, &length) &&
                   widen(&e->header, &field, &length);
    }
    return 1;
}

enum heddle_status heddle__zip_next(struct heddle_zip *zip, struct heddle_zip_entry *out, int *more)
{
    *more = zip->left > 0;
    if (!*more) return HEDDLE_OK;
    const unsigned char *p = zip->data + zip->at;
    HEDDLE_REQUIRE(zip->end - zip->at >= ENTRY_BYTES && has_signature(p, 1, 2), HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": no entry of the directory here", zip->at);
    const size_t name = get16(p + 28), extra = get16(p + 30), comment = get16(p + 32);
    HEDDLE_REQUIRE(name + extra + comment <= zip->end - zip->at - ENTRY_BYTES, HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": entry goes past the end of the directory", zip->at);
    HEDDLE_REQUIRE(!memchr(p + ENTRY_BYTES, 0, name), HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": a zero byte in a member's name", zip->at + ENTRY_BYTES);
    struct heddle_zip_entry e = {.name = (const char *)p + ENTRY_BYTES,
                                 .name_length = name,
                                 .packed = get32(p + 20),
                                 .size = get32(p + 24),
                                 .header = get32(p + 42),
                                 .crc = get32(p + 16),
                                 .method = (int)get16(p + 10),
                                 .flags = (int)get16(p + 8)};
    HEDDLE_REQUIRE(read_extra(p + ENTRY_BYTES + name, extra, &e), HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": malformed extra field", zip->at + ENTRY_BYTES + name);
    HEDDLE_REQUIRE(e.header <= zip->n - zip->base, HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": member lies outside the file", zip->at + 42);
    e.header += zip->base;
    zip->at += ENTRY_BYTES + name + extra + comment;
    zip->left--;
    *out = e;
    return HEDDLE_OK;
}

static void *zlib_alloc(void *opaque, uInt n, uInt size)
{
    (void)opaque;
    return heddle__calloc(n, size);
}

static void zlib_free(void *opaque, void *p)
{
    (void)opaque;
    heddle__free(p);
}

/* Fills `out` with exactly entry->size bytes. */
static enum heddle_status inflate_all(const struct heddle_zip_entry *entry,
                                      const unsigned char *packed, uint64_t at, unsigned char *out)
{
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free};
    HEDDLE_REQUIRE(inflateInit2(&z, -MAX_WBITS) == Z_OK, HEDDLE_ENOMEM, "no memory to inflate");
    const uint64_t step = 1 << 30; /* zlib counts in 32 bits */
    uint64_t in_left = entry->packed, out_left = entry->size;
    unsigned char past_end;
    int rc = Z_OK;
    z.next_in = packed;
    z.next_out = out;
    while (rc == Z_OK) {
        if (z.avail_in == 0) {
            z.avail_in = (uInt)(in_left < step ? in_left : step);
            in_left -= z.avail_in;
        }
        if (z.avail_out == 0) {
            if (out_left == 0) z.next_out = &past_end; /* now only the end of the stream may come */
            z.avail_out = out_left == 0 ? 1 : (uInt)(out_left < step ? out_left : step);
            out_left -= out_left == 0 ? 0 : z.avail_out;
        }
        rc = inflate(&z, Z_NO_FLUSH);
        if (z.next_out == &past_end + 1) rc = Z_DATA_ERROR;
    }
    const uint64_t consumed = entry->packed - in_left - z.avail_in;
    const int complete = rc == Z_STREAM_END && out_left == 0 &&
                         (z.next_out == out + entry->size || z.next_out == &past_end);
    inflateEnd(&z);
    HEDDLE_REQUIRE(rc != Z_MEM_ERROR, HEDDLE_ENOMEM, "no memory to inflate");
    HEDDLE_REQUIRE(complete, HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": deflated data are damaged or not of %" PRIu64 " bytes",
                   at + consumed, entry->size);
    return HEDDLE_OK;
}

uint32_t heddle__zip_checksum(const unsigned char *data, uint64_t n)
{
    const uint64_t step = HEDDLE_PAGES_STEP;
    uLong crc = 0;
    for (uint64_t at = 0; at < n; at += step) {
        const uint64_t bytes = n - at < step ? n - at : step;
        crc = crc32_z(crc, data + at, (size_t)bytes);
        heddle__drop_pages(data + at, (int64_t)bytes);
    }
    return (uint32_t)crc;
}

enum heddle_status heddle__zip_read(const struct heddle_zip *zip,
                                    const struct heddle_zip_entry *entry,
                                    const struct heddle_bytes *archive, int64_t most,
                                    struct heddle_bytes *out)
{
    /* Where the packed bytes are: the lengths in the local header may differ from the directory's. */
    const uint64_t at = entry->header;
    HEDDLE_REQUIRE(zip->n - at >= LOCAL_BYTES && has_signature(zip->data + at, 3, 4),
                   HEDDLE_EFORMAT, "byte %" PRIu64 ": no member of the archive here", at);
    const uint64_t skip = LOCAL_BYTES + get16(zip->data + at + 26) + get16(zip->data + at + 28);
    HEDDLE_REQUIRE(skip <= zip->n - at && entry->packed <= zip->n - at - skip, HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": member of %" PRIu64 " bytes goes past the end of the file",
                   at, entry->packed);
    HEDDLE_REQUIRE(!(entry->flags & 1), HEDDLE_EUNSUPPORTED, "byte %" PRIu64 ": encrypted member",
                   at);
    HEDDLE_REQUIRE(entry->method == 0 || entry->method == 8, HEDDLE_EUNSUPPORTED,
                   "byte %" PRIu64 ": compression method %d (stored and deflated are supported)",
                   at, entry->method);

    /* check that it is plausible before memory is spent on it */
    const int plausible = entry->method == 0 ? entry->size == entry->packed
                                             : entry->size / DEFLATE_RATIO_MAX <= entry->packed;
    HEDDLE_REQUIRE(plausible && entry->size < SIZE_MAX / 2, HEDDLE_EFORMAT,
                   "byte %" PRIu64 ": %" PRIu64 " bytes cannot become %" PRIu64, at, entry->packed,
                   entry->size);
    const unsigned char *packed = zip->data + at + skip;
    const bool in_place = entry->method == 0 && archive->mapping;
    HEDDLE_REQUIRE(in_place || entry->size <= (uint64_t)most, HEDDLE_ENOMEM,
                   "byte %" PRIu64 ": member of %s, and there is memory for %s", at,
                   heddle__bytes_text((double)entry->size).text,
                   heddle__bytes_text((double)most).text);
    unsigned char *data = in_place ? NULL : heddle__alloc_aligned((size_t)entry->size);
    HEDDLE_REQUIRE(in_place || data, HEDDLE_ENOMEM, "no memory for %" PRIu64 " bytes", entry->size);

    enum heddle_status status = HEDDLE_OK;
    if (entry->method == 0 && data)
        memcpy(data, packed, (size_t)entry->size);
    else if (data)
        status = inflate_all(entry, packed, at + skip, data);
    const unsigned char *bytes = data ? data : packed;
    if (status == HEDDLE_OK && heddle__zip_checksum(bytes, entry->size) != entry->crc)
        status = heddle__fail(HEDDLE_EFORMAT, "byte %" PRIu64 ": the member's CRC is wrong", at);
    if (status != HEDDLE_OK) {
        heddle__free(data);
        return status;
    }
    *out = (struct heddle_bytes){.data = bytes, .n = (size_t)entry->size};
    out->mapping = in_place ? heddle__mapping_retain(archive->mapping) : NULL;
    out->user = in_place ? (void *)out->mapping : data;
    out->release = in_place ? heddle__mapping_release : heddle__free;
    return HEDDLE_OK;
}
