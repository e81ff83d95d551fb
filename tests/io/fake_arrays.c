/* The few array functions that src/io calls, done by plain loops, so that it can be tested with no
 * runtime: reference counts, deleters, scopes, permuted axes. */
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"

#include <heddle.h>
#include <stdio.h>
#include <string.h>

heddle_array *heddle__error_array(enum heddle_status code, const char *format, ...);
heddle_array *heddle__error_last(void);
heddle_array *heddle__error_memory(void);
heddle_array *heddle__adopt(heddle_array *a);

struct heddle_array {
    int refs;
    bool fixed;
    enum heddle_status code;
    char text[HEDDLE_ERROR_TEXT_MAX];
    enum heddle_dtype dtype;
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM], stride[HEDDLE_MAX_NDIM];
    const unsigned char *data;
    void (*deleter)(void *);
    void *user;
    heddle_array *base;
};

/* As in scope.h. */
struct heddle_scope_state {
    struct heddle_scope_state *outer;
    int64_t first;
    bool allocated;
};
void heddle__scope_enter(struct heddle_scope_state *scope);
heddle_array *heddle__scope_leave(struct heddle_scope_state *scope, heddle_array *result);

static struct heddle_scope_state *innermost;
static heddle_array *owned[64]; /* by scopes, the innermost's last */
static int64_t n_owned;
static heddle_array memory_error = {.fixed = true, .code = HEDDLE_ENOMEM, .text = "out of memory"};

void heddle__scope_enter(struct heddle_scope_state *scope)
{
    *scope = (struct heddle_scope_state){.outer = innermost, .first = n_owned};
    innermost = scope;
}

heddle_array *heddle__scope_leave(struct heddle_scope_state *scope, heddle_array *result)
{
    if (result) heddle_keep(result);
    while (n_owned > scope->first) heddle_release(owned[--n_owned]);
    innermost = scope->outer;
    return result ? heddle__adopt(result) : NULL;
}

heddle_scope heddle_scope_open(void)
{
    heddle_scope scope = heddle__alloc(sizeof *scope);
    if (scope) heddle__scope_enter(scope);
    return scope;
}

void heddle_scope_close(heddle_scope scope)
{
    if (!scope) return;
    heddle__scope_leave(scope, NULL);
    heddle__free(scope);
}

heddle_array *heddle__adopt(heddle_array *a)
{
    if (!a) return &memory_error;
    if (innermost) owned[n_owned++] = a;
    return a;
}

heddle_array *heddle_keep(heddle_array *a)
{
    a->refs++;
    return a;
}

void heddle_release(heddle_array *a)
{
    if (!a || a->fixed || --a->refs > 0) return;
    if (a->deleter) a->deleter(a->user);
    heddle_release(a->base);
    heddle__free(a);
}

heddle_array *heddle__error_memory(void)
{
    heddle__fail(HEDDLE_ENOMEM, "out of memory");
    return &memory_error;
}

heddle_array *heddle__error_array(enum heddle_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heddle__vfail(code, format, args);
    va_end(args);
    return heddle__error_last();
}

heddle_array *heddle__error_last(void)
{
    heddle_array *a = heddle__calloc(1, sizeof *a);
    if (!a) return &memory_error;
    a->refs = 1;
    a->code = heddle__last_code();
    snprintf(a->text, sizeof a->text, "%s", heddle_last_error());
    return heddle__adopt(a);
}

heddle_array *heddle_asarray_with(const void *data, enum heddle_dtype dtype, int ndim,
                                  const int64_t *shape,
                                  const struct heddle_asarray_options *options)
{
    heddle_array *a = heddle__calloc(1, sizeof *a);
    if (!a) {
        if (options && options->deleter) options->deleter(options->user);
        return heddle__error_memory();
    }
    a->refs = 1;
    a->dtype = dtype;
    a->ndim = ndim;
    int64_t stride = (int64_t)heddle_dtype_size(dtype);
    for (int d = ndim - 1; d >= 0; d--) {
        a->shape[d] = shape[d];
        a->stride[d] = stride;
        if (shape[d] > 0 && stride < INT64_MAX / shape[d]) stride *= shape[d];
    }
    a->data = data;
    if (options && options->borrow) {
        a->deleter = options->deleter;
        a->user = options->user;
    } else if (heddle_size(a) > 0) {
        void *copy = heddle__alloc((size_t)heddle_nbytes(a));
        if (copy) memcpy(copy, data, (size_t)heddle_nbytes(a));
        a->data = copy;
        a->deleter = heddle__free;
        a->user = copy;
        if (options && options->deleter) options->deleter(options->user);
        if (!copy) {
            heddle_release(a);
            return heddle__error_memory();
        }
    }
    return heddle__adopt(a);
}

heddle_array *heddle_permute_dims(heddle_array *base, int n, const int *axes)
{
    if (base->code) return heddle__error_array(base->code, "%s", base->text);
    heddle_array *a = heddle__calloc(1, sizeof *a);
    if (!a) return heddle__error_memory();
    a->refs = 1;
    a->dtype = base->dtype;
    a->ndim = n;
    for (int d = 0; d < n; d++) {
        a->shape[d] = base->shape[axes[d]];
        a->stride[d] = base->stride[axes[d]];
    }
    a->data = base->data;
    a->base = heddle_keep(base);
    return heddle__adopt(a);
}

enum heddle_status heddle_status_of(const heddle_array *a)
{
    return a->code;
}

const char *heddle_error(const heddle_array *a)
{
    return a->text;
}

enum heddle_dtype heddle_dtype_of(const heddle_array *a)
{
    return a->dtype;
}

int heddle_ndim(const heddle_array *a)
{
    return a->ndim;
}

const int64_t *heddle_shape(const heddle_array *a)
{
    return a->shape;
}

int64_t heddle_size(const heddle_array *a)
{
    int64_t n = 1;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 0) return 0;
    for (int d = 0; d < a->ndim; d++) n *= a->shape[d];
    return n;
}

int64_t heddle_nbytes(const heddle_array *a)
{
    return heddle_size(a) * (int64_t)heddle_dtype_size(a->dtype);
}

enum heddle_status heddle_wait(heddle_array *a)
{
    return a->code;
}

enum heddle_status heddle_read(heddle_array *a, void *out, int64_t size_bytes)
{
    if (a->code) return a->code;
    if (size_bytes != heddle_nbytes(a)) return heddle__fail(HEDDLE_EARG, "heddle_read: size");
    const size_t item = heddle_dtype_size(a->dtype);
    unsigned char *to = out;
    for (int64_t i = 0, n = heddle_size(a); i < n; i++, to += item) {
        int64_t at = 0, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at += rest % a->shape[d] * a->stride[d];
            rest /= a->shape[d];
        }
        memcpy(to, a->data + at, item);
    }
    return HEDDLE_OK;
}
