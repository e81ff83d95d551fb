/* Assembled arrays that need not be stored, since only elementwise work of one group reads them: that work, the
 * tail, is computed where their inputs land. So map(concat(x, y), z) becomes a program of x and z over the box
 * where x lands, and one of y and z; so does what u[1:-1] = map(concat(x, y), z) assigns. A tail of several arrays, as
 * roll(u, 1) - roll(u, -1), has a box for each combination of their inputs. Here is decided which; emit_tail.c makes the programs. Entry points:
 * heddle__find_tails, heddle__inset_group, heddle__call_bytes. */
#include "plan/fuse/fuse.h"
#include "plan/fuse/emit.h"
#include "plan/policy/thresholds.h"

#include <string.h>

enum { MOST_BOXES = 64 };

/* ---- Readers ------------------------------------------------------------------------------------- */

int32_t heddle__inset_group(const struct heddle_planner *p, int32_t at, int i)
{
    const heddle_array *a = p->values[at].node;
    int32_t group = p->values[at].group + 1;
    for (int k = 0; k < i; k++) group += a->in[k] && a->in[k]->size > 0;
    return group;
}

/* Whether the axes of what is read are those of the reader but for some of extent 1, and begin elsewhere at most. */
static bool is_shift(const struct heddle_map *map, const struct heddle_group *g)
{
    int next = 0; /* axis of the reader */
    for (int d = 0; map && d < map->n; d++) {
        if (map->step[d] != 1) return false;
        while (next < g->ndim && next != map->axis[d] && g->extent[next] == 1) next++;
        if (next == g->ndim || next++ != map->axis[d]) return false;
    }
    while (map && next < g->ndim)
        if (g->extent[next++] != 1) return false;
    return true;
}

/* The places where one group reads an array, as a stencil of a padded one does. */
struct places {
    int n;
    const struct heddle_map *map[HEDDLE_TAIL_ARRAYS];
};

struct finder {
    struct heddle_planner *p;
    int32_t *reader;              /* [n]: of each assembled array */
    struct places **places;       /* [n]: NULL: one, the value's context */
    struct heddle_tail_box *room; /* [MOST_BOXES] */
};

/* Adds a place to those of an array, which has one already. False: there are too many. */
static bool add_place(const struct finder *f, int32_t at, const struct heddle_map *map)
{
    struct places *s = f->places[at];
    if (!s) {
        s = f->places[at] = heddle__arena_alloc(&f->p->scratch, sizeof *s);
        if (!s) {
            f->p->failed = true;
            return false;
        }
        s->n = 1;
        s->map[0] = f->p->values[at].context;
    }
    for (int i = 0; i < s->n; i++)
        if (heddle__maps_equal(s->map[i], map)) return true;
    if (s->n == HEDDLE_TAIL_ARRAYS) return false;
    s->map[s->n++] = map;
    return true;
}

/* Notes that a group reads assembled array `at` by `map`, which becomes its context. `several`: it may at other places, too. */
static void note(const struct finder *f, int32_t at, int32_t group, const struct heddle_map *map,
                 bool several)
{
    struct heddle_value *v = &f->p->values[at];
    if (v->node->kind != HEDDLE_NODE_ASSEMBLE) return;
    const int32_t before = f->reader[at];
    bool fits = group >= 0 && is_shift(map, &f->p->groups[group]) &&
                (before == HEDDLE_NO_GROUP || before == group);
    if (before == HEDDLE_NO_GROUP)
        v->context = map;
    else if (fits && !heddle__maps_equal(v->context, map))
        fits = several && add_place(f, at, map);
    f->reader[at] = fits ? group : HEDDLE_MANY_GROUPS;
}

/* Fills in reader[at] for each assembled array: the group that reads it, or HEDDLE_MANY_GROUPS. */
static void find_readers(const struct finder *f)
{
    struct heddle_planner *p = f->p;
    for (int32_t at = 0; at < p->n; at++) {
        f->reader[at] = HEDDLE_NO_GROUP;
        f->places[at] = NULL;
    }
    for (int32_t at = 0; at < p->n && !p->failed; at++) {
        const struct heddle_value *v = &p->values[at];
        const heddle_array *a = v->node;
        if (v->canonical != at || !v->used) continue;
        if (a->kind == HEDDLE_NODE_VIEW) { /* if not materialised, its readers read the base */
            if (v->materialised) note(f, p->values[v->base].canonical, v->group, v->view, false);
            continue;
        }
        int32_t inset = v->group;
        for (int i = 0; i < a->n_in; i++) {
            if (!a->in[i]) continue;
            const struct heddle_map *map;
            const int32_t in = heddle__input(p, v, i, &map);
            inset += a->kind == HEDDLE_NODE_ASSEMBLE && a->in[i]->size > 0;
            if (p->values[in].node->kind != HEDDLE_NODE_ASSEMBLE) continue;
            if (a->kind == HEDDLE_NODE_ASSEMBLE)
                note(f, in, a->in[i]->size > 0 ? inset : HEDDLE_MANY_GROUPS, map, false);
            else if (heddle__is_elementwise(a))
                note(f, in, v->group, heddle__compose(p, map, v->context), true);
            else
                note(f, in, HEDDLE_MANY_GROUPS, map, false);
        }
    }
}

/* ---- Boxes --------------------------------------------------------------------------------------- */

/* Boxes in the making. */
struct boxes {
    int32_t n, ndim, slot;
    bool too_many;
    struct heddle_tail_box *at; /* [MOST_BOXES] */
};

static void add_box(struct boxes *b, const struct heddle_tail_box *of, const struct heddle_box *box,
                    int32_t input)
{
    if (heddle__box_size(box, b->ndim) == 0) return;
    if (b->n == MOST_BOXES) {
        b->too_many = true;
        return;
    }
    struct heddle_tail_box *added = &b->at[b->n++];
    *added = *of;
    added->box = *box;
    added->input[b->slot] = input;
}

/* Adds `box` without `hole`: slabs before and after the hole, axis by axis. */
static void add_outside(struct boxes *b, const struct heddle_tail_box *of,
                        const struct heddle_box *hole)
{
    struct heddle_box inside, box = of->box;
    if (!heddle__box_intersect(&box, hole, b->ndim, &inside)) {
        add_box(b, of, &box, 0);
        return;
    }
    for (int d = 0; d < b->ndim; d++) {
        struct heddle_box slab = box;
        slab.hi[d] = inside.lo[d];
        add_box(b, of, &slab, 0);
        slab = box;
        slab.lo[d] = inside.hi[d];
        add_box(b, of, &slab, 0);
        box.lo[d] = inside.lo[d];
        box.hi[d] = inside.hi[d];
    }
}

/* Where input `i` of an assembled array lands in it. */
static struct heddle_box landing(const heddle_array *a, int i)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = 0; d < a->ndim; d++) {
        box.lo[d] = i > 0 ? a->landings[i].start[d] : 0;
        box.hi[d] = box.lo[d] + a->in[i]->shape[d];
    }
    return box;
}

/* The part of `of` where input `i` of array k of the tail lands; along axes that the array has not, all of it. */
static struct heddle_box landing_in(const struct heddle_box *of, const heddle_array *a, int i,
                                    const int8_t *axis, const int64_t *shift)
{
    const struct heddle_box own = landing(a, i);
    struct heddle_box box = *of;
    for (int d = 0; d < a->ndim; d++) {
        box.lo[axis[d]] = own.lo[d] + shift[axis[d]];
        box.hi[axis[d]] = own.hi[d] + shift[axis[d]];
    }
    return box;
}

/* Splits a box by which input of the array lands there. */
static void split(struct boxes *b, const struct heddle_tail_box *of, const heddle_array *a,
                  const int8_t *axis, const int64_t *shift)
{
    struct heddle_box inside;
    for (int i = 1; i < a->n_in; i++) {
        if (a->in[i]->size == 0) continue;
        const struct heddle_box box = landing_in(&of->box, a, i, axis, shift);
        if (a->in[0]) add_outside(b, of, &box); /* it is the only one (can_split) */
        if (heddle__box_intersect(&of->box, &box, b->ndim, &inside)) add_box(b, of, &inside, i);
    }
}

/* Whether all its inputs are boxes, and at most one lies over another one. */
static bool can_split(const heddle_array *a)
{
    if (a->in[0] && (a->n_in != 2 || a->in[1]->size == 0)) return false;
    for (int i = 0; i < a->n_in; i++) {
        if (!a->in[i]) continue;
        if (a->in[i]->dtype != a->dtype) return false;
        for (int d = 0; i > 0 && d < a->ndim; d++)
            if (a->landings[i].step[d] != 1 && a->in[i]->shape[d] > 1) return false;
    }
    return true;
}

/* ---- What it is worth ---------------------------------------------------------------------------- */

/* Whether the array would be made in that of its base, as far as can be told. */
static bool updates_base(const struct heddle_planner *p, const struct heddle_value *v)
{
    if (!v->node->in[0]) return false;
    const struct heddle_map *map;
    const int32_t base = heddle__input(p, v, 0, &map);
    return !map && heddle__may_overwrite(p, base);
}

int64_t heddle__call_bytes(const struct heddle_planner *p)
{
    return p->policy->n_gpus > 0 && !p->run_inline ? heddle__thresholds.call_bytes_gpu
                                                   : heddle__thresholds.call_bytes_cpu;
}

/* How many programs' calls make the array, in one part. */
static int64_t calls_to_store(const struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node;
    int64_t n = 0;
    for (int i = 1; i < a->n_in; i++) n += a->in[i]->size > 0;
    if (!a->in[0] || updates_base(p, v)) return n;
    for (int d = 0; d < a->ndim; d++) { /* the slabs outside of the one input */
        const int64_t start = a->landings[1].start[d];
        n += (start > 0) + (start + a->in[1]->shape[d] < a->shape[d]);
    }
    return n;
}

/* How many bytes too many a pass over a box of an array moves, as lines of memory are moved whole. */
static double wasted_bytes(const struct heddle_box *box, int ndim, const int64_t *shape,
                           int64_t element_bytes)
{
    enum { LINE = 64 };
    double run = (double)element_bytes; /* bytes that lie together */
    for (int d = ndim - 1; d >= 0; d--) {
        run *= (double)(box->hi[d] - box->lo[d]);
        if (box->hi[d] - box->lo[d] != shape[d]) break;
    }
    const double lines = LINE / run, most = LINE / (double)element_bytes - 1;
    return (double)(heddle__box_size(box, ndim) * element_bytes) * (lines < most ? lines : most);
}

/* Of an assembled array but for its base. */
static double input_bytes(const heddle_array *a)
{
    double n = 0;
    for (int i = 1; i < a->n_in; i++) n += (double)a->in[i]->size;
    return n * (double)heddle_dtype_size(a->dtype);
}

/* Bytes that are moved for an array if it is stored: it is written input by input, and read. */
static double bytes_to_store(const struct heddle_planner *p, const struct heddle_value *v)
{
    const heddle_array *a = v->node;
    const int64_t each = (int64_t)heddle_dtype_size(a->dtype);
    double bytes = 2 * (updates_base(p, v) ? input_bytes(a) : (double)(a->size * each));
    for (int i = 1; i < a->n_in; i++) {
        const struct heddle_box box = landing(a, i);
        if (a->in[i]->size > 0) bytes += wasted_bytes(&box, a->ndim, a->shape, each);
    }
    return bytes;
}

/* The same if it is the base of an update, which is made in it: what the update sets is written twice, and nothing is read.
 * If it is itself made in its base, that base would be copied whole without it: less than 0, storing moves less. */
static double bytes_to_store_base(const struct heddle_planner *p, const struct heddle_value *v,
                                  const heddle_array *update)
{
    if (!updates_base(p, v)) return input_bytes(update);
    return bytes_to_store(p, v) -
           2.0 * (double)v->node->size * (double)heddle_dtype_size(v->node->dtype);
}

/* How many arrays the group reads and writes beside those that are assembled. */
static int count_operands(const struct heddle_planner *p, const struct heddle_group *g)
{
    int n = 0;
    for (int32_t at = g->first; at >= 0 && n < HEDDLE_MAX_OPERANDS; at = p->next_member[at]) {
        const struct heddle_value *v = &p->values[at];
        n += v->materialised;
        for (int i = 0; i < v->node->n_in && v->node->kind != HEDDLE_NODE_VIEW; i++) {
            const struct heddle_map *map;
            const struct heddle_value *in = &p->values[heddle__input(p, v, i, &map)];
            n += in->group != v->group && in->node->kind != HEDDLE_NODE_CONSTANT &&
                 in->node->kind != HEDDLE_NODE_INDEX && in->node->kind != HEDDLE_NODE_ASSEMBLE;
        }
    }
    return n;
}

bool heddle__boxes_take_turns(const struct heddle_planner *p, const struct heddle_group *g,
                              int32_t n, const struct heddle_tail_box boxes[])
{
    const int last = g->ndim - 1;
    if (n < 2 || last < 0) return false;
    const struct heddle_box *first = &boxes[0].box;
    const int64_t width = first->hi[last] - first->lo[last];
    for (int32_t i = 0; i < n; i++) {
        const struct heddle_box *box = &boxes[i].box;
        for (int d = 0; d < last; d++)
            if (box->lo[d] != first->lo[d] || box->hi[d] != first->hi[d]) return false;
        if (box->hi[last] - box->lo[last] != width) return false;
    }
    int64_t widest = 1;
    for (int32_t at = g->first; at >= 0; at = p->next_member[at]) {
        const int64_t size = (int64_t)heddle_dtype_size(p->values[at].node->dtype);
        if (p->values[at].materialised && size > widest) widest = size;
    }
    return widest * width <= HEDDLE_TURN_BYTES;
}

/* Whether the tail moves less than it would if its arrays were stored, by as much as its calls cost more. */
static bool pays(const struct heddle_planner *p, const struct heddle_group *g,
                 const struct heddle_tail *t, const struct boxes *b, int64_t element_bytes)
{
    const struct heddle_thresholds *is = &heddle__thresholds;
    const double call = (double)heddle__call_bytes(p);
    const double more_calls = b->n > t->calls ? b->n - t->calls : 0;
    double whole = (double)element_bytes, wasted = 0;
    for (int d = 0; d < g->ndim; d++) whole *= (double)g->extent[d];
    for (int32_t i = 0; i < b->n && whole > (double)is->cached_bytes; i++)
        wasted += wasted_bytes(&b->at[i].box, b->ndim, g->extent, element_bytes);
    return t->bytes >= more_calls * call + wasted * t->operands;
}

/* Whether boxes that take turns are one program, which has room for what each box reads and writes, and what lands there; and, on CPUs, which compute
 * beside loads and stores that jump, there is something to compute. */
static bool is_at_once(const struct heddle_planner *p, const struct heddle_group *g,
                       const struct heddle_tail *t, const struct boxes *b,
                       const struct heddle_value *v)
{
    const struct heddle_map *map;
    if (t->n > 0 || g->kind != HEDDLE_GROUP_MAP || b->n * (t->operands + 1) > HEDDLE_MAX_OPERANDS ||
        !heddle__boxes_take_turns(p, g, b->n, b->at))
        return false;
    bool is_computed = p->policy->n_gpus > 0;
    for (int i = 1; i < v->node->n_in; i++)
        is_computed =
            is_computed || heddle__is_elementwise(p->values[heddle__input(p, v, i, &map)].node);
    return is_computed;
}

/* ---- Tails --------------------------------------------------------------------------------------- */

static struct heddle_tail *new_tail(struct heddle_planner *p, const struct heddle_group *g)
{
    struct heddle_tail *t = heddle__arena_alloc(&p->scratch, sizeof *t);
    struct heddle_tail_box *whole = heddle__arena_alloc(&p->scratch, sizeof *whole);
    if (!t || !whole) {
        p->failed = true;
        return NULL;
    }
    memset(t, 0, sizeof *t);
    memset(whole, 0, sizeof *whole);
    memcpy(whole->box.hi, g->extent, (size_t)g->ndim * sizeof *g->extent);
    t->boxes = whole;
    t->n_boxes = 1;
    t->calls = 1;
    t->operands = count_operands(p, g);
    return t;
}

/* Adds assembled array `at`, read by `map`, to the tail of a group; with `slot` >= 0 it is read by input `of` of the tail's array
 * `slot` alone. `again`: the tail has it at another place. Nothing changes if that cannot be, or does not pay. */
static bool add_array(const struct finder *f, const struct heddle_group *g, struct heddle_tail *t,
                      int32_t at, const struct heddle_map *map, bool again, int slot, int of)
{
    struct heddle_planner *p = f->p;
    const struct heddle_value *v = &p->values[at];
    const heddle_array *a = v->node;
    if (t->n == HEDDLE_TAIL_ARRAYS || !can_split(a)) return false;
    int8_t *axis = t->axis[t->n];
    int64_t *shift = t->shift[t->n];
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) shift[d] = 0;
    for (int d = 0; d < a->ndim; d++) {
        const int own =
            map ? map->axis[d] : d; /* of the reader: the group, or an outer array's input */
        axis[d] = slot < 0 ? (int8_t)own : t->axis[slot][own];
        shift[axis[d]] = map ? -map->offset[d] : 0;
        if (slot < 0) continue;
        const heddle_array *outer = p->values[t->at[slot]].node;
        shift[axis[d]] += t->shift[slot][axis[d]] + (of > 0 ? outer->landings[of].start[own] : 0);
    }

    struct boxes b = {.ndim = g->ndim, .slot = t->n, .at = f->room};
    for (int32_t i = 0; i < t->n_boxes; i++) {
        const struct heddle_tail_box *box = &t->boxes[i];
        if (slot >= 0 && box->input[slot] != of)
            add_box(&b, box, &box->box, -1);
        else
            split(&b, box, a, axis, shift);
    }
    struct heddle_tail with = *t;
    if (!again) {
        with.calls += (double)calls_to_store(p, v);
        with.bytes += slot < 0 && g->kind == HEDDLE_GROUP_INSET && g->inset == 0
                          ? bytes_to_store_base(p, v, p->values[g->owner].node)
                          : bytes_to_store(p, v);
    }
    const int64_t element_bytes = (int64_t)heddle_dtype_size(a->dtype);
    if (b.too_many || b.n == 0) return false;
    if (!is_at_once(p, g, t, &b, v) && !pays(p, g, &with, &b, element_bytes)) return false;
    with.map[with.n] = f->places[at] ? map : NULL;
    with.at[with.n++] = at;
    with.n_boxes = b.n;
    with.boxes = heddle__arena_alloc(&p->scratch, (size_t)b.n * sizeof *b.at);
    if (!with.boxes) {
        p->failed = true;
        return false;
    }
    memcpy(with.boxes, b.at, (size_t)b.n * sizeof *b.at);
    *t = with;
    return true;
}

/* Adds an array to the tail of the group that reads it: directly or, as an input of another array of a tail,
 * through that one. */
static void place(const struct finder *f, int32_t at)
{
    struct heddle_planner *p = f->p;
    const int32_t reader = f->reader[at];
    const struct heddle_value *v = &p->values[at];
    if (reader < 0 || v->materialised || v->distributed || v->grid) return;
    struct heddle_group *g = &p->groups[reader];
    int slot = -1, of = -1;
    if (g->at_indices) return;
    if (g->kind == HEDDLE_GROUP_INSET) {
        of = g->inset;
        const struct heddle_group *outer = &p->groups[p->values[g->owner].group];
        if (outer->tail && (f->places[g->owner] || f->places[at])) return;
        for (slot = outer->tail ? 0 : -1; slot >= 0 && outer->tail->at[slot] != g->owner;) slot++;
        if (outer->tail) g = &p->groups[outer->tail_of];
    } else if (g->kind != HEDDLE_GROUP_MAP) {
        return;
    }
    const struct places one = {1, {v->context}}, *s = f->places[at] ? f->places[at] : &one;
    struct heddle_tail *t = g->tail ? g->tail : new_tail(p, g);
    if (!t) return;
    struct heddle_tail with = *t;
    for (int i = 0; i < s->n; i++)
        if (!add_array(f, g, &with, at, s->map[i], i > 0, slot, of)) return;
    *t = with;
    g->tail = t;
    struct heddle_group *own = &p->groups[v->group];
    own->tail = t;
    own->tail_of = (int32_t)(g - p->groups);
    own->emitted = true;
}

/* Its program stands for all in what is printed. */
static void put_largest_last(struct heddle_tail *t, int ndim)
{
    int32_t largest = 0;
    for (int32_t i = 1; i < t->n_boxes; i++)
        if (heddle__box_size(&t->boxes[i].box, ndim) >=
            heddle__box_size(&t->boxes[largest].box, ndim))
            largest = i;
    const struct heddle_tail_box box = t->boxes[largest];
    memmove(&t->boxes[largest], &t->boxes[largest + 1],
            (size_t)(t->n_boxes - 1 - largest) * sizeof box);
    t->boxes[t->n_boxes - 1] = box;
}

bool heddle__find_tails(struct heddle_planner *p)
{
    bool any = false;
    for (int64_t i = 0; i < p->n_groups; i++)
        any = any || p->groups[i].kind == HEDDLE_GROUP_ASSEMBLE;
    if (!any || !p->policy->fusion) return true;
    struct finder f = {.p = p};
    f.reader = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *f.reader);
    f.places = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *f.places);
    f.room = heddle__arena_alloc(&p->scratch, MOST_BOXES * sizeof *f.room);
    if (!f.reader || !f.places || !f.room) return false;
    find_readers(&f);
    for (int32_t at = (int32_t)p->n - 1; at >= 0 && !p->failed; at--) /* users before operands */
        place(&f, at);
    for (int64_t i = 0; i < p->n_groups; i++)
        if (p->groups[i].kind != HEDDLE_GROUP_ASSEMBLE && p->groups[i].tail)
            put_largest_last(p->groups[i].tail, p->groups[i].ndim);
    return !p->failed;
}
