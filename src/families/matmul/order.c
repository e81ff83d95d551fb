/* The order of a product's tasks if the parts of the result have places. A part is multiplied by one panel
 * of B after the other. A panel is an interval of the inner axis, or else of the columns. While one part
 * of a place is multiplied, the next panel comes for another part. A place begins with its own panels
 * and goes on from neighbour to neighbour, so that no two ask one owner at a time, and host memory sends
 * each panel once. If it sends more slowly than the work goes, a place goes round with one panel of each
 * owner. Rows of A and own panels come in turns, equal bytes of both, since that is the most work for the
 * bytes that have come. Entry point: heddle__matmul_in_order. */
#include "base/memory.h"
#include "families/matmul/cut.h"

#include <math.h>
#include <stdlib.h>

/* ---- Panels: A or B is cut along k, or else B along n ------------------------------------------------ */

struct panels {
    int axis;                /* of the iteration space */
    int64_t extent;          /* of this axis */
    int64_t n, room, *bound; /* n + 1 bounds; n while they are being found */
    heddle_place *owner;     /* where the part of B, or else of A, lives */
};

static bool add_bound(struct panels *panels, int64_t at)
{
    if (!heddle__grow(&panels->bound, sizeof *panels->bound, panels->n + 2, &panels->room))
        return false;
    int64_t i = panels->n;
    for (; i > 0 && panels->bound[i - 1] > at; i--) panels->bound[i] = panels->bound[i - 1];
    panels->bound[i] = at;
    panels->n++;
    return true;
}

/* Adds the bounds of operand `first` and of later ones along the axis of the panels. */
static bool add_bounds(const struct heddle_matmul_cut *s, int first, struct panels *panels)
{
    for (int i = first; i < 2; i++)
        for (int d = 0; d < s->map[i].n; d++) {
            const struct heddle_grid *grid = s->reads[i].grid;
            if (s->map[i].axis[d] != panels->axis || s->map[i].step[d] != 1) continue;
            for (int64_t j = 1; j < grid->n[d]; j++) {
                const int64_t at = grid->bound[d][j] - s->map[i].offset[d];
                bool known = at <= 0 || at >= panels->extent;
                for (int64_t b = 0; b < panels->n; b++) known = known || panels->bound[b] == at;
                if (!known && !add_bound(panels, at)) return false;
            }
        }
    return true;
}

static bool find_bounds(const struct heddle_matmul_cut *s, struct panels *panels)
{
    const struct heddle_grid *c = s->p->plan->arrays[s->array[2]].grid;
    panels->axis = s->n_batch + 2;
    panels->extent = s->k;
    if (!add_bounds(s, 0, panels)) return false;
    if (panels->n == 0 && c->n[s->n_batch + 1] == 1) { /* all parts of C have all columns */
        panels->axis = s->n_batch + 1;
        panels->extent = c->shape[s->n_batch + 1];
        if (!add_bounds(s, 1, panels)) return false;
    }
    return add_bound(panels, 0) && add_bound(panels, panels->extent);
}

/* Joins neighbours of one owner if there are too many panels. */
static void join_panels(struct panels *panels)
{
    const int64_t by = (panels->n + HEDDLE_MOST_PANELS - 1) / HEDDLE_MOST_PANELS;
    int64_t n = 0;
    for (int64_t j = 0, first = 0; j < panels->n; j++) {
        if (j > first && (j - first >= by || panels->owner[j] != panels->owner[first])) {
            first = j;
            n++;
        }
        if (j == first) {
            panels->bound[n] = panels->bound[j];
            panels->owner[n] = panels->owner[j];
        }
    }
    panels->bound[n + 1] = panels->bound[panels->n];
    panels->n = n + 1;
}

static bool find_panels(const struct heddle_matmul_cut *s, struct panels *panels)
{
    if (!find_bounds(s, panels)) return false;
    panels->n--;
    panels->owner = heddle__arena_alloc(&s->p->scratch, (size_t)panels->n * sizeof *panels->owner);
    if (!panels->owner) return false;
    struct heddle_box box = heddle__matmul_box(s, 0);
    const struct heddle_read *by = &s->reads[s->reads[1].grid->place ? 1 : 0];
    for (int64_t j = 0; j < panels->n; j++) {
        box.lo[panels->axis] = panels->bound[j];
        panels->owner[j] =
            heddle__grid_place_of(by->grid, heddle__part_at(by->grid, by->map, box.lo));
    }
    join_panels(panels);
    return true;
}

/* ---- What each place does, and when ------------------------------------------------------------------ */

/* A task: its indices in the part[] and panel[] of its worker. */
struct product_turn {
    int64_t part, panel;
};

/* A place: its parts of C, the panels in its order, and its tasks in order. */
struct worker {
    heddle_place place;
    int64_t n_parts, *part, *panel;
    int64_t *round; /* of each of panel[]: those of a round count as one */
    struct product_turn *turns;
    int64_t n_turns, n_cut;
    double rate, seconds; /* flops a second; an estimate for tasks cut so far */
};

struct order {
    struct heddle_matmul_cut *s;
    struct panels panels;
    struct worker *workers;
    int64_t n_workers;
};

/* Bytes of operand `i`, `rows` by `columns` from `lo` on, if they belong to `w`, a GPU, but must come from
 * host memory first; else 0. */
static double bytes_to_come(const struct order *o, const struct worker *w, int i, const int64_t *lo,
                            int64_t rows, int64_t columns)
{
    const struct heddle_matmul_cut *s = o->s;
    const struct heddle_plan_array *a = &s->p->plan->arrays[s->array[i]];
    const struct heddle_read *r = &s->reads[i];
    const int64_t part = heddle__part_at(r->grid, r->map, lo);
    if (!a->on_host || w->place < HEDDLE_PLACE_GPU ||
        heddle__grid_place_of(r->grid, part) != w->place)
        return 0;
    return (double)rows * (double)columns * a->element_bytes;
}

static double bytes_of_rows(const struct order *o, const struct worker *w, int64_t i)
{
    const struct heddle_box box = heddle__matmul_box(o->s, w->part[i]);
    const int m = o->s->n_batch;
    return bytes_to_come(o, w, 0, box.lo, box.hi[m] - box.lo[m], o->s->k);
}

static double bytes_of_panel(const struct order *o, const struct worker *w, int64_t panel)
{
    struct heddle_box box = heddle__matmul_box(o->s, w->part[0]);
    const int n = o->s->n_batch + 1, axis = o->panels.axis;
    box.lo[axis] = o->panels.bound[panel];
    box.hi[axis] = o->panels.bound[panel + 1];
    return bytes_to_come(o, w, 1, box.lo, box.hi[n + 1] - box.lo[n + 1], box.hi[n] - box.lo[n]);
}

/* Whether its own rows and panels come more slowly than the place multiplies them by each other. */
static bool starves(const struct order *o, const struct worker *w)
{
    const struct heddle_policy *policy = o->s->p->policy;
    const int number = heddle__policy_number(policy, w->place), m = o->s->n_batch;
    if (number < 0 || !(policy->places[number].link > 0)) return false;
    double bytes = 0, work = 0, own = 0;
    for (int64_t i = 0; i < w->n_parts; i++) {
        const struct heddle_box box = heddle__matmul_box(o->s, w->part[i]);
        work += 2 * (double)heddle__box_size(&box, m + 3);
        bytes += bytes_of_rows(o, w, i);
    }
    for (int64_t j = 0; j < o->panels.n; j++) {
        if (o->panels.owner[j] != w->place) continue;
        own += (double)(o->panels.bound[j + 1] - o->panels.bound[j]) / (double)o->panels.extent;
        bytes += bytes_of_panel(o, w, j);
    }
    return bytes / policy->places[number].link > own * work / policy->places[number].flops;
}

/* A panel and its sort keys. */
struct way {
    int64_t round, distance, nth, panel;
};

static int compare_ways(const void *x, const void *y)
{
    const struct way *a = x, *b = y;
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* Orders panels: own ones, then the next owner's, and so on; all of an owner, or one of each in a round. */
static bool order_panels(struct order *o, int64_t me)
{
    struct heddle_planner *p = o->s->p;
    const struct panels *panels = &o->panels;
    const size_t n = (size_t)panels->n;
    struct worker *w = &o->workers[me];
    struct way *ways = heddle__arena_alloc(&p->scratch, n * sizeof *ways);
    heddle_place *owners = heddle__arena_alloc(&p->scratch, n * sizeof *owners);
    int64_t *n_of = heddle__arena_alloc(&p->scratch, n * sizeof *n_of), n_owners = 0, own = -1;
    w->panel = heddle__arena_alloc(&p->scratch, n * sizeof *w->panel);
    w->round = heddle__arena_alloc(&p->scratch, n * sizeof *w->round);
    if (!ways || !owners || !n_of || !w->panel || !w->round) return false;
    const bool in_rounds = starves(o, w);
    for (int64_t j = 0; j < panels->n; j++) {
        int64_t i = 0;
        while (i < n_owners && owners[i] != panels->owner[j]) i++;
        if (i == n_owners) {
            owners[n_owners] = panels->owner[j];
            n_of[n_owners++] = 0;
        }
        if (panels->owner[j] == w->place) own = i;
        const int64_t nth = n_of[i]++;
        const bool waits = owners[i] < HEDDLE_PLACE_GPU; /* links of hosts are full at first */
        ways[j] = (struct way){!in_rounds ? 0 : waits ? panels->n : nth, i, nth, j};
    }
    if (own < 0) own = me % n_owners;
    for (int64_t j = 0; j < panels->n; j++)
        ways[j].distance = (ways[j].distance - own + n_owners) % n_owners;
    qsort(ways, n, sizeof *ways, compare_ways);
    for (int64_t j = 0; j < panels->n; j++) {
        w->panel[j] = ways[j].panel;
        w->round[j] = in_rounds ? ways[j].round : j;
    }
    return true;
}

/* Takes rows and rounds of panels in turns as they come; each is multiplied by all that has come of the
 * other. */
static bool order_turns(struct order *o, struct worker *w)
{
    const int64_t n = o->panels.n;
    w->turns =
        heddle__arena_alloc(&o->s->p->scratch, (size_t)w->n_parts * (size_t)n * sizeof *w->turns);
    if (!w->turns) return false;
    double rows = 0, panels = 0; /* bytes that have come */
    for (int64_t i = 0, j = 0, end; i < w->n_parts || j < n; j = end) {
        double with_rows = INFINITY, with_round = INFINITY;
        if (i < w->n_parts) with_rows = rows + bytes_of_rows(o, w, i);
        if (j < n) with_round = panels;
        for (end = j; end < n && w->round[end] == w->round[j]; end++)
            with_round += bytes_of_panel(o, w, w->panel[end]);
        if (with_rows <= with_round) {
            for (int64_t k = 0; k < j; k++) w->turns[w->n_turns++] = (struct product_turn){i, k};
            rows = with_rows;
            end = j;
            i++;
            continue;
        }
        for (int64_t k = j; k < end; k++)
            for (int64_t part = 0; part < i; part++)
                w->turns[w->n_turns++] = (struct product_turn){part, k};
        panels = with_round;
    }
    return true;
}

static bool find_workers(struct order *o)
{
    struct heddle_planner *p = o->s->p;
    const struct heddle_grid *grid = p->plan->arrays[o->s->array[2]].grid;
    const size_t n = (size_t)grid->n_parts;
    o->workers = heddle__arena_alloc(&p->scratch, n * sizeof *o->workers);
    int64_t *parts = heddle__arena_alloc(&p->scratch, n * sizeof *parts), *at = parts;
    if (!o->workers || !parts) return false;
    for (int64_t first = 0; first < grid->n_parts; first++) {
        bool known = false;
        for (int64_t w = 0; w < o->n_workers; w++)
            known = known || o->workers[w].place == grid->place[first];
        if (known) continue;
        struct worker *w = &o->workers[o->n_workers++];
        const int number = heddle__policy_number(p->policy, grid->place[first]);
        const double rate = number >= 0 ? p->policy->places[number].flops : 0;
        *w = (struct worker){.place = grid->place[first], .part = at, .rate = rate > 0 ? rate : 1};
        for (int64_t part = first; part < grid->n_parts; part++) {
            const struct heddle_box box = heddle__matmul_box(o->s, part);
            if (grid->place[part] != w->place || heddle__box_size(&box, o->s->n_batch + 3) == 0)
                continue;
            w->part[w->n_parts++] = part;
        }
        at += w->n_parts;
    }
    for (int64_t w = 0; w < o->n_workers; w++)
        if (o->workers[w].n_parts > 0 && (!order_panels(o, w) || !order_turns(o, &o->workers[w])))
            return false;
    return true;
}

/* ---- Tasks ------------------------------------------------------------------------------------------- */

/* What tasks read of an operand at other places, to be cut out there. */
struct wish {
    struct heddle_matmul_cut *s;
    int operand;
    int64_t most; /* how many places may want as much of a part */
};

static bool want(void *context, const struct heddle_box *box)
{
    const struct wish *w = context;
    const int32_t array = w->s->array[w->operand];
    const struct heddle_read *r = &w->s->reads[w->operand];
    const struct heddle_box region = heddle__map_region(r->map, box);
    const int64_t part = heddle__part_at(r->grid, r->map, box->lo);
    if (heddle__box_size(&region, r->grid->ndim) * w->most > heddle__grid_part_size(r->grid, part))
        return true;
    return heddle__halo_want(w->s->p, array, part, heddle__matmul_place(w->s), &region);
}

bool heddle__matmul_want(struct heddle_matmul_cut *s, const struct heddle_box *box, int i,
                         int64_t most)
{
    struct wish w = {s, i, most};
    return heddle__for_pieces(s->p, s->n_batch + 3, box, 1, &s->reads[i], want, &w);
}

/* Wants rows of A where they are multiplied; of B, which all places read, only what a thin view has: else
 * its parts go along a chain. */
static bool want_pieces(struct order *o)
{
    struct heddle_matmul_cut *s = o->s;
    for (int64_t k = 0; k < o->n_workers; k++)
        for (int64_t i = 0; i < o->workers[k].n_parts; i++) {
            s->part = o->workers[k].part[i];
            const struct heddle_box box = heddle__matmul_box(s, s->part);
            if (!heddle__matmul_want(s, &box, 0, 1) ||
                !heddle__matmul_want(s, &box, 1, o->n_workers))
                return false;
        }
    return heddle__halos_cut(s->p);
}

/* Makes the next task of a place. */
static bool cut_turn(struct order *o, struct worker *w)
{
    struct heddle_matmul_cut *s = o->s;
    const struct product_turn *turn = &w->turns[w->n_cut++];
    const int64_t panel = w->panel[turn->panel];
    const int m = s->n_batch;
    s->part = w->part[turn->part];
    struct heddle_box box = heddle__matmul_box(s, s->part);
    box.lo[o->panels.axis] = o->panels.bound[panel];
    box.hi[o->panels.axis] = o->panels.bound[panel + 1];
    s->adds = turn->panel > 0; /* to the sums, or beside columns that are there */
    s->first_k = s->adds && o->panels.axis == m + 2 ? -1 : box.lo[m + 2];
    w->seconds += (double)heddle__box_size(&box, m + 3) / w->rate;
    return heddle__matmul_task(s, &box);
}

/* Makes the tasks of all places in the order of time, so that who has a panel first sends it on. */
static bool cut_turns(struct order *o)
{
    for (;;) {
        struct worker *next = NULL;
        for (int64_t k = 0; k < o->n_workers; k++) {
            struct worker *w = &o->workers[k];
            if (w->n_cut < w->n_turns && (!next || w->seconds < next->seconds)) next = w;
        }
        if (!next) return true;
        if (!cut_turn(o, next)) return false;
    }
}

bool heddle__matmul_in_order(struct heddle_matmul_cut *s)
{
    struct order o = {.s = s};
    const bool ok = find_panels(s, &o.panels) && find_workers(&o) && want_pieces(&o) &&
                    heddle__step_begin(s->p, &heddle__matmul_family, NULL, "matmul", 1) &&
                    cut_turns(&o);
    heddle__free(o.panels.bound);
    if (!ok) s->p->failed = true;
    return ok && !s->p->failed;
}
