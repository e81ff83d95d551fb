/* Parts as the user sees them: places, queries, views. Entry points: heddle_count_places,
 * heddle__check_known_places, heddle_count_parts, heddle_part, heddle_part_at, heddle_boundaries,
 * heddle_distribute_like, heddle_part_acquire, heddle_part_release. */
#include "run/parts.h"

#include "array/devices.h"
#include "base/at_fork.h"
#include "base/memory.h"
#include "base/user_function.h"
#include "graph/make.h"
#include "run/backend.h"
#include "run/data.h"
#include "run/evaluate.h"
#include "run/execute.h"
#include "run/life.h"

#include <pthread.h>
#include <string.h>

/* ---- Places --------------------------------------------------------------------------------------- */

enum heddle_status heddle_count_places(int *n_cpus, int *n_gpus)
{
    HEDDLE_REQUIRE(n_cpus && n_gpus, HEDDLE_EARG, "heddle_count_places: a pointer is NULL");
    enum heddle_status status = heddle__refuse_in_function("count_places");
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock();
    const struct heddle_policy *invented = heddle__invented_machine();
    status = invented ? HEDDLE_OK : heddle__need_runtime();
    if (invented) {
        *n_gpus = invented->n_gpus;
        *n_cpus = invented->n_places - invented->n_gpus;
    } else if (status == HEDDLE_OK) {
        *n_gpus = heddle__n_gpus();
        *n_cpus = heddle__n_workers() - *n_gpus;
    }
    heddle__evaluation_unlock();
    return status;
}

enum heddle_status heddle__check_known_places(const char *name, int n, const heddle_place *places)
{
    bool named = false;
    for (int i = 0; i < n; i++) {
        HEDDLE_REQUIRE(places[i] >= 0, HEDDLE_EARG, "heddle_%s: place %d is %d, which is none",
                       name, i, places[i]);
        named = named || places[i] != HEDDLE_ANYWHERE;
    }
    if (!named) return HEDDLE_OK;
    enum heddle_status status = heddle__refuse_in_function(name);
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock();
    const bool invented = heddle__invented_machine() != NULL; /* it has all places */
    status = invented ? HEDDLE_OK : heddle__need_runtime();
    for (int i = 0; i < n && status == HEDDLE_OK && !invented; i++) {
        char text[HEDDLE_PLACE_NAME_MAX];
        if (places[i] != HEDDLE_ANYWHERE && heddle__worker_at(places[i]) < 0)
            status = heddle__fail(HEDDLE_ENODEVICE,
                                  "heddle_%s: there is no %s among the %d CPU teams and %d GPUs in "
                                  "use",
                                  name, heddle_place_name(places[i], text),
                                  heddle__n_workers() - heddle__n_gpus(), heddle__n_gpus());
    }
    heddle__evaluation_unlock();
    return status;
}

/* ---- Queries -------------------------------------------------------------------------------------- */

/* An evaluated array, whose devices stay up, and its partition, which may be made for it. */
struct parted {
    struct heddle_data data;
    struct heddle_storage *storage; /* of `data` */
    struct heddle_grid *grid;
    int32_t element_bytes;
};

static enum heddle_status open_parts(const char *name, heddle_array *a, struct parted *out)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_%s: the array is NULL", name);
    const enum heddle_status status = heddle__data_open(name, a, &out->data);
    if (status != HEDDLE_OK) return status;
    heddle__data_stay(&out->data);
    out->storage = out->data.storage;
    out->element_bytes = (int32_t)heddle_dtype_size((enum heddle_dtype)a->dtype);
    struct heddle_grid *grid = heddle__storage_grid(out->storage);
    bool fits = grid && grid->ndim == a->ndim;
    for (int d = 0; fits && d < a->ndim; d++) fits = grid->shape[d] == a->shape[d];
    out->grid = fits ? heddle__grid_retain(grid) : heddle__grid_one(a->ndim, a->shape);
    if (out->grid) return HEDDLE_OK;
    heddle__data_close(&out->data);
    return heddle__fail(HEDDLE_ENOMEM, "heddle_%s: no memory", name);
}

static void close_parts(struct parted *p)
{
    heddle__grid_release(p->grid);
    heddle__data_close(&p->data);
}

static enum heddle_status check_part(const char *name, const struct parted *p, int64_t part)
{
    HEDDLE_REQUIRE(p->grid && part >= 0 && part < p->grid->n_parts, HEDDLE_EINDEX,
                   "heddle_%s: part %lld of %lld", name, (long long)part,
                   (long long)(p->grid ? p->grid->n_parts : 0));
    return HEDDLE_OK;
}

enum heddle_status heddle_count_parts(heddle_array *a, int64_t *n)
{
    struct parted p = {0};
    HEDDLE_REQUIRE(n, HEDDLE_EARG, "heddle_count_parts: n is NULL");
    const enum heddle_status status = open_parts("count_parts", a, &p);
    if (status != HEDDLE_OK) return status;
    *n = p.grid->n_parts;
    close_parts(&p);
    return HEDDLE_OK;
}

enum heddle_status heddle_part(heddle_array *a, int64_t part, struct heddle_part_info *out)
{
    struct parted p = {0};
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_part: out is NULL");
    enum heddle_status status = open_parts("part", a, &p);
    if (status != HEDDLE_OK) return status;
    status = check_part("part", &p, part);
    if (status == HEDDLE_OK) {
        const struct heddle_box box = heddle__grid_part(p.grid, part);
        memset(out, 0, sizeof *out);
        for (int d = 0; d < p.grid->ndim; d++) {
            out->lo[d] = box.lo[d];
            out->hi[d] = box.hi[d];
        }
        out->size = heddle__box_size(&box, p.grid->ndim);
        out->place = heddle__grid_place_of(p.grid, part);
        out->current =
            heddle__backend ? heddle__backend->place_now(p.storage, part) : HEDDLE_PLACE_CPU;
    }
    close_parts(&p);
    return status;
}

enum heddle_status heddle_part_at(heddle_array *a, const int64_t *index, int64_t *part)
{
    struct parted p = {0};
    HEDDLE_REQUIRE(part && (index || heddle_ndim(a) == 0), HEDDLE_EARG,
                   "heddle_part_at: a pointer is NULL");
    enum heddle_status status = open_parts("part_at", a, &p);
    if (status != HEDDLE_OK) return status;
    for (int d = 0; d < p.grid->ndim && status == HEDDLE_OK; d++)
        if (index[d] < 0 || index[d] >= p.grid->shape[d])
            status = heddle__fail(HEDDLE_EINDEX, "heddle_part_at: index %lld of axis %d, shape %s",
                                  (long long)index[d], d, HEDDLE_SHAPE_OF(a));
    if (status == HEDDLE_OK) *part = heddle__grid_locate(p.grid, index);
    close_parts(&p);
    return status;
}

enum heddle_status heddle_boundaries(heddle_array *a, int axis, int64_t room, int64_t *bounds,
                                     int64_t *n)
{
    struct parted p = {0};
    HEDDLE_REQUIRE(n && room >= 0 && (bounds || room == 0), HEDDLE_EARG,
                   "heddle_boundaries: n is NULL, or room = %lld bounds at NULL", (long long)room);
    enum heddle_status status = open_parts("boundaries", a, &p);
    if (status != HEDDLE_OK) return status;
    const int d = axis < 0 ? axis + p.grid->ndim : axis;
    if (d < 0 || d >= p.grid->ndim) {
        status = heddle__fail(HEDDLE_EAXIS, "heddle_boundaries: axis %d of shape %s", axis,
                              HEDDLE_SHAPE_OF(a));
    } else {
        *n = p.grid->n[d] + 1;
        for (int64_t i = 0; i < *n && i < room; i++) bounds[i] = p.grid->bound[d][i];
    }
    close_parts(&p);
    return status;
}

heddle_array *heddle_distribute_like(heddle_array *a, heddle_array *like)
{
    heddle_array *const operands[] = {a, like};
    heddle_array *const bad = heddle__bad_operand("distribute_like", 2, operands);
    if (bad) return bad;
    if (!heddle__same_shape(a->ndim, a->shape, like->ndim, like->shape))
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_distribute_like: shapes %s and %s",
                                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(like));
    struct parted p = {0};
    if (open_parts("distribute_like", like, &p) != HEDDLE_OK) return heddle__error_last();
    struct heddle_grid *grid = heddle__grid_overlap(p.grid, p.grid->before, p.grid->after);
    close_parts(&p);
    if (!grid)
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_distribute_like: no memory for parts");
    grid->asked = true;
    return heddle__hand_out(heddle__make_distribute(a, grid));
}

/* ---- Views ---------------------------------------------------------------------------------------- */

/* What a view holds. If the backend has the part, the view is in the list of those that keep the runtime
 * up, until it is released or the process exits. */
struct hold {
    struct heddle_storage *storage;
    int64_t part;
    int node; /* of the backend, by acquire_at; -1: host memory, by heddle__part_acquire */
    bool is_listed;
    struct hold *previous, *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct hold *held; /* the list */

HEDDLE_AT_FORK(.mutex = &mutex)

static void list_add(struct hold *h)
{
    pthread_mutex_lock(&mutex);
    h->is_listed = true;
    h->next = held;
    if (held) held->previous = h;
    held = h;
    pthread_mutex_unlock(&mutex);
}

/* Takes it off the list and gives the part back to the backend, all under the mutex: who finds the list
 * empty may take the runtime down. */
static void give_back(struct hold *h)
{
    if (!h->is_listed) return;
    h->is_listed = false;
    *(h->previous ? &h->previous->next : &held) = h->next;
    if (h->next) h->next->previous = h->previous;
    if (h->node < 0)
        heddle__part_release(h->storage, h->part);
    else
        heddle__backend->release_at(h->storage, h->part, h->node);
}

enum heddle_status heddle__check_no_views(void)
{
    int n = 0;
    pthread_mutex_lock(&mutex);
    for (const struct hold *h = held; h; h = h->next) n++;
    pthread_mutex_unlock(&mutex);
    HEDDLE_REQUIRE(n == 0, HEDDLE_EARG,
                   "heddle_shutdown: %d view%s of parts must be released first "
                   "(heddle_part_release)",
                   n, n == 1 ? "" : "s");
    return HEDDLE_OK;
}

bool heddle__views_end(void)
{
    pthread_mutex_lock(&mutex);
    const bool any = held != NULL;
    while (held) give_back(held);
    pthread_mutex_unlock(&mutex);
    return any;
}

static enum heddle_status acquire(const char *name, struct hold *h, const struct parted *p,
                                  heddle_place place, const void **data)
{
    if (place < HEDDLE_PLACE_GPU || heddle__invented_machine()) {
        const struct heddle_storage *root = heddle__storage_root(h->storage);
        const bool backend_has_it = root->parts && !root->data && !root->parts[h->part].host;
        *data = heddle__part_acquire(h->storage, h->part);
        if (!*data) return heddle__no_data(name, root, h->part);
        if (backend_has_it) list_add(h);
        return HEDDLE_OK;
    }
    int worker = -1;
    heddle__evaluation_lock(); /* it may have been shut down meanwhile; it stays up from now on */
    enum heddle_status status = heddle__need_runtime();
    if (status == HEDDLE_OK) worker = heddle__worker_at(place);
    heddle__evaluation_unlock();
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(worker >= 0, HEDDLE_ENODEVICE, "heddle_%s: the GPU is no longer in use", name);
    status = heddle__backend->acquire_at(h->storage, p->grid, p->element_bytes, h->part, worker,
                                         data, &h->node);
    HEDDLE_REQUIRE(status == HEDDLE_OK, status, "heddle_%s: part %lld cannot go there", name,
                   (long long)h->part);
    list_add(h);
    return HEDDLE_OK;
}

/* Acquires the part as it is stored. */
static enum heddle_status acquire_own(const char *name, const struct parted *p, int64_t part,
                                      heddle_place place, struct heddle_part_view *out)
{
    enum heddle_status status = HEDDLE_OK;
    struct hold *hold = heddle__calloc(1, sizeof *hold);
    HEDDLE_REQUIRE(hold, HEDDLE_ENOMEM, "heddle_%s: no memory", name);
    *hold = (struct hold){.storage = p->storage, .part = part, .node = -1};
    const struct heddle_box box = heddle__grid_part(p->grid, part);
    out->part = part;
    for (int d = 0; d < p->grid->ndim; d++) {
        out->lo[d] = box.lo[d];
        out->shape[d] = box.hi[d] - box.lo[d];
    }
    if (status == HEDDLE_OK && heddle__box_size(&box, p->grid->ndim) > 0)
        status = acquire(name, hold, p, place, &out->data);
    if (status != HEDDLE_OK) {
        heddle__free(hold);
        return status;
    }
    heddle__storage_retain(p->storage);
    out->place = hold->node < 0 && place == HEDDLE_ANYWHERE ? HEDDLE_PLACE_CPU : place;
    out->handle = hold;
    return HEDDLE_OK;
}

/* The part with its overlap as an array of its own, in one part, where the view is wanted or, if that is
 * anywhere, where the part lives. Owned; NULL: this thread's error. */
static heddle_array *widened(heddle_array *a, const struct heddle_grid *grid, int64_t part,
                             heddle_place place)
{
    const struct heddle_box box = heddle__grid_wide_part(grid, part);
    if (place == HEDDLE_ANYWHERE) place = heddle__grid_place_of(grid, part);
    int64_t shape[HEDDLE_MAX_NDIM];
    struct heddle_map map = heddle__map_identity(grid->ndim);
    for (int d = 0; d < grid->ndim; d++) {
        shape[d] = box.hi[d] - box.lo[d];
        map.offset[d] = box.lo[d];
    }
    struct heddle_grid *one = heddle__grid_one(grid->ndim, shape);
    struct heddle_grid *placed =
        one ? heddle__grid_place(one, place != HEDDLE_ANYWHERE, &place) : NULL;
    heddle__grid_release(one);
    if (!placed) return heddle__no_memory();
    placed->asked = true;
    heddle_array *view = heddle__make_view(a, &map, grid->ndim, shape);
    heddle_array *wide = NULL;
    if (view)
        wide = heddle__make_distribute(view, placed);
    else
        heddle__grid_release(placed);
    heddle__release(view);
    return wide;
}

static enum heddle_status acquire_wide(const char *name, heddle_array *a, const struct parted *p,
                                       int64_t part, heddle_place place,
                                       struct heddle_part_view *out)
{
    heddle_array *wide = widened(a, p->grid, part, place);
    if (!wide) return heddle__last_code();
    struct parted q = {0};
    enum heddle_status status = open_parts(name, wide, &q);
    if (status == HEDDLE_OK) status = acquire_own(name, &q, 0, place, out);
    close_parts(&q);
    heddle__release(wide);
    if (status != HEDDLE_OK) return status;
    const struct heddle_box own = heddle__grid_part(p->grid, part);
    const struct heddle_box box = heddle__grid_wide_part(p->grid, part);
    out->part = part;
    for (int d = 0; d < p->grid->ndim; d++) {
        out->lo[d] = box.lo[d];
        out->before[d] = own.lo[d] - box.lo[d];
        out->after[d] = box.hi[d] - own.hi[d];
    }
    return HEDDLE_OK;
}

enum heddle_status heddle__part_view(const char *name, heddle_array *a, int64_t part,
                                     heddle_place place, bool wide, struct heddle_part_view *out)
{
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_%s: out is NULL", name);
    memset(out, 0, sizeof *out);
    enum heddle_status status = heddle__check_known_places(name, 1, &place);
    if (status != HEDDLE_OK) return status;
    struct parted p = {0};
    status = open_parts(name, a, &p);
    if (status != HEDDLE_OK) return status;
    status = check_part(name, &p, part);
    if (status == HEDDLE_OK && p.grid) {
        wide = wide && p.grid->overlaps && heddle__grid_part_size(p.grid, part) > 0;
        status = wide ? acquire_wide(name, a, &p, part, place, out)
                      : acquire_own(name, &p, part, place, out);
    }
    close_parts(&p);
    if (status != HEDDLE_OK) memset(out, 0, sizeof *out);
    return status;
}

enum heddle_status heddle_part_acquire(heddle_array *a, int64_t part, heddle_place place,
                                       struct heddle_part_view *out)
{
    return heddle__part_view("part_acquire", a, part, place, true, out);
}

void heddle_part_release(struct heddle_part_view *view)
{
    if (!view || !view->handle) return;
    struct hold *h = view->handle;
    pthread_mutex_lock(&mutex);
    give_back(h);
    pthread_mutex_unlock(&mutex);
    heddle__storage_release(h->storage);
    heddle__free(h);
    memset(view, 0, sizeof *view);
}
