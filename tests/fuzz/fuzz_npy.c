/* libFuzzer: any bytes as the header of a .npy file, and as a zip archive whose members are .npy.
 * Both must say OK or fail with a text; what they accept must lie within the bytes. */
#include "base/memory.h"
#include "io/npy.h"
#include "io/zip.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int condition)
{
    if (!condition) abort();
}

static void check_header(const unsigned char *data, size_t n)
{
    struct heddle_npy_header h;
    if (heddle__npy_parse_header(data, n, &h) != HEDDLE_OK) {
        require(heddle_last_error()[0] != 0);
        return;
    }
    require(h.ndim >= 0 && h.ndim <= HEDDLE_MAX_NDIM && h.size_bytes >= 0);
    require(h.data_offset <= n && (uint64_t)h.size_bytes <= n - h.data_offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct heddle_zip zip;
    struct heddle_zip_entry entry;
    struct heddle_bytes bytes;
    int more;
    check_header(data, n);
    if (heddle__zip_open(data, n, &zip) != HEDDLE_OK) return 0;
    while (heddle__zip_next(&zip, &entry, &more) == HEDDLE_OK && more)
        if (heddle__zip_read(&zip, &entry, &(struct heddle_bytes){0}, INT64_MAX, &bytes) ==
            HEDDLE_OK) {
            check_header(bytes.data, bytes.n);
            heddle__bytes_release(&bytes);
        }
    require(heddle__alloc_live() == 0);
    return 0;
}
