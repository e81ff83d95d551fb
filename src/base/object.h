/* Reference counted things that an operation carries and that are not plain data, such as a function
 * of the user's. They are held by the nodes that name them and by the evaluations in flight. */
#ifndef HEDDLE_BASE_OBJECT_H
#define HEDDLE_BASE_OBJECT_H

#include <stdatomic.h>

/* The first member of each. */
struct heddle_object {
    atomic_int refs;
    void (*free)(struct heddle_object *object); /* when nobody holds it, on any thread */
};

static inline struct heddle_object *heddle__object_retain(struct heddle_object *object)
{
    if (object) atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
    return object;
}

static inline void heddle__object_release(struct heddle_object *object) /* NULL is ignored */
{
    if (object && atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1)
        object->free(object);
}

#endif
