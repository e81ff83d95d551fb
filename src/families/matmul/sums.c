/* Products of long sums whose results are small, of operands that lie at several places along the inner axis: each
 * place multiplies what it has of it, to a partial result of its own, and one program adds these in the order of the
 * places along the axis, so that the bits depend on the partition alone. Only partial results travel, and what a place
 * lacks of the other operand. Entry points: cut.h, "Sums". */
#include "families/matmul/cut.h"
#include "plan/partition/derive.h"
#include "plan/policy/thresholds.h"

#include <math.h>

/* ---- Who multiplies what ---------------------------------------------------------------------------- */

static int inner_axis(const struct heddle_matmul_cut *s)
{
    return s->n_batch + 2;
}

/* Bytes that a box of the iteration space reads of operand `i`, each element once. */
static double bytes_read(const struct heddle_matmul_cut *s, int i, const struct heddle_box *box)
{
    double bytes = s->p->plan->arrays[s->array[i]].element_bytes;
    unsigned seen = 0;
    for (int d = 0; d < s->map[i].n; d++) {
        const int axis = s->map[i].axis[d];
        if (axis < 0 || s->map[i].step[d] == 0 || (seen >> axis & 1)) continue;
        seen |= 1u << axis;
        bytes *= (double)(box->hi[axis] - box->lo[axis]);
    }
    return bytes;
}

static struct heddle_box whole_box(const struct heddle_matmul_cut *s, const int64_t *shape)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = 0; d < s->n_batch + 2; d++) box.hi[d] = shape[d];
    box.hi[inner_axis(s)] = s->k;
    return box;
}

/* Whether operand `i` is cut along the inner axis alone, and its parts have places. */
static bool lies_along(const struct heddle_matmul_cut *s, int i)
{
    const struct heddle_grid *grid = s->reads[i].grid;
    if (!grid->place || grid->n_parts < 2) return false;
    for (int d = 0; d < grid->ndim; d++)
        if (grid->n[d] > 1 && s->map[i].axis[d] != inner_axis(s)) return false;
    return true;
}

/* The operand whose parts say where what is multiplied: the larger one. -1: it lies otherwise. */
static int leader(const struct heddle_matmul_cut *s, const struct heddle_box *whole)
{
    const double a = bytes_read(s, 0, whole), b = bytes_read(s, 1, whole);
    if (a >= b && lies_along(s, 0)) return 0;
    return b >= a && lies_along(s, 1) ? 1 : -1;
}

struct intervals {
    const struct heddle_matmul_cut *s;
    struct heddle_sums *sums;
    int leader;
    bool fits;
};

/* The number of a place, which is given one if it has none; -1: it cannot take part. */
static int number_of(struct heddle_sums *sums, const struct heddle_policy *policy,
                     heddle_place place)
{
    for (int i = 0; i < sums->n_places; i++)
        if (sums->place[i] == place) return i;
    if (sums->n_places == HEDDLE_SUMS_PLACES || heddle__policy_number(policy, place) < 0) return -1;
    sums->place[sums->n_places] = place;
    return sums->n_places++;
}

/* Notes a piece that reads one part of the leader; pieces come in the order of the inner axis. */
static bool note_interval(void *context, const struct heddle_box *box)
{
    struct intervals *v = context;
    struct heddle_sums *sums = v->sums;
    const struct heddle_read *r = &v->s->reads[v->leader];
    const heddle_place place =
        heddle__grid_place_of(r->grid, heddle__part_at(r->grid, r->map, box->lo));
    const int at = number_of(sums, v->s->p->policy, place);
    v->fits = v->fits && at >= 0;
    sums->at[sums->n++] = at;
    sums->bound[sums->n] = box->hi[inner_axis(v->s)];
    return true;
}

/* ---- Whether it is worth it ------------------------------------------------------------------------- */

/* Bytes of operands at each of the places, and what it lacks for its intervals. */
struct shares {
    const struct heddle_matmul_cut *s;
    struct heddle_sums *sums;
    int leader, at;
    double has[HEDDLE_SUMS_PLACES], lacks[HEDDLE_SUMS_PLACES], terms[HEDDLE_SUMS_PLACES];
};

/* Notes where a piece of an interval of place `at` finds the operand that does not lead. */
static bool note_other(void *context, const struct heddle_box *box)
{
    struct shares *h = context;
    const int other = 1 - h->leader;
    const struct heddle_read *r = &h->s->reads[other];
    const int64_t part = heddle__part_at(r->grid, r->map, box->lo);
    const heddle_place place = heddle__grid_place_of(r->grid, part);
    const double bytes = bytes_read(h->s, other, box);
    for (int i = 0; i < h->sums->n_places; i++)
        if (h->sums->place[i] == place) h->has[i] += bytes;
    if (place == h->sums->place[h->at]) return true;
    /* nothing is cut out of what has no place */
    const double all = (double)heddle__grid_part_size(r->grid, part) *
                       h->s->p->plan->arrays[h->s->array[other]].element_bytes;
    h->lacks[h->at] += place == HEDDLE_ANYWHERE ? all : bytes;
    return true;
}

static bool find_shares(struct shares *h, const struct heddle_box *whole)
{
    const int axis = inner_axis(h->s);
    struct heddle_box box = *whole;
    for (int64_t j = 0; j < h->sums->n; j++) {
        box.lo[axis] = h->sums->bound[j];
        box.hi[axis] = h->sums->bound[j + 1];
        h->at = h->sums->at[j];
        h->terms[h->at] += (double)(box.hi[axis] - box.lo[axis]);
        h->has[h->at] += bytes_read(h->s, h->leader, &box);
        if (!heddle__for_pieces(h->s->p, axis + 1, &box, 1, &h->s->reads[1 - h->leader], note_other,
                                h))
            return false;
    }
    return true;
}

/* Bytes a second that come to a place from others. */
static double link_to(const struct heddle_policy *policy, int number)
{
    const struct heddle_policy_place *at = policy->places;
    if (number < policy->n_gpus) return fmax(at[number].link, policy->peer_link);
    double slowest = at[number].bandwidth;
    for (int i = 0; i < policy->n_gpus; i++)
        if (at[i].link > 0) slowest = fmin(slowest, at[i].link);
    return slowest;
}

/* Whether partial results are few beside what would move to one place, and save enough time. */
static bool is_worth_it(const struct shares *h, const struct heddle_box *whole, double result_bytes)
{
    const struct heddle_policy *policy = h->s->p->policy;
    const struct heddle_thresholds *t = &heddle__thresholds;
    const int n = h->sums->n_places;
    const double flops = 2 * (double)heddle__box_size(whole, inner_axis(h->s) + 1),
                 all = bytes_read(h->s, 0, whole) + bytes_read(h->s, 1, whole);
    double at_one = INFINITY, at_each = 0, moved = INFINITY;
    for (int i = 0; i < n; i++) {
        const int number = heddle__policy_number(policy, h->sums->place[i]);
        const struct heddle_policy_place *place = &policy->places[number];
        const double share = h->terms[i] / (double)h->s->k, link = link_to(policy, number);
        const double work = fmax(flops / place->flops, all / place->bandwidth);
        moved = fmin(moved, all - h->has[i]);
        at_one = fmin(at_one, work + (all - h->has[i]) / link);
        at_each = fmax(at_each, work * share + h->lacks[i] / link + result_bytes / link);
    }
    const double adding = result_bytes * n / policy->places[0].bandwidth;
    return result_bytes * n * t->partials_of_moved <= moved &&
           at_one - at_each - adding >= t->worth_adding;
}

/* A task takes about as many bytes as a part has: of what comes from host memory, which may be more than a place has
 * room for, as a part that is sent. */
static double task_bytes(const struct heddle_matmul_cut *s, int i)
{
    const struct heddle_policy *policy = s->p->policy;
    const bool comes = s->p->plan->arrays[s->array[i]].on_host && policy->stream_bytes > 0;
    return (double)(comes ? policy->stream_bytes : policy->part_bytes);
}

bool heddle__sums_found(struct heddle_matmul_cut *s, const heddle_array *product,
                        const struct heddle_operand operand[2], struct heddle_sums *sums)
{
    struct heddle_planner *p = s->p;
    const struct heddle_box whole = whole_box(s, product->shape);
    const int first = leader(s, &whole), follows = heddle__product_follows(p, product, operand);
    if (p->run_inline || first < 0 || product->ndim == HEDDLE_MAX_NDIM) return false;
    if (follows >= 0 && s->reads[follows].grid->n_parts > 1) return false; /* as the user cut it */
    const size_t n = (size_t)s->reads[first].grid->n_parts;
    *sums = (struct heddle_sums){.task_bytes = task_bytes(s, first)};
    sums->bound = heddle__arena_alloc(&p->scratch, (n + 1) * sizeof *sums->bound);
    sums->at = heddle__arena_alloc(&p->scratch, n * sizeof *sums->at);
    struct intervals v = {s, sums, first, true};
    if (!sums->bound || !sums->at) {
        p->failed = true;
        return false;
    }
    sums->bound[0] = 0;
    if (!heddle__for_pieces(p, inner_axis(s) + 1, &whole, 1, &s->reads[first], note_interval, &v) ||
        !v.fits || sums->n_places < 2)
        return false;
    struct shares h = {.s = s, .sums = sums, .leader = first};
    const double result_bytes = (double)product->size * (double)heddle_dtype_size(s->dtype);
    return find_shares(&h, &whole) && is_worth_it(&h, &whole, result_bytes);
}

/* ---- Tasks ------------------------------------------------------------------------------------------ */

struct heddle_grid *heddle__sums_grid(struct heddle_planner *p, const heddle_array *product,
                                      const struct heddle_operand operand[2],
                                      const struct heddle_sums *sums)
{
    if (heddle__product_follows(p, product, operand) >= 0)
        return heddle__product_grid(p, product, operand);
    struct heddle_grid *grid = heddle__auto_grid(p, product->ndim, product->shape);
    if (!grid || grid->place) return grid;
    struct heddle_grid *placed = heddle__grid_place(grid, 1, sums->place);
    heddle__grid_release(grid);
    return placed;
}

/* Adds the array of partial results, (places, ...), of which each place has one. */
static int32_t add_partials(struct heddle_planner *p, enum heddle_dtype dtype,
                            const struct heddle_grid *result, const struct heddle_sums *sums)
{
    const int ndim = result->ndim + 1;
    int64_t shape[HEDDLE_MAX_NDIM], block[HEDDLE_MAX_NDIM];
    for (int d = 1; d < ndim; d++) shape[d] = block[d] = result->shape[d - 1];
    shape[0] = sums->n_places;
    block[0] = 1;
    struct heddle_grid *cut = heddle__grid_blocks(ndim, shape, block);
    struct heddle_grid *grid = cut ? heddle__grid_place(cut, sums->n_places, sums->place) : NULL;
    heddle__grid_release(cut);
    const int32_t array = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, dtype, grid);
    if (array >= 0) p->plan->arrays[array].partial = true;
    return array;
}

/* The map from a result to the partial one of place number `at`. */
static struct heddle_map partial_map(int ndim, int at)
{
    struct heddle_map map = {.n = (int8_t)(ndim + 1), .axis = {-1}, .offset = {at}};
    for (int d = 1; d <= ndim; d++) {
        map.axis[d] = (int8_t)(d - 1);
        map.step[d] = 1;
    }
    return map;
}

/* The next task of a place: intervals of it from number *j on. *done: how many tasks it has had. */
static bool cut_task(struct heddle_matmul_cut *s, const struct heddle_sums *sums,
                     struct heddle_box box, double term_bytes, int64_t *j, int64_t *done)
{
    const int axis = inner_axis(s);
    double bytes = 0;
    if (!heddle__task_begin(s->p)) return false;
    s->adds = *done > 0;
    for (bool begins = true; *j < sums->n && bytes < sums->task_bytes; ++*j) {
        if (sums->at[*j] != s->part) continue;
        box.lo[axis] = sums->bound[*j];
        box.hi[axis] = sums->bound[*j + 1];
        s->first_k = begins && !s->adds ? box.lo[axis] : -1;
        begins = false;
        if (!heddle__matmul_calls(s, &box)) return false;
        bytes += (double)(box.hi[axis] - box.lo[axis]) * term_bytes;
    }
    if (bytes > 0) ++*done;
    heddle__task_end(s->p); /* drops one that has no intervals */
    return true;
}

/* The tasks of all places, in turns; those first whose partial results travel to the first place. */
static bool cut_partials(struct heddle_matmul_cut *s, const struct heddle_sums *sums,
                         const struct heddle_box *whole)
{
    int64_t next[HEDDLE_SUMS_PLACES] = {0}, done[HEDDLE_SUMS_PLACES] = {0};
    const double a = bytes_read(s, 0, whole), b = bytes_read(s, 1, whole);
    for (bool more = true; more;) {
        more = false;
        for (int i = sums->n_places - 1; i >= 0; i--) {
            s->part = i;
            s->map[2] = partial_map(s->n_batch + 2, i);
            if (next[i] < sums->n &&
                !cut_task(s, sums, *whole, fmax(a, b) / (double)s->k, &next[i], &done[i]))
                return false;
            more = more || next[i] < sums->n;
        }
    }
    return true;
}

/* What is read at other places, and not nearly all of a part, is cut out there. */
static bool want_all(struct heddle_matmul_cut *s, const struct heddle_sums *sums,
                     struct heddle_box box)
{
    for (int64_t j = 0; j < sums->n; j++) {
        box.lo[inner_axis(s)] = sums->bound[j];
        box.hi[inner_axis(s)] = sums->bound[j + 1];
        s->part = sums->at[j];
        for (int i = 0; i < 2; i++)
            if (!heddle__matmul_want(s, &box, i, 1)) return false;
    }
    return heddle__halos_cut(s->p);
}

/* Adds the partial results, in order; a half is rounded once. */
static bool add_up(struct heddle_planner *p, const struct heddle_sums *sums, int32_t partials,
                   int32_t c)
{
    struct heddle_grid *const grid = p->plan->arrays[c].grid;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->plan->arrays[partials].dtype,
                            rounded = (enum heddle_dtype)p->plan->arrays[c].dtype;
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    const struct heddle_space space = {grid->ndim, grid->ndim, grid->shape, 0, "combine"};
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (!b) return false;
    heddle__build_start(b);
    uint16_t sum = 0;
    for (int i = 0; i < sums->n_places; i++) {
        const struct heddle_map map = partial_map(grid->ndim, i);
        const uint16_t x = heddle__build_load(b, partials, dtype, &map);
        sum = i == 0 ? x : heddle__build_op(b, HEDDLE_OP_ADD, dtype, dtype, sum, x, 0);
    }
    if (rounded != dtype) sum = heddle__build_op(b, HEDDLE_CODE_CAST, dtype, rounded, sum, 0, 0);
    heddle__build_store(b, sum, c, rounded, &identity);
    const struct heddle_program *program = heddle__plan_program(p, b);
    return program && heddle__cut_map(p, b, program, &space, grid);
}

bool heddle__sums_cut(struct heddle_matmul_cut *s, const struct heddle_sums *sums, int32_t c)
{
    struct heddle_planner *p = s->p;
    const struct heddle_grid *result = p->plan->arrays[c].grid;
    const struct heddle_box whole = whole_box(s, result->shape);
    s->array[2] = add_partials(p, s->dtype, result, sums);
    if (s->array[2] < 0) return false;
    heddle__halos_clear(p);
    const bool ok = want_all(s, sums, whole) &&
                    heddle__step_begin(p, &heddle__matmul_family, NULL, "matmul", 1) &&
                    cut_partials(s, sums, &whole) && add_up(p, sums, s->array[2], c);
    if (!ok) p->failed = true;
    return ok && !p->failed;
}
