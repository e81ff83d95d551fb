/* Reads and writes the header of a .npy file: magic, version, length, and the literal of a Python
 * dict with the keys descr, fortran_order and shape. The reader takes what numpy.save has ever
 * written, keys in any order, and nothing else; it trusts no number. Touches no array and no file.
 * Entry points: heddle__npy_parse_header, heddle__npy_format_header. */
#include "base/dtype.h"
#include "io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the reader is. Offsets in messages count from the start of the file. */
struct cursor {
    const unsigned char *data;
    size_t at, end;
};

static void skip_space(struct cursor *c)
{
    while (c->at < c->end && c->data[c->at] && strchr(" \t\n\r\f", c->data[c->at])) c->at++;
}

/* The next character that is no space, or 0 at the end. */
static int peek(struct cursor *c)
{
    skip_space(c);
    return c->at < c->end ? c->data[c->at] : 0;
}

/* "'x'" or "the end of the header" or "byte 0x80", for messages. */
static const char *found(struct cursor *c, char out[32])
{
    const int x = peek(c);
    if (c->at >= c->end)
        snprintf(out, 32, "the end of the header");
    else
        snprintf(out, 32, x > 32 && x < 127 ? "'%c'" : "byte 0x%02x", x);
    return out;
}

static enum heddle_status expect(struct cursor *c, char wanted)
{
    char text[32];
    const bool ok = peek(c) == wanted;
    HEDDLE_REQUIRE(ok, HEDDLE_EFORMAT, "byte %zu: expected '%c', found %s", c->at, wanted,
                   found(c, text));
    c->at++;
    return HEDDLE_OK;
}

/* A string literal without escapes, of less than `room` characters. */
static enum heddle_status read_string(struct cursor *c, char *out, size_t room)
{
    char text[32];
    const int quote = peek(c);
    HEDDLE_REQUIRE(quote == '\'' || quote == '"', HEDDLE_EFORMAT,
                   "byte %zu: expected a string, found %s", c->at, found(c, text));
    const size_t start = ++c->at;
    size_t n = 0;
    for (; c->at < c->end && c->data[c->at] != quote; c->at++) {
        const unsigned char x = c->data[c->at];
        HEDDLE_REQUIRE(x >= 32 && x < 127 && x != '\\', HEDDLE_EFORMAT,
                       "byte %zu: byte 0x%02x in a string", c->at, x);
        HEDDLE_REQUIRE(n + 1 < room, HEDDLE_EFORMAT, "byte %zu: string too long", start);
        out[n++] = (char)x;
    }
    HEDDLE_REQUIRE(c->at < c->end, HEDDLE_EFORMAT, "byte %zu: string without end", start - 1);
    c->at++;
    out[n] = 0;
    return HEDDLE_OK;
}

static bool is_letter(int x)
{
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_';
}

static enum heddle_status read_bool(struct cursor *c, bool *out)
{
    char word[8];
    size_t n = 0;
    skip_space(c);
    const size_t start = c->at;
    while (c->at < c->end && is_letter(c->data[c->at]) && n + 1 < sizeof word)
        word[n++] = (char)c->data[c->at++];
    word[n] = 0;
    *out = !strcmp(word, "True");
    HEDDLE_REQUIRE(*out || !strcmp(word, "False"), HEDDLE_EFORMAT,
                   "byte %zu: fortran_order is neither True nor False", start);
    return HEDDLE_OK;
}

static enum heddle_status read_extent(struct cursor *c, int64_t *out)
{
    char text[32];
    const int first = peek(c);
    const size_t start = c->at;
    HEDDLE_REQUIRE(first != '-', HEDDLE_EFORMAT, "byte %zu: negative extent in shape", start);
    HEDDLE_REQUIRE(first >= '0' && first <= '9', HEDDLE_EFORMAT,
                   "byte %zu: expected an extent of shape, found %s", start, found(c, text));
    int64_t value = 0;
    while (c->at < c->end && c->data[c->at] >= '0' && c->data[c->at] <= '9') {
        const int digit = c->data[c->at++] - '0';
        HEDDLE_REQUIRE(value <= (INT64_MAX - digit) / 10, HEDDLE_EFORMAT,
                       "byte %zu: extent of shape does not fit 64 bits", start);
        value = value * 10 + digit;
    }
    HEDDLE_REQUIRE(first != '0' || c->at == start + 1, HEDDLE_EFORMAT,
                   "byte %zu: extent of shape starts with 0", start);
    if (c->at < c->end && c->data[c->at] == 'L') c->at++; /* as Python 2 wrote long integers */
    *out = value;
    return HEDDLE_OK;
}

/* A tuple: (), (3,), (3, 4), (3, 4,). */
static enum heddle_status read_shape(struct cursor *c, struct heddle_npy_header *h)
{
    enum heddle_status status;
    HEDDLE_TRY(expect(c, '('));
    const size_t start = c->at - 1;
    bool comma = true;
    for (h->ndim = 0; peek(c) != ')'; h->ndim++) {
        if (!comma) return expect(c, ',');
        HEDDLE_REQUIRE(h->ndim < HEDDLE_MAX_NDIM, HEDDLE_ESHAPE,
                       "byte %zu: shape has more than %d axes", start, HEDDLE_MAX_NDIM);
        HEDDLE_TRY(read_extent(c, &h->shape[h->ndim]));
        comma = peek(c) == ',';
        if (comma) c->at++;
    }
    c->at++;
    HEDDLE_REQUIRE(h->ndim != 1 || comma, HEDDLE_EFORMAT,
                   "byte %zu: shape is a number in parentheses, not a tuple", start);
    status = HEDDLE_OK;
fail:
    return status;
}

/* NumPy's name for a type code for which Heddle has no dtype; NULL if NumPy has none either. */
static const char *foreign_dtype(const char *code)
{
    static const struct {
        const char *code, *name;
    } known[] = {{"f12", "longdouble"},  {"f16", "longdouble"},  {"O", "object"},
                 {"c24", "clongdouble"}, {"c32", "clongdouble"}, {"S", "bytes"},
                 {"a", "bytes"},         {"U", "str"},           {"V", "void"},
                 {"M", "datetime64"},    {"m", "timedelta64"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t n = strlen(known[i].code);
        if (n == 1 ? code[0] == known[i].code[0] : !strcmp(code, known[i].code))
            return known[i].name;
    }
    return NULL;
}

static enum heddle_status read_descr(struct cursor *c, struct heddle_npy_header *h)
{
    enum heddle_status status;
    char descr[32];
    const int first = peek(c);
    const size_t start = c->at;
    HEDDLE_REQUIRE(first != '[' && first != '(', HEDDLE_EDTYPE,
                   "byte %zu: structured dtypes are not supported", start);
    HEDDLE_TRY(read_string(c, descr, sizeof descr));

    const char *code = descr;
    char order = '=';
    if (*code && strchr("<>=|", *code)) order = *code++;
    h->dtype = heddle__dtype_from_npy(code);
    if (!h->dtype) {
        const char *name = foreign_dtype(code);
        HEDDLE_REQUIRE(!name, HEDDLE_EDTYPE, "byte %zu: dtype %s ('%s') is not supported", start,
                       name, descr);
        return heddle__fail(HEDDLE_EFORMAT, "byte %zu: '%s' is no dtype", start, descr);
    }
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    h->swap = heddle_dtype_size(h->dtype) > 1 && order == (little ? '>' : '<');
fail:
    return status;
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static enum heddle_status read_entry(struct cursor *c, struct heddle_npy_header *h, int *seen)
{
    enum heddle_status status;
    char key[32];
    skip_space(c);
    const size_t start = c->at;
    HEDDLE_TRY(read_string(c, key, sizeof key));
    HEDDLE_TRY(expect(c, ':'));
    const int which = !strcmp(key, "descr")           ? HAS_DESCR
                      : !strcmp(key, "fortran_order") ? HAS_ORDER
                      : !strcmp(key, "shape")         ? HAS_SHAPE
                                                      : 0;
    HEDDLE_REQUIRE(which, HEDDLE_EFORMAT, "byte %zu: unknown key '%s'", start, key);
    HEDDLE_REQUIRE(!(*seen & which), HEDDLE_EFORMAT, "byte %zu: key '%s' twice", start, key);
    *seen |= which;
    if (which == HAS_DESCR) return read_descr(c, h);
    if (which == HAS_ORDER) return read_bool(c, &h->fortran);
    return read_shape(c, h);
fail:
    return status;
}

static enum heddle_status read_dict(struct cursor *c, struct heddle_npy_header *h)
{
    enum heddle_status status;
    int seen = 0;
    bool comma = true;
    char text[32];
    HEDDLE_TRY(expect(c, '{'));
    while (peek(c) != '}') {
        if (!comma) return expect(c, ',');
        HEDDLE_TRY(read_entry(c, h, &seen));
        comma = peek(c) == ',';
        if (comma) c->at++;
    }
    c->at++;
    HEDDLE_REQUIRE(seen == HAS_ALL, HEDDLE_EFORMAT, "byte %zu: the header has no key '%s'",
                   c->at - 1,
                   !(seen & HAS_DESCR)   ? "descr"
                   : !(seen & HAS_ORDER) ? "fortran_order"
                                         : "shape");
    peek(c);
    HEDDLE_REQUIRE(c->at == c->end, HEDDLE_EFORMAT, "byte %zu: %s after the dict", c->at,
                   found(c, text));
    status = HEDDLE_OK;
fail:
    return status;
}

/* Checks that elements and bytes of the data fit in 63 bits and in the file. */
static enum heddle_status check_sizes(size_t n, struct heddle_npy_header *h)
{
    const int64_t item = (int64_t)heddle_dtype_size(h->dtype);
    bool overflow = false;
    h->n_elems = 1;
    for (int d = 0; d < h->ndim; d++)
        if (h->shape[d] == 0) h->n_elems = 0;
    for (int d = 0; d < h->ndim && h->n_elems; d++)
        overflow |= __builtin_mul_overflow(h->n_elems, h->shape[d], &h->n_elems);
    overflow |= __builtin_mul_overflow(h->n_elems, item, &h->size_bytes);
    HEDDLE_REQUIRE(!overflow, HEDDLE_EFORMAT, "byte %zu: shape and dtype make more than 2^63 bytes",
                   h->data_offset);
    HEDDLE_REQUIRE((uint64_t)h->size_bytes <= n - h->data_offset, HEDDLE_EFORMAT,
                   "byte %zu: the header promises %" PRId64 " bytes of data, %zu follow",
                   h->data_offset, h->size_bytes, n - h->data_offset);
    return HEDDLE_OK;
}

enum heddle_status heddle__npy_parse_header(const unsigned char *data, size_t n,
                                            struct heddle_npy_header *out)
{
    enum heddle_status status;
    struct heddle_npy_header h = {0};
    HEDDLE_REQUIRE(n > 0, HEDDLE_EFORMAT, "byte 0: the file is empty");
    HEDDLE_REQUIRE(!memcmp(data, "\x93NUMPY", n < 6 ? n : 6), HEDDLE_EFORMAT,
                   "byte 0: not a .npy file (it does not start with \\x93NUMPY)");
    HEDDLE_REQUIRE(n >= 10, HEDDLE_EFORMAT, "byte %zu: the file ends in the header", n);
    HEDDLE_REQUIRE(data[6] >= 1 && data[6] <= 3 && data[7] == 0, HEDDLE_EFORMAT,
                   "byte 6: version %d.%d of the format is unknown (1.0, 2.0 and 3.0 are)", data[6],
                   data[7]);
    size_t start = 10, length = (size_t)data[8] | (size_t)data[9] << 8;
    if (data[6] > 1) {
        start = 12;
        HEDDLE_REQUIRE(n >= 12, HEDDLE_EFORMAT, "byte %zu: the file ends in the header", n);
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    }
    HEDDLE_REQUIRE(length <= n - start, HEDDLE_EFORMAT,
                   "byte 8: a header of %zu bytes in a file of %zu", length, n);

    struct cursor c = {.data = data, .at = start, .end = start + length};
    HEDDLE_TRY(read_dict(&c, &h));
    h.data_offset = start + length;
    HEDDLE_TRY(check_sizes(n, &h));
    *out = h;
fail:
    return status;
}

size_t heddle__npy_format_header(enum heddle_dtype dtype, int ndim, const int64_t *shape,
                                 unsigned char out[HEDDLE_NPY_HEADER_MAX])
{
    char text[HEDDLE_NPY_HEADER_MAX];
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const char order = heddle_dtype_size(dtype) == 1 ? '|' : little ? '<' : '>';
    int n = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     order, heddle__dtype_npy(dtype));
    int room_to_grow = 0; /* NumPy leaves space for axis 0 to grow to 21 digits */
    for (int d = 0; d < ndim; d++) {
        const int before = n;
        n += snprintf(text + n, sizeof text - (size_t)n, "%" PRId64, shape[d]);
        if (d == 0) room_to_grow = 21 - (n - before);
        if (d == 0 && ndim == 1)
            n += snprintf(text + n, sizeof text - (size_t)n, ",");
        else if (d < ndim - 1)
            n += snprintf(text + n, sizeof text - (size_t)n, ", ");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "), }%*s", room_to_grow, "");

    /* 10 bytes before the text and the newline after it are part of the padded length. */
    const size_t total = (10 + (size_t)n + 1 + 63) / 64 * 64, length = total - 10;
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (unsigned char)(length & 255);
    out[9] = (unsigned char)(length >> 8);
    memset(out + 10, ' ', length);
    memcpy(out + 10, text, (size_t)n);
    out[total - 1] = '\n';
    return total;
}
