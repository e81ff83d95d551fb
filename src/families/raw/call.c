/* Calls of the user's kernels: what they say becomes the parameters of a node, which plans depend on, and an object with
 * the values, which they do not. Entry points: heddle_raw_call_with, heddle__raw_record. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "families/raw/frame.h"
#include "families/raw/record.h"
#include "graph/make.h"

#include <string.h>

/* A call while it is recorded. */
struct record {
    const char *caller;
    int n, n_in;
    const struct heddle_raw_argument *arguments;
    const struct heddle_raw_call_options *o;
    struct heddle_raw_params params;
    heddle_array *in[HEDDLE_RAW_ARRAYS]; /* borrowed */
    int argument[HEDDLE_RAW_ARRAYS];     /* of each operand */
};

static bool is_made(enum heddle_raw_role role)
{
    return role == HEDDLE_RAW_WRITE || role == HEDDLE_RAW_UPDATE;
}

/* ---- Parameters ------------------------------------------------------------------------------------ */

static void add_operand(struct record *r, int i)
{
    const struct heddle_raw_argument *a = &r->arguments[i];
    const bool writes = a->role == HEDDLE_RAW_WRITE;
    struct heddle_raw_operand *o = &r->params.operands[r->params.n_arrays];
    r->argument[r->params.n_arrays++] = i;
    o->role = (uint8_t)a->role;
    o->dtype = writes ? (uint8_t)a->dtype : a->array->dtype;
    o->ndim = writes ? (uint8_t)a->ndim : a->array->ndim;
    o->halo = a->role == HEDDLE_RAW_READ;
    memcpy(o->shape, writes ? a->shape : a->array->shape, (size_t)o->ndim * sizeof *o->shape);
    memset(o->frame, -1, sizeof o->frame);
    o->input = -1;
    if (writes || heddle__raw_is_empty(o)) return;
    o->input = r->n_in;
    r->in[r->n_in++] = a->array;
}

/* The array whose parts the launches are for: the first that is read or updated, else the first that is made. */
static const struct heddle_raw_operand *first_of(const struct record *r)
{
    const struct heddle_raw_operand *made = NULL;
    for (int i = 0; i < r->params.n_arrays; i++) {
        const struct heddle_raw_operand *o = &r->params.operands[i];
        if (o->role == HEDDLE_RAW_READ || o->role == HEDDLE_RAW_UPDATE) return o;
        if (o->role == HEDDLE_RAW_WRITE && !made) made = o;
    }
    return made;
}

static enum heddle_status set_halo(struct record *r)
{
    const struct heddle_lengths *halo = &r->o->halo;
    struct heddle_raw_params *p = &r->params;
    if (halo->count == 0) return HEDDLE_OK;
    HEDDLE_REQUIRE(halo->count == p->n_frame, HEDDLE_EARG,
                   "%s: .halo has %d axes, the first array %d", r->caller, halo->count, p->n_frame);
    for (int f = 0; f < p->n_frame; f++) {
        HEDDLE_REQUIRE(halo->at[f] >= 0, HEDDLE_EARG, "%s: .halo of %lld along axis %d", r->caller,
                       (long long)halo->at[f], f);
        p->before[f] = p->after[f] = halo->at[f];
    }
    p->has_halo = 1;
    return HEDDLE_OK;
}

/* Axes follow from the last on, as NumPy broadcasts. */
static enum heddle_status set_frame(struct record *r)
{
    struct heddle_raw_params *p = &r->params;
    const struct heddle_raw_operand *first = first_of(r);
    if (heddle__raw_is_empty(first)) return HEDDLE_OK; /* one launch, if any */
    p->n_frame = first->ndim;
    memcpy(p->frame, first->shape, sizeof p->frame);
    p->uncut = r->o->uncut;
    for (int i = 0; i < p->n_arrays; i++) {
        struct heddle_raw_operand *o = &p->operands[i];
        for (int d = 0; d < o->ndim && o->role != HEDDLE_RAW_WHOLE; d++) {
            const int f = d + p->n_frame - o->ndim;
            if (f < 0 || (o->role == HEDDLE_RAW_READ && o->shape[d] == 1)) continue;
            o->frame[d] = (int8_t)f;
        }
    }
    return set_halo(r);
}

static void set_loop(struct record *r, const struct heddle_raw_loop *loop)
{
    struct heddle_raw_params *p = &r->params;
    p->n_frame = loop->ndim;
    memcpy(p->frame, loop->extent, (size_t)loop->ndim * sizeof *p->frame);
    for (int i = 0; i < p->n_arrays; i++) {
        p->operands[i].halo = 0;
        memcpy(p->operands[i].frame, loop->frame[r->argument[i]], sizeof p->operands[i].frame);
    }
}

/* ---- Values ---------------------------------------------------------------------------------------- */

static void free_values(struct heddle_object *object)
{
    struct heddle_raw_values *v = (struct heddle_raw_values *)object; /* its first member */
    heddle__object_release(&v->kernel->object);
    heddle__free(v);
}

static size_t padded(int64_t bytes)
{
    return ((size_t)bytes + 15) / 16 * 16;
}

static struct heddle_raw_values *new_values(const struct record *r,
                                            struct heddle_raw_kernel *kernel)
{
    size_t bytes = 0, at = 0;
    int n_arrays = 0, array[HEDDLE_RAW_ARGUMENTS_MAX];
    for (int i = 0; i < r->n; i++)
        bytes += r->arguments[i].role == HEDDLE_RAW_BYTES ? padded(r->arguments[i].n_bytes) : 0;
    struct heddle_raw_values *v = heddle__alloc_aligned(sizeof *v + bytes);
    if (!v) return NULL;
    *v = (struct heddle_raw_values){.object.free = free_values,
                                    .caller = r->caller,
                                    .n = r->n,
                                    .n_axes = r->o->block.count > 0 ? r->o->block.count : 1,
                                    .shared_bytes = r->o->shared_bytes};
    atomic_init(&v->object.refs, 1);
    v->kernel = (struct heddle_raw_kernel *)heddle__object_retain(&kernel->object);
    for (int k = 0; k < 3; k++) {
        v->grid[k] = k < r->o->grid.count ? (int32_t)r->o->grid.at[k] : r->o->grid.count > 0;
        v->block[k] = k < r->o->block.count ? (int32_t)r->o->block.at[k] : 1;
    }
    if (r->o->block.count == 0) v->block[0] = 256;
    for (int i = 0; i < r->n; i++)
        array[i] = r->arguments[i].role <= HEDDLE_RAW_UPDATE ? n_arrays++ : 0;
    for (int i = 0; i < r->n; i++) {
        const struct heddle_raw_argument *a = &r->arguments[i];
        struct heddle_raw_given *g = &v->given[i];
        g->role = (uint8_t)a->role;
        g->array = (uint8_t)array[a->role <= HEDDLE_RAW_UPDATE ? i : a->of];
        if (a->role != HEDDLE_RAW_BYTES) continue;
        g->bytes = (uint16_t)a->n_bytes;
        g->at = (uint32_t)at;
        memcpy(&v->bytes[at], a->bytes ? a->bytes : a->value, (size_t)a->n_bytes);
        at += padded(a->n_bytes);
    }
    return v;
}

/* ---- Results --------------------------------------------------------------------------------------- */

/* Results without elements are constants; a node computes the others, if there are any. */
static bool make_results(const struct record *r, struct heddle_raw_values *values,
                         heddle_array *results[])
{
    heddle_array *computed[HEDDLE_RAW_OUTPUTS];
    const struct heddle_raw_params *p = &r->params;
    int n = 0, n_computed = 0;
    for (int i = 0; i < p->n_arrays; i++) n_computed += heddle__raw_is_result(&p->operands[i]);
    if (n_computed > 0 && !heddle__raw_nodes(p, r->n_in, r->in, values, computed)) return false;
    bool ok = true;
    n_computed = 0;
    for (int i = 0; i < p->n_arrays; i++) {
        const struct heddle_raw_operand *o = &p->operands[i];
        if (!is_made(o->role)) continue;
        results[n] = heddle__raw_is_empty(o)
                         ? heddle__make_zeros((enum heddle_dtype)o->dtype, o->ndim, o->shape)
                         : computed[n_computed++];
        ok = ok && results[n++];
    }
    for (int i = 0; i < n && !ok; i++) heddle__release(results[i]);
    return ok;
}

enum heddle_status heddle__raw_record(const char *caller, struct heddle_raw_kernel *kernel, int n,
                                      const struct heddle_raw_argument *arguments,
                                      const struct heddle_raw_call_options *o,
                                      const struct heddle_raw_loop *loop)
{
    struct record r = {.caller = caller, .n = n, .arguments = arguments, .o = o};
    heddle_array *results[HEDDLE_RAW_OUTPUTS];
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; i < n; i++)
        if (arguments[i].role <= HEDDLE_RAW_UPDATE) add_operand(&r, i);
    r.params.hash = heddle__hash_bytes(kernel->hash, caller, strlen(caller));
    if (loop)
        set_loop(&r, loop);
    else if (o->over_parts)
        HEDDLE_TRY(set_frame(&r));
    struct heddle_raw_values *values = new_values(&r, kernel);
    HEDDLE_REQUIRE(values, HEDDLE_ENOMEM, "%s: no memory", caller);
    const bool ok = make_results(&r, values, results);
    heddle__object_release(&values->object);
    if (!ok) return heddle__last_code();
    for (int i = 0, k = 0; i < n; i++)
        if (is_made(arguments[i].role)) *arguments[i].out = heddle__hand_out(results[k++]);
fail:
    return status;
}

enum heddle_status heddle_raw_call_with(heddle_raw_kernel *kernel, int n,
                                        const struct heddle_raw_argument *arguments,
                                        const struct heddle_raw_call_options *options)
{
    struct heddle_raw_call_options o;
    enum heddle_status status = heddle__options("raw_call", options, &o, sizeof o);
    if (status == HEDDLE_OK) status = heddle__raw_check("raw_call", kernel, n, arguments, &o);
    return status == HEDDLE_OK
               ? heddle__raw_record("heddle_raw_call", kernel, n, arguments, &o, NULL)
               : status;
}
