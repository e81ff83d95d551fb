/* Halos: what a task reads of a part that lives elsewhere is cut out where the part lives, by a task of
 * its own, so that nothing else travels. First the wishes of a whole step are collected; boxes of one
 * part for one place that overlap or meet become one; those of inputs serve later steps, too. A box of nearly all of the part is no gain: then the task
 * reads the part itself, and StarPU moves it. Entry points: cut.h, "Halos". */
#include "base/hash.h"
#include "base/memory.h"
#include "plan/cut/cut.h"

#include <stdlib.h>

struct heddle_halo {
    int32_t array, copy; /* copy: the plan's array that has the box; -1: none, the part is read */
    heddle_place to;
    int64_t part;
    struct heddle_box box;
    bool is_covered; /* by another one */
    int64_t next;    /* of its hash chain; -1: none */
};

enum { BUCKETS = 256 };

static uint64_t bucket_of(int32_t array, int64_t part, heddle_place to)
{
    return heddle__hash_word(heddle__hash_word((uint64_t)array, (uint64_t)part), (uint64_t)to) %
           BUCKETS;
}

void heddle__halos_clear(struct heddle_planner *p)
{
    if (p->n_halos == 0 && p->halo_buckets) return;
    p->n_halos = 0;
    if (!p->halo_buckets)
        p->halo_buckets = heddle__arena_alloc(&p->scratch, BUCKETS * sizeof *p->halo_buckets);
    if (!p->halo_buckets) {
        p->failed = true;
        return;
    }
    for (int i = 0; i < BUCKETS; i++) p->halo_buckets[i] = -1;
}

/* The first halo of a part for a place, from index `i` of a chain on; -1: there is none. */
static int64_t next_of(const struct heddle_planner *p, int64_t i, int32_t array, int64_t part,
                       heddle_place to)
{
    for (; i >= 0; i = p->halos[i].next) {
        const struct heddle_halo *h = &p->halos[i];
        if (h->array == array && h->part == part && h->to == to) break;
    }
    return i;
}

/* Makes `box` cover `other`, too, if that adds little to both. Whether it did. */
static bool cover(struct heddle_box *box, const struct heddle_box *other, int ndim)
{
    struct heddle_box both = *box;
    for (int d = 0; d < ndim; d++) {
        if (other->lo[d] < both.lo[d]) both.lo[d] = other->lo[d];
        if (other->hi[d] > both.hi[d]) both.hi[d] = other->hi[d];
    }
    const int64_t apart = heddle__box_size(box, ndim) + heddle__box_size(other, ndim);
    if (heddle__box_size(&both, ndim) * 8 > apart * 9) return false;
    *box = both;
    return true;
}

bool heddle__halo_want(struct heddle_planner *p, int32_t array, int64_t part, heddle_place to,
                       const struct heddle_box *region)
{
    const struct heddle_grid *grid = p->plan->arrays[array].grid;
    const heddle_place from = heddle__grid_place_of(grid, part);
    if (from == to || from == HEDDLE_ANYWHERE || to == HEDDLE_ANYWHERE ||
        heddle__replica_of(p, array, to) >= 0)
        return true;
    if (!p->halo_buckets) return false; /* memory was gone when the step began */
    int64_t *bucket = &p->halo_buckets[bucket_of(array, part, to)];
    for (int64_t i = next_of(p, *bucket, array, part, to); i >= 0;
         i = next_of(p, p->halos[i].next, array, part, to))
        if (cover(&p->halos[i].box, region, grid->ndim)) return true;
    if (!heddle__grow(&p->halos, sizeof *p->halos, p->n_halos + 1, &p->halo_room)) {
        p->failed = true;
        return false;
    }
    p->halos[p->n_halos] = (struct heddle_halo){
        .array = array, .copy = -1, .to = to, .part = part, .box = *region, .next = *bucket};
    *bucket = p->n_halos++;
    return true;
}

/* Notes of what the copy is, if that is an input. */
static bool note_halo(struct heddle_planner *p, const struct heddle_halo *h)
{
    const struct heddle_plan_array *a = &p->plan->arrays[h->array];
    if (a->role != HEDDLE_ROLE_INPUT || a->owner != h->array) return true;
    struct heddle_plan_halo *halo = heddle__arena_alloc(p->plan->arena, sizeof *halo);
    if (!halo) return false;
    *halo = (struct heddle_plan_halo){h->array, h->part, h->to, h->box};
    p->plan->arrays[h->copy].halo = halo;
    return true;
}

/* Joins boxes that have met since they were noted: each is a task and a transfer. */
static void join_halos(struct heddle_planner *p)
{
    for (int64_t i = 0; i < p->n_halos; i++) {
        struct heddle_halo *h = &p->halos[i];
        const int ndim = p->plan->arrays[h->array].grid->ndim;
        const int64_t first = p->halo_buckets[bucket_of(h->array, h->part, h->to)];
        bool grows = !h->is_covered;
        while (grows) {
            grows = false;
            for (int64_t j = next_of(p, first, h->array, h->part, h->to); j >= 0;
                 j = next_of(p, p->halos[j].next, h->array, h->part, h->to)) {
                struct heddle_halo *other = &p->halos[j];
                if (j == i || other->is_covered || !cover(&h->box, &other->box, ndim)) continue;
                other->is_covered = grows = true;
            }
        }
    }
}

/* Makes a task that copies the box. */
static bool cut_out(struct heddle_planner *p, struct heddle_halo *h)
{
    const struct heddle_plan_array *a = &p->plan->arrays[h->array];
    const enum heddle_dtype dtype = heddle__moved_as(a);
    const int ndim = a->grid->ndim;
    const heddle_place from = heddle__grid_place_of(a->grid, h->part);
    struct heddle_map map = heddle__map_identity(ndim);
    const struct heddle_map identity = map;
    struct heddle_box whole = {{0}, {0}};
    for (int d = 0; d < ndim; d++) {
        map.offset[d] = h->box.lo[d];
        whole.hi[d] = h->box.hi[d] - h->box.lo[d];
    }
    struct heddle_grid *one = heddle__grid_one(ndim, whole.hi);
    struct heddle_grid *grid = one ? heddle__grid_place(one, 1, &from) : NULL;
    heddle__grid_release(one);
    const int32_t copy = heddle__plan_add_like(p, h->array, grid);
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (copy < 0 || !b) return false;
    p->plan->arrays[copy].partial = p->plan->arrays[h->array].partial;
    heddle__build_start(b);
    const uint16_t value = heddle__build_load(b, h->array, dtype, &map);
    heddle__build_store(b, value, copy, dtype, &identity);
    const struct heddle_program *program = heddle__plan_program(p, b);
    const uint32_t *constants = heddle__call_constants(p, b);
    const struct heddle_space space = {ndim, ndim, whole.hi, 0, "halo"};
    if (!program || !constants || !heddle__task_begin(p) ||
        !heddle__call_program(p, b, program, &space, constants, &whole, 0, HEDDLE_PHASE_WHOLE))
        return false;
    heddle__task_end(p);
    h->copy = copy;
    return note_halo(p, h);
}

/* Gives the halo the copy of one of an earlier step, if that has its box. */
static bool take_kept(const struct heddle_planner *p, struct heddle_halo *h)
{
    const int ndim = p->plan->arrays[h->array].grid->ndim;
    for (int64_t i = 0; i < p->n_kept_halos; i++) {
        const struct heddle_halo *kept = &p->kept_halos[i];
        if (kept->array != h->array || kept->part != h->part || kept->to != h->to ||
            !heddle__box_contains(&kept->box, &h->box, ndim))
            continue;
        h->box = kept->box;
        h->copy = kept->copy;
        return true;
    }
    return false;
}

/* What is an input stays what it is: what writes over it has a number of its own. */
static bool keep(struct heddle_planner *p, const struct heddle_halo *h)
{
    const struct heddle_plan_array *a = &p->plan->arrays[h->array];
    if (a->role != HEDDLE_ROLE_INPUT || a->owner != h->array) return true;
    if (!heddle__grow(&p->kept_halos, sizeof *p->kept_halos, p->n_kept_halos + 1,
                      &p->kept_halo_room))
        return false;
    p->kept_halos[p->n_kept_halos++] = *h;
    return true;
}

struct rank {
    uint32_t round;
    int64_t halo;
};

static int compare_ranks(const void *x, const void *y)
{
    const struct rank *a = x, *b = y;
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    return a->halo < b->halo ? -1 : a->halo > b->halo;
}

bool heddle__halos_cut(struct heddle_planner *p)
{
    const int64_t n = p->n_halos;
    bool begun = false;
    join_halos(p);
    struct rank *ranks = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *ranks);
    if (!ranks) return false;
    for (int64_t i = 0; i < n; i++) {
        const struct heddle_halo *h = &p->halos[i];
        const struct heddle_grid *grid = p->plan->arrays[h->array].grid;
        ranks[i] = (struct rank){heddle__round_of(heddle__grid_place_of(grid, h->part), h->to), i};
    }
    qsort(ranks, (size_t)n, sizeof *ranks, compare_ranks);
    for (int64_t i = 0; i < n && !p->failed; i++) {
        struct heddle_halo *h = &p->halos[ranks[i].halo];
        const struct heddle_grid *grid = p->plan->arrays[h->array].grid;
        if (h->is_covered ||
            heddle__box_size(&h->box, grid->ndim) * 4 > heddle__grid_part_size(grid, h->part) * 3 ||
            take_kept(p, h))
            continue;
        if (!begun && !heddle__step_begin(p, &heddle__program_family, NULL, "halo", 0))
            return false;
        begun = true;
        if (!cut_out(p, h) || !keep(p, h)) return false;
    }
    return !p->failed;
}

int32_t heddle__halo_of(const struct heddle_planner *p, int32_t array, int64_t part,
                        heddle_place to, const struct heddle_box *box, struct heddle_map *map)
{
    const int32_t replica = heddle__replica_of(p, array, to);
    if (replica >= 0 || p->n_halos == 0 || to == HEDDLE_ANYWHERE) return replica;
    const struct heddle_box region = heddle__map_region(map, box);
    for (int64_t i = next_of(p, p->halo_buckets[bucket_of(array, part, to)], array, part, to);
         i >= 0; i = next_of(p, p->halos[i].next, array, part, to)) {
        const struct heddle_halo *h = &p->halos[i];
        if (h->copy < 0 || !heddle__box_contains(&h->box, &region, map->n)) continue;
        for (int d = 0; d < map->n; d++) map->offset[d] -= h->box.lo[d];
        return h->copy;
    }
    return -1;
}
