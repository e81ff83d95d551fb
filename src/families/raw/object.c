/* Kernels of the user's as objects: from text, an image or functions. Nothing is compiled here, and no device is needed.
 * Entry points: raw.h, "Kernels". */
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "families/raw/raw.h"

#include <string.h>

static void free_kernel(struct heddle_object *object)
{
    struct heddle_raw_kernel *k = (struct heddle_raw_kernel *)object; /* its first member */
    heddle__call_deleter(k->deleter, k->user);
    heddle__free(k->data);
    heddle__free(k->name);
    heddle__free(k->flags);
    heddle__free(k);
}

struct heddle_raw_kernel *heddle__raw_kernel_new(heddle_raw_function *host,
                                                 const struct heddle_raw_options *options)
{
    struct heddle_raw_kernel *k = heddle__calloc(1, sizeof *k);
    if (!k) {
        heddle__call_deleter(options->deleter, options->user);
        heddle__fail(HEDDLE_ENOMEM, "heddle_raw_kernel: no memory");
        return NULL;
    }
    k->object.free = free_kernel;
    k->host = host;
    k->cuda = options->cuda;
    k->user = options->user;
    k->deleter = options->deleter;
    atomic_init(&k->object.refs, 1);
    uint64_t hash = heddle__hash_bytes(0, &k->host, sizeof k->host);
    k->hash = heddle__hash_bytes(hash, &k->cuda, sizeof k->cuda);
    return k;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return heddle__hash_bytes(hash, text, strlen(text));
}

/* ELF and fatbins begin with magic numbers; PTX is a text whose first directive is its version. */
static enum heddle_raw_code code_of(const char *data, size_t bytes)
{
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
    if (bytes >= 4 && (memcmp(data, "\177ELF", 4) == 0 || memcmp(data, fatbin, 4) == 0))
        return HEDDLE_RAW_IMAGE;
    for (const char *at = data, *end = data + bytes; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *stop = line ? line : end;
        while (at < stop && strchr(" \t\r", *at)) at++;
        if (stop - at >= 8 && memcmp(at, ".version", 8) == 0) return HEDDLE_RAW_IMAGE;
        if (at < stop && !(stop - at >= 2 && at[0] == '/' && at[1] == '/')) break;
        at = stop + 1;
    }
    return HEDDLE_RAW_SOURCE;
}

static enum heddle_status check(const char *caller, const void *data, int64_t bytes,
                                const char *name, const struct heddle_raw_options *o)
{
    HEDDLE_REQUIRE(data && bytes > 0, HEDDLE_EARG, "heddle_%s: the source is NULL or empty",
                   caller);
    HEDDLE_REQUIRE(name && *name, HEDDLE_EARG, "heddle_%s: the name is NULL or empty", caller);
    HEDDLE_REQUIRE(!o->cuda, HEDDLE_EARG,
                   "heddle_%s: .cuda is for heddle_raw_kernel_from_functions", caller);
    HEDDLE_REQUIRE(code_of(data, (size_t)bytes) == HEDDLE_RAW_IMAGE ||
                       !memchr(data, 0, (size_t)bytes),
                   HEDDLE_EARG, "heddle_%s: a source has no zero bytes", caller);
    return HEDDLE_OK;
}

static heddle_raw_kernel *with_code(const char *caller, const void *data, int64_t bytes,
                                    const char *name, const struct heddle_raw_options *options)
{
    struct heddle_raw_options o;
    if (heddle__options(caller, options, &o, sizeof o) != HEDDLE_OK ||
        check(caller, data, bytes, name, &o) != HEDDLE_OK) {
        heddle__call_deleter(o.deleter, o.user);
        return NULL;
    }
    struct heddle_raw_kernel *k = heddle__raw_kernel_new(o.host, &o);
    if (!k) return NULL;
    k->bytes = (size_t)bytes;
    k->data = heddle__alloc(k->bytes + 1);
    k->name = heddle__strdup(name);
    k->flags = heddle__strdup(o.flags ? o.flags : "");
    if (!k->data || !k->name || !k->flags) {
        heddle__object_release(&k->object);
        heddle__fail(HEDDLE_ENOMEM, "heddle_%s: no memory", caller);
        return NULL;
    }
    if (k->bytes > 0) memcpy(k->data, data, k->bytes);
    k->data[k->bytes] = 0;
    k->code = code_of(k->data, k->bytes);
    k->hash = hash_text(hash_text(heddle__hash_bytes(k->hash, data, k->bytes), name), k->flags);
    return k;
}

heddle_raw_kernel *heddle_raw_kernel_from_source_with(const char *source, const char *name,
                                                      const struct heddle_raw_options *options)
{
    return with_code("raw_kernel_from_source", source, source ? (int64_t)strlen(source) : 0, name,
                     options);
}

heddle_raw_kernel *heddle_raw_kernel_from_module_with(const void *data, int64_t bytes,
                                                      const char *name,
                                                      const struct heddle_raw_options *options)
{
    return with_code("raw_kernel_from_module", data, bytes, name, options);
}

heddle_raw_kernel *heddle_raw_kernel_from_functions_with(heddle_raw_function *host,
                                                         const struct heddle_raw_options *options)
{
    static const char caller[] = "raw_kernel_from_functions";
    struct heddle_raw_options o;
    enum heddle_status status = heddle__options(caller, options, &o, sizeof o);
    if (status == HEDDLE_OK && ((!host && !o.cuda) || (o.host && o.host != host) || o.flags))
        status = heddle__fail(HEDDLE_EARG, "heddle_%s: %s", caller,
                              o.flags            ? ".flags are for source"
                              : !host && !o.cuda ? "both functions are NULL"
                                                 : "the function is the first argument, not .host");
    if (status == HEDDLE_OK) return heddle__raw_kernel_new(host, &o);
    heddle__call_deleter(o.deleter, o.user);
    return NULL;
}

void heddle_raw_kernel_release(heddle_raw_kernel *kernel)
{
    if (kernel) heddle__object_release(&kernel->object);
}
