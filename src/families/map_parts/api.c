/* Functions of the user's over the parts of an array. Entry point: heddle_map_parts_with. */
#include "base/memory.h"
#include "base/options.h"
#include "base/user_function.h"
#include "families/map_parts/map_parts.h"
#include "graph/make.h"

static void free_function(struct heddle_object *object)
{
    struct heddle_function *f = (struct heddle_function *)object; /* its first member */
    heddle__call_deleter(f->deleter, f->user);
    heddle__free(f);
}

static struct heddle_function *new_function(heddle_part_function *cpu,
                                            const struct heddle_map_parts_options *options)
{
    struct heddle_function *f = heddle__alloc(sizeof *f);
    if (!f) {
        heddle__call_deleter(options->deleter, options->user);
        return NULL;
    }
    *f = (struct heddle_function){.object.free = free_function,
                                  .cpu = cpu,
                                  .cuda = options->cuda,
                                  .deleter = options->deleter,
                                  .user = options->user};
    atomic_init(&f->object.refs, 1);
    return f;
}

/* The array to return at once; NULL when all is well. */
static heddle_array *check(heddle_array *a, enum heddle_dtype dtype,
                           const struct heddle_function *f)
{
    heddle_array *const bad = heddle__bad_operand("map_parts", 1, &a);
    if (bad) return bad;
    if (!f->cpu && !f->cuda)
        return heddle__error_array(HEDDLE_EARG, "heddle_map_parts: the function is NULL");
    return heddle__check_dtype("map_parts", dtype) == HEDDLE_OK ? NULL : heddle__error_last();
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
    struct heddle_function *f = new_function(function, &o);
    if (!f) return heddle__error_array(HEDDLE_ENOMEM, "heddle_map_parts: no memory");
    heddle_array *r = check(a, dtype, f);
    if (!r)
        r = heddle__hand_out(a->size == 0
                                 ? heddle__make_zeros(dtype, a->ndim, a->shape)
                                 : heddle__make_operation(&heddle__map_parts_family, dtype, a->ndim,
                                                          a->shape, 1, &a, NULL, &f->object));
    heddle__object_release(&f->object);
    return r;
}
