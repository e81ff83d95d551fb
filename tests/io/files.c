/* See files.h. */
#include "files.h"

#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int n_failures;

void put(struct bytes *to, const void *data, size_t n)
{
    if (n > BYTES_MAX - to->n) abort();
    if (n) memcpy(to->data + to->n, data, n);
    to->n += n;
}

void put_le(struct bytes *to, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++, value >>= 8)
        put(to, &(unsigned char){(unsigned char)value}, 1);
}

void put_text(struct bytes *to, const char *text)
{
    put(to, text, strlen(text));
}

void npy_bytes(struct bytes *to, int version, const char *dict, const void *data, size_t n)
{
    const size_t fixed = version == 1 ? 10 : 12, length = strlen(dict);
    const size_t total = (fixed + length + 1 + 15) / 16 * 16;
    to->n = 0;
    put(to, "\x93NUMPY", 6);
    put_le(to, (uint64_t)version, 2);
    put_le(to, total - fixed, version == 1 ? 2 : 4);
    put_text(to, dict);
    while (to->n < total - 1) put(to, " ", 1);
    put(to, "\n", 1);
    put(to, data, n);
}

static size_t deflate_all(const void *data, size_t n, unsigned char *out, size_t room)
{
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END) abort();
    deflateEnd(&z);
    return z.total_out;
}

void zip_add(struct zip_maker *zip, const char *name, const void *data, size_t n, int flags)
{
    static unsigned char packed[BYTES_MAX];
    const unsigned char *payload = data;
    size_t packed_bytes = n;
    if (flags & ZIP_DEFLATE) {
        packed_bytes = deflate_all(data, n, packed, sizeof packed);
        payload = packed;
    }
    const uint64_t offset = zip->file.n;
    const uint32_t crc = (uint32_t)crc32(0, data, (uInt)n) ^ (flags & ZIP_BAD_CRC ? 1U : 0);
    const uint64_t method = flags & ZIP_DEFLATE ? 8 : 0, wide = flags & ZIP_64 ? 1 : 0;

    /* local header; numpy.savez writes zip64 extra fields there */
    put(&zip->file, "PK\3\4\24\0\0\0", 8);
    put_le(&zip->file, method, 2);
    put_le(&zip->file, 0, 4);
    put_le(&zip->file, crc, 4);
    put_le(&zip->file, wide ? UINT32_MAX : packed_bytes, 4);
    put_le(&zip->file, wide ? UINT32_MAX : n, 4);
    put_le(&zip->file, strlen(name), 2);
    put_le(&zip->file, wide ? 20 : 0, 2);
    put_text(&zip->file, name);
    if (wide) {
        put_le(&zip->file, 1, 2);
        put_le(&zip->file, 16, 2);
        put_le(&zip->file, n, 8);
        put_le(&zip->file, packed_bytes, 8);
    }
    put(&zip->file, payload, packed_bytes);

    struct bytes *d = &zip->directory;
    put(d, "PK\1\2\24\3\24\0\0\0", 10);
    put_le(d, method, 2);
    put_le(d, 0, 4);
    put_le(d, crc, 4);
    put_le(d, wide ? UINT32_MAX : packed_bytes, 4);
    put_le(d, wide ? UINT32_MAX : n, 4);
    put_le(d, strlen(name), 2);
    put_le(d, wide ? 4 + 2 + 4 + 24 : 0, 2);
    put_le(d, 0, 10);
    put_le(d, wide ? UINT32_MAX : offset, 4);
    put_text(d, name);
    if (wide) {
        put(d, "xx\2\0zz", 6); /* a foreign field first */
        put_le(d, 1, 2);
        put_le(d, 24, 2);
        put_le(d, n, 8);
        put_le(d, packed_bytes, 8);
        put_le(d, offset, 8);
    }
    zip->n_entries++;
}

void zip_finish(struct zip_maker *zip, int flags)
{
    struct bytes *f = &zip->file;
    const uint64_t at = f->n, size = zip->directory.n, n = (uint64_t)zip->n_entries;
    put(f, zip->directory.data, zip->directory.n);
    if (flags & ZIP_64) {
        const uint64_t end64 = f->n;
        put(f, "PK\6\6", 4);
        put_le(f, 44, 8);
        put_le(f, 0x2d002d, 4);
        put_le(f, 0, 8);
        put_le(f, n, 8);
        put_le(f, n, 8);
        put_le(f, size, 8);
        put_le(f, at, 8);
        put(f, "PK\6\7", 4);
        put_le(f, 0, 4);
        put_le(f, end64, 8);
        put_le(f, 1, 4);
    }
    put(f, "PK\5\6", 4);
    put_le(f, 0, 4);
    put_le(f, flags & ZIP_64 ? UINT16_MAX : n, 2);
    put_le(f, flags & ZIP_64 ? UINT16_MAX : n, 2);
    put_le(f, flags & ZIP_64 ? UINT32_MAX : size, 4);
    put_le(f, flags & ZIP_64 ? UINT32_MAX : at, 4);
    put_le(f, 0, 2);
}

const char *memory_file(const struct bytes *contents)
{
    static int fd = -1;
    static char path[32];
    if (fd < 0) fd = memfd_create("io_test", MFD_CLOEXEC);
    if (ftruncate(fd, (off_t)contents->n) != 0 ||
        pwrite(fd, contents->data, contents->n, 0) != (ssize_t)contents->n)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

int file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

size_t read_file(const char *path, unsigned char *out, size_t room)
{
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    const size_t n = fread(out, 1, room, f);
    fclose(f);
    return n;
}

int count_files(const char *prefix)
{
    int n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += !strncmp(e->d_name, prefix, strlen(prefix));
    if (d) closedir(d);
    return n;
}

uint32_t random_below(uint32_t n)
{
    static uint64_t state = 88172645463325252U;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) % n);
}

void mutate(struct bytes *file)
{
    static const char interesting[] =
        "'\"(){}[],:<>|=-0123456789L \nTFPK\1\2\3\4\5\6\7\xff\x7f\x80";
    for (uint32_t k = random_below(4) + 1; k > 0 && file->n > 0; k--) {
        /* mostly where the structure is: the start and the end */
        const uint32_t n = (uint32_t)file->n, near = n < 160 ? n : 160;
        const uint32_t at = random_below(8) == 0   ? random_below(n)
                            : random_below(2) == 0 ? random_below(near)
                                                   : n - 1 - random_below(near);
        switch (random_below(8)) {
        case 0: file->data[at] = (unsigned char)random_below(256); break;
        case 1: file->data[at] ^= (unsigned char)(1U << random_below(8)); break;
        case 2: file->n = random_below(16) == 0 ? at : file->n; break;
        case 3: /* leave one out */
            memmove(file->data + at, file->data + at + 1, n - at - 1);
            file->n--;
            break;
        case 4: /* put one in */
            if (n < BYTES_MAX) {
                memmove(file->data + at + 1, file->data + at, n - at);
                file->n++;
            }
            break;
        case 5: /* a large number */
            memset(file->data + at, random_below(2) ? 0xff : 0x7f, n - at < 4 ? n - at : 4);
            break;
        default: file->data[at] = (unsigned char)interesting[random_below(sizeof interesting - 1)];
        }
    }
}

void fill_pattern(unsigned char *data, size_t n, enum heddle_dtype dtype)
{
    for (size_t i = 0; i < n; i++)
        data[i] = dtype == HEDDLE_BOOL ? (unsigned char)(i % 3 == 0) : (unsigned char)(i + 1);
}

void check_any(heddle_array *a)
{
    if (heddle_status_of(a) != HEDDLE_OK) {
        CHECK(heddle_error(a)[0], "an error without a text");
        return;
    }
    const int64_t n = heddle_nbytes(a);
    CHECK(n >= 0 && n <= BYTES_MAX * 1040LL, "%lld bytes", (long long)n);
    unsigned char *out = malloc((size_t)n + 1);
    if (!out) exit(1);
    const enum heddle_status status = heddle_read(a, out, n);
    CHECK(status == HEDDLE_OK, "read: %s", heddle_error(a));
    if (heddle_dtype_of(a) == HEDDLE_BOOL)
        for (int64_t i = 0; i < n; i++) CHECK(out[i] <= 1, "bool of %d", out[i]);
    free(out);
}
