/* The value of an array as NumPy's str() writes it: aligned columns, 8 digits, lines of 75 columns,
 * three items at each end of long axes; or as its repr() does: array([1., 2.]). Reads only what it
 * shows. Must not plan or submit by itself. Entry points: heddle_format, heddle__format_repr. */
#include "explain/format.h"

#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"
#include "explain/format_number.h"
#include "graph/check.h"
#include "graph/infer.h"

#include <heddle/create.h>
#include <heddle/explain.h>
#include <heddle/index.h>
#include <heddle/io.h>
#include <heddle/manipulate.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 75, EDGE = 3, THRESHOLD = 1000 };

/* The text being written, and the values that it shows. */
struct page {
    char *text;
    int64_t n, capacity;
    bool no_memory;

    enum heddle_dtype dtype;
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM];   /* of the data held: long axes cut to 2 * EDGE */
    bool summarised[HEDDLE_MAX_NDIM]; /* which axes are cut */
    int64_t size;
    void *data;
    double *numbers; /* floating: real parts, or pairs */
    struct heddle__float_format re, im;
    int width; /* integers, bool */

    const char *prefix; /* of the first line; others are indented by its length */
    const char *comma;  /* between items: "," or "" */
};

static void put(struct page *p, const char *text, int64_t n)
{
    if (p->no_memory || !heddle__grow(&p->text, 1, p->n + n + 1, &p->capacity)) {
        p->no_memory = true;
        return;
    }
    memcpy(p->text + p->n, text, (size_t)n);
    p->n += n;
    p->text[p->n] = 0;
}

static void put_repeated(struct page *p, char c, int64_t n)
{
    for (; n > 0; n--) put(p, &c, 1);
}

/* ---- Items --------------------------------------------------------------------------------------- */

static int integer_text(const struct page *p, int64_t i, char *out)
{
    switch (p->dtype) {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) CASE_##kind(ID, ctype)
#define CASE_B(ID, ctype)
#define CASE_F(ID, ctype)
#define CASE_C(ID, ctype)
#define CASE_I(ID, ctype)                                                                          \
    case HEDDLE_##ID:                                                                              \
        return snprintf(out, HEDDLE_FORMAT_MAX, "%" PRId64, (int64_t)((const ctype *)p->data)[i]);
#define CASE_U(ID, ctype)                                                                          \
    case HEDDLE_##ID:                                                                              \
        return snprintf(out, HEDDLE_FORMAT_MAX, "%" PRIu64, (uint64_t)((const ctype *)p->data)[i]);
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
    default:
        return snprintf(out, HEDDLE_FORMAT_MAX, "%s",
                        ((const bool *)p->data)[i] ? "True" : "False");
    }
}

static bool is_complex(const struct page *p)
{
    return heddle_dtype_kind(p->dtype) == 'C';
}

/* Writes item i in the format of its array; gives its length. */
static int item_text(const struct page *p, int64_t i, char *out)
{
    char text[HEDDLE_FORMAT_MAX];
    if (!p->numbers) {
        integer_text(p, i, text);
        return snprintf(out, HEDDLE_FORMAT_MAX, "%*s", p->width, text);
    }
    if (!is_complex(p)) return heddle__float_write(&p->re, p->numbers[i], out);
    int n = heddle__float_write(&p->re, p->numbers[2 * i], out);
    int m = heddle__float_write(&p->im, p->numbers[2 * i + 1], text), end = m;
    while (end > 0 && text[end - 1] == ' ') end--;
    return n + snprintf(out + n, HEDDLE_FORMAT_MAX, "%.*sj%*s", end, text, m - end, "");
}

/* str() of NumPy's scalar i. */
static void put_scalar(struct page *p, int64_t i)
{
    char text[2 * HEDDLE_FORMAT_MAX];
    int n;
    const enum heddle_dtype real = heddle__real_dtype(p->dtype);
    if (!p->numbers) {
        n = integer_text(p, i, text);
    } else if (!is_complex(p)) {
        n = heddle__float_shortest(p->numbers[i], real, true, false, text);
    } else {
        const double re = p->numbers[2 * i], im = p->numbers[2 * i + 1];
        const bool alone = re == 0 && !signbit(re);
        n = 0;
        if (!alone) {
            text[n++] = '(';
            n += heddle__float_shortest(re, real, false, false, text + n);
        }
        n += heddle__float_shortest(im, real, false, !alone, text + n);
        n += snprintf(text + n, HEDDLE_FORMAT_MAX, alone ? "j" : "j)");
    }
    put(p, text, n);
}

/* ---- Layout --------------------------------------------------------------------------------------- */

/* Writes a row: items separated by blanks, wrapped. `indent` blanks are before it already. */
static void put_row(struct page *p, int64_t offset, int64_t n, bool summarised, int indent,
                    int width)
{
    char word[2 * HEDDLE_FORMAT_MAX];
    int column = indent;
    for (int64_t i = 0, shown = 0; i < n + summarised; i++) {
        int length = 3;
        if (summarised && i == EDGE)
            memcpy(word, "...", sizeof "...");
        else
            length = item_text(p, offset + shown++, word);
        if (i > 0) {
            const int comma = (int)strlen(p->comma);
            put(p, p->comma, comma);
            column += comma;
            if (column + 1 + length > width - 1) {       /* the blank belongs to the line */
                while (p->n && p->text[p->n - 1] == ' ') /* rstrip, of padded items */
                    p->n--;
                put(p, "\n", 1);
                put_repeated(p, ' ', indent);
                column = indent;
            } else {
                put(p, " ", 1);
                column++;
            }
        }
        put(p, word, length);
        column += length;
    }
}

/* Writes what is between two items of axis `axis`, which is not the last. */
static void put_break(struct page *p, int axis, int indent)
{
    put(p, p->comma, (int)strlen(p->comma));
    put_repeated(p, '\n', p->ndim - 1 - axis);
    put_repeated(p, ' ', indent);
}

/* Writes axis `axis` of the block at `offset`. Recursion: HEDDLE_MAX_NDIM levels. */
static void put_block(struct page *p, int axis, int64_t offset, int64_t block, int width)
{
    const int64_t extent = p->shape[axis], inner = extent ? block / extent : 0;
    const bool summarised = p->summarised[axis];
    const int indent = (int)strlen(p->prefix) + axis + 1;
    put(p, "[", 1);
    if (axis == p->ndim - 1) {
        put_row(p, offset, extent, summarised, indent, width);
    } else {
        for (int64_t i = 0; i < extent; i++) {
            if (i > 0) put_break(p, axis, indent);
            if (summarised && i == EDGE) {
                put(p, "...", 3);
                put_break(p, axis, indent);
            }
            put_block(p, axis + 1, offset + i * inner, inner, width - 1);
        }
    }
    put(p, "]", 1);
}

/* ---- Reading --------------------------------------------------------------------------------------- */

/* The first and last EDGE items along each long axis of `a`. */
static heddle_array *edges_of(heddle_array *a, struct page *p)
{
    for (int d = 0; d < p->ndim; d++) {
        if (p->shape[d] <= 2 * EDGE) continue;
        struct heddle_index first[HEDDLE_MAX_NDIM] = {{.kind = HEDDLE_INDEX_SLICE}};
        struct heddle_index last[HEDDLE_MAX_NDIM] = {{.kind = HEDDLE_INDEX_SLICE}};
        first[d] = (struct heddle_index)HEDDLE_TO(EDGE);
        last[d] = (struct heddle_index)HEDDLE_FROM(-EDGE);
        heddle_array *const both[] = {heddle_getitem(a, d + 1, first),
                                      heddle_getitem(a, d + 1, last)};
        a = heddle_concat(2, both, d);
        p->shape[d] = 2 * EDGE;
        p->summarised[d] = true;
    }
    return a;
}

static enum heddle_status read_data(struct page *p, heddle_array *a)
{
    const int64_t bytes = p->size * (int64_t)heddle_dtype_size(p->dtype);
    p->data = heddle__alloc((size_t)bytes);
    HEDDLE_REQUIRE(p->data, HEDDLE_ENOMEM, "heddle_format: out of memory");
    return heddle_read(a, p->data, bytes);
}

static enum heddle_status choose_format(struct page *p)
{
    const bool pairs = is_complex(p);
    const enum heddle_dtype real = heddle__real_dtype(p->dtype);
    const int64_t element = (int64_t)heddle_dtype_size(real);
    const int64_t n = p->size * (pairs ? 2 : 1), stride = pairs ? 2 : 1;
    char text[HEDDLE_FORMAT_MAX];
    if (!pairs && heddle_dtype_kind(p->dtype) != 'F') {
        p->width = p->dtype == HEDDLE_BOOL ? 5 : 0;
        for (int64_t i = 0; i < p->size; i++) {
            const int length = integer_text(p, i, text);
            if (length > p->width) p->width = length;
        }
        return HEDDLE_OK;
    }
    p->numbers = heddle__alloc((size_t)n * sizeof *p->numbers);
    HEDDLE_REQUIRE(p->numbers, HEDDLE_ENOMEM, "heddle_format: out of memory");
    for (int64_t i = 0; i < n; i++) {
        union heddle_scalar v = {.u64 = 0};
        memcpy(&v, (const char *)p->data + i * element, (size_t)element);
        p->numbers[i] = heddle__convert(v, real, HEDDLE_FLOAT64).f64;
    }
    p->re = heddle__float_format(p->numbers, p->size, stride, real, false);
    if (pairs) p->im = heddle__float_format(p->numbers + 1, p->size, stride, real, true);
    return HEDDLE_OK;
}

static enum heddle_status write_page(struct page *p, heddle_array *a, int threshold)
{
    enum heddle_status status;
    p->dtype = heddle_dtype_of(a);
    p->ndim = heddle_ndim(a);
    memcpy(p->shape, heddle_shape(a), (size_t)p->ndim * sizeof *p->shape);
    status = heddle_eval(a);
    if (status != HEDDLE_OK) return status;
    if (heddle_size(a) == 0) {
        put(p, "[]", 2);
    } else {
        heddle_array *shown = heddle_size(a) > threshold ? edges_of(a, p) : a;
        status = heddle_status_of(shown);
        if (status != HEDDLE_OK) return heddle__fail(status, "%s", heddle_error(shown));
        p->size = heddle_size(shown);
        HEDDLE_TRY(read_data(p, shown));
        HEDDLE_TRY(choose_format(p));
        const bool repr = p->prefix[0] != 0;
        if (p->ndim > 0)
            put_block(p, 0, 0, p->size, WIDTH - repr); /* the last bracket */
        else
            put_scalar(p, 0);
    }
    return p->no_memory ? heddle__fail(HEDDLE_ENOMEM, "heddle_format: out of memory") : HEDDLE_OK;
fail:
    return status;
}

/* What repr() adds where the elements do not tell it: the shape of what is not shown whole, the dtype. */
static void put_extras(struct page *p, heddle_array *a, int threshold)
{
    const bool implied = p->dtype == HEDDLE_BOOL || p->dtype == HEDDLE_INT64 ||
                         p->dtype == HEDDLE_FLOAT64 || p->dtype == HEDDLE_COMPLEX128;
    const bool empty = heddle_size(a) == 0;
    const bool shaped = heddle_size(a) > threshold || (empty && heddle_ndim(a) > 1);
    const struct heddle_shape_text shape = heddle__shape_text(heddle_ndim(a), heddle_shape(a));
    char text[sizeof shape.text + 40];
    int n = 0;
    if (shaped) n = snprintf(text, sizeof text, "shape=%s", shape.text);
    if (!implied || empty)
        n += snprintf(text + n, sizeof text - (size_t)n, "%sdtype=%s", n ? ", " : "",
                      heddle_dtype_name(p->dtype));
    if (n == 0) return;
    int64_t line = 0;
    while (line < p->n && p->text[p->n - 1 - line] != '\n') line++;
    const char *space =
        line + n + 2 > WIDTH ? ",\n      " : ", "; /* the bracket, and NumPy's margin */
    put(p, space, (int64_t)strlen(space));
    put(p, text, n);
}

static enum heddle_status format(heddle_array *a, int threshold, struct page page, char **text)
{
    enum heddle_status status = heddle_status_of(a);
    if (status != HEDDLE_OK) return heddle__fail(status, "%s", heddle_error(a));
    heddle_scope scope = heddle_scope_open();
    HEDDLE_REQUIRE(scope, HEDDLE_ENOMEM, "heddle_format: out of memory");
    if (threshold <= 0) threshold = THRESHOLD;
    put(&page, page.prefix, (int64_t)strlen(page.prefix));
    status = write_page(&page, a, threshold);
    if (page.prefix[0] && status == HEDDLE_OK) {
        put_extras(&page, a, threshold);
        put(&page, ")", 1);
    }
    if (page.no_memory) status = heddle__fail(HEDDLE_ENOMEM, "heddle_format: out of memory");
    if (status == HEDDLE_OK)
        *text = page.text;
    else
        heddle__free(page.text);
    heddle__free(page.data);
    heddle__free(page.numbers);
    heddle_scope_close(scope);
    return status;
}

enum heddle_status heddle_format(heddle_array *a, int threshold, char **text)
{
    HEDDLE_REQUIRE(a && text, HEDDLE_EARG, "heddle_format: %s is NULL", a ? "text" : "the array");
    HEDDLE_REQUIRE_ALIVE("format", a);
    return format(a, threshold, (struct page){.prefix = "", .comma = ""}, text);
}

/* A scalar in repr(), as NumPy has it: np.float32(0.5), np.complex64(1+2j), np.True_. */
static enum heddle_status format_scalar(heddle_array *a, char **text)
{
    char *plain = NULL;
    const enum heddle_status status = heddle_format(a, 0, &plain);
    if (!plain) return status;
    const enum heddle_dtype dtype = heddle_dtype_of(a);
    const bool is_bool = dtype == HEDDLE_BOOL, bracketed = plain[0] == '(';
    const char *name = is_bool ? "" : heddle_dtype_name(dtype);
    struct page page = {.n = 0};
    put(&page, "np.", 3);
    put(&page, name, (int64_t)strlen(name));
    if (!is_bool && !bracketed) put(&page, "(", 1);
    put(&page, plain, (int64_t)strlen(plain));
    if (is_bool || !bracketed) put(&page, is_bool ? "_" : ")", 1);
    heddle_free(plain);
    if (page.no_memory) heddle__free(page.text);
    HEDDLE_REQUIRE(!page.no_memory, HEDDLE_ENOMEM, "heddle_format: out of memory");
    *text = page.text;
    return HEDDLE_OK;
}

enum heddle_status heddle__format_repr(heddle_array *a, char **text)
{
    if (heddle_status_of(a) == HEDDLE_OK && heddle_ndim(a) == 0) return format_scalar(a, text);
    return format(a, 0, (struct page){.prefix = "array(", .comma = ","}, text);
}
