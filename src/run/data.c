/* A storage's data in host memory, by way of the backend where devices have them. Entry points: data.h. */
#include "run/data.h"

#include "run/backend.h"

void heddle__storage_wait(struct heddle_storage *s)
{
    if (heddle__backend) heddle__backend->wait(s);
}

const char *heddle__part_acquire(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (!s->parts) return s->data;
    if (s->parts[part].host) return s->parts[part].host;
    return heddle__backend ? heddle__backend->acquire(s, part) : NULL;
}

void heddle__part_release(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (!s->parts || s->parts[part].host) return;
    if (heddle__backend) heddle__backend->release(s, part);
}
