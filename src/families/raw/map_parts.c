/* Functions over the parts of an array: calls, over parts, of kernels that are functions alone. Entry point:
 * heddle_map_parts_with. */
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "families/raw/record.h"
#include "graph/make.h"

#include <string.h>

/* What the kernel's functions call; the kernel owns it. */
struct functions {
    heddle_part_function *cpu, *cuda; /* one may be NULL */
    void (*deleter)(void *user);      /* may be NULL */
    void *user;
};

static void free_functions(void *user)
{
    struct functions *f = user;
    heddle__call_deleter(f->deleter, f->user);
    heddle__free(f);
}

static enum heddle_status call(heddle_part_function *function, const struct heddle_raw_launch *l)
{
    const struct heddle_raw_extents *e = &l->arguments[0].extents;
    struct heddle_part_view view = {
        .data = l->arguments[0].data, .place = l->place, .stream = l->stream, .part = l->part};
    memcpy(view.lo, e->lo, sizeof view.lo);
    memcpy(view.shape, e->shape, sizeof view.shape);
    memcpy(view.before, e->before, sizeof view.before);
    memcpy(view.after, e->after, sizeof view.after);
    return function(&view, l->arguments[1].data, ((const struct functions *)l->user)->user);
}

static enum heddle_status on_cpu(const struct heddle_raw_launch *l)
{
    return call(((const struct functions *)l->user)->cpu, l);
}

static enum heddle_status on_gpu(const struct heddle_raw_launch *l)
{
    return call(((const struct functions *)l->user)->cuda, l);
}

/* Calls the deleter also when memory is gone. */
static struct heddle_raw_kernel *new_kernel(heddle_part_function *cpu,
                                            const struct heddle_map_parts_options *o)
{
    struct functions *f = heddle__alloc(sizeof *f);
    if (!f) {
        heddle__call_deleter(o->deleter, o->user);
        return NULL;
    }
    *f = (struct functions){.cpu = cpu, .cuda = o->cuda, .deleter = o->deleter, .user = o->user};
    return heddle__raw_kernel_new(cpu ? on_cpu : NULL,
                                  &(struct heddle_raw_options){.cuda = o->cuda ? on_gpu : NULL,
                                                               .user = f,
                                                               .deleter = free_functions});
}

/* The array to return at once; NULL when all is well. */
static heddle_array *check(heddle_array *a, enum heddle_dtype dtype,
                           const struct heddle_raw_kernel *k)
{
    heddle_array *const bad = heddle__bad_operand("map_parts", 1, &a);
    if (bad) return bad;
    if (!k->host && !k->cuda)
        return heddle__error_array(HEDDLE_EARG, "heddle_map_parts: the function is NULL");
    return heddle__check_dtype("map_parts", dtype) == HEDDLE_OK ? NULL : heddle__error_last();
}

static heddle_array *record(heddle_array *a, enum heddle_dtype dtype, struct heddle_raw_kernel *k)
{
    heddle_array *r;
    const struct heddle_raw_argument arguments[] = {heddle_raw_read(a),
                                                    heddle_raw_write(&r, dtype, a->ndim, a->shape)};
    const struct heddle_raw_call_options o = {.over_parts = true};
    const enum heddle_status status =
        heddle__raw_record("heddle_map_parts", k, 2, arguments, &o, NULL);
    return status == HEDDLE_OK ? r : heddle__error_last();
}

heddle_array *heddle_map_parts_with(heddle_array *a, enum heddle_dtype dtype,
                                    heddle_part_function *function,
                                    const struct heddle_map_parts_options *options)
{
    struct heddle_map_parts_options o;
    if (heddle__options("map_parts", options, &o, sizeof o) != HEDDLE_OK) {
        heddle__call_deleter(o.deleter, o.user);
        return heddle__error_last();
    }
    struct heddle_raw_kernel *k = new_kernel(function, &o);
    if (!k) return heddle__error_array(HEDDLE_ENOMEM, "heddle_map_parts: no memory");
    heddle_array *r = check(a, dtype, k);
    if (!r) r = record(a, dtype, k);
    heddle__object_release(&k->object);
    return r;
}
