/* The order of a product's tasks where the parts of the result have places. Each part is multiplied
 * by one panel of B (an interval of the inner axis) after the other: while one part of a place is
 * multiplied, the next panel comes for another. A place begins with a panel that lives there and goes
 * round from neighbour to neighbour, so no two ask one owner at a time, and what comes from host
 * memory comes from there once. Entry point: heddle__matmul_in_order. */
#include "base/memory.h"
#include "plan/matmul.h"

#include <stdlib.h>

/* ---- Panels: where A or B is cut along k ------------------------------------------------------------ */

struct panels {
    int64_t n, room, *bound; /* n + 1 bounds; while they are found, n of them */
    heddle_place *owner;     /* of B's part, or else of A's */
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

static bool find_bounds(const struct heddle_matmul_cut *s, struct panels *panels)
{
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < s->map[i].n; d++) {
            const struct heddle_grid *grid = s->reads[i].grid;
            if (s->map[i].axis[d] != s->n_batch + 2 || s->map[i].step[d] != 1) continue;
            for (int64_t j = 1; j < grid->n[d]; j++) {
                const int64_t at = grid->bound[d][j] - s->map[i].offset[d];
                bool known = at <= 0 || at >= s->k;
                for (int64_t b = 0; b < panels->n; b++) known = known || panels->bound[b] == at;
                if (!known && !add_bound(panels, at)) return false;
            }
        }
    return add_bound(panels, 0) && add_bound(panels, s->k);
}

/* Joins neighbours of one owner when they are more than are of use. */
static void join_panels(struct panels *panels)
{
    enum { ENOUGH = 64 };
    const int64_t by = (panels->n + ENOUGH - 1) / ENOUGH;
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
        box.lo[s->n_batch + 2] = panels->bound[j];
        panels->owner[j] =
            heddle__grid_place_of(by->grid, heddle__part_at(by->grid, by->map, box.lo));
    }
    join_panels(panels);
    return true;
}

/* ---- Who does what, when --------------------------------------------------------------------------- */

/* One place, its parts of C in their order and its order of panels. */
struct worker {
    heddle_place place;
    int64_t n_parts, *part, *panel;
};

struct order {
    struct heddle_matmul_cut *s;
    struct panels panels;
    struct worker *workers;
    int64_t n_workers;
};

struct turn {
    int64_t distance, panel;
};

static int compare_turns(const void *x, const void *y)
{
    const struct turn *a = x, *b = y;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->panel < b->panel ? -1 : a->panel > b->panel;
}

/* One's own panels, then the next owner's, and so on. */
static bool order_panels(struct order *o, int64_t me)
{
    struct heddle_planner *p = o->s->p;
    const struct panels *panels = &o->panels;
    const size_t n = (size_t)panels->n;
    struct worker *w = &o->workers[me];
    struct turn *turns = heddle__arena_alloc(&p->scratch, n * sizeof *turns);
    heddle_place *owners = heddle__arena_alloc(&p->scratch, n * sizeof *owners);
    w->panel = heddle__arena_alloc(&p->scratch, n * sizeof *w->panel);
    if (!turns || !owners || !w->panel) return false;
    int64_t n_owners = 0, own = -1;
    for (int64_t j = 0; j < panels->n; j++) {
        int64_t i = 0;
        while (i < n_owners && owners[i] != panels->owner[j]) i++;
        if (i == n_owners) owners[n_owners++] = panels->owner[j];
        if (panels->owner[j] == w->place) own = i;
        turns[j] = (struct turn){i, j};
    }
    if (own < 0) own = me % n_owners;
    for (int64_t j = 0; j < panels->n; j++)
        turns[j].distance = (turns[j].distance - own + n_owners) % n_owners;
    qsort(turns, n, sizeof *turns, compare_turns);
    for (int64_t j = 0; j < panels->n; j++) w->panel[j] = turns[j].panel;
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
        *w = (struct worker){.place = grid->place[first], .part = at};
        for (int64_t part = first; part < grid->n_parts; part++) {
            const struct heddle_box box = heddle__matmul_box(o->s, part);
            if (grid->place[part] != w->place || heddle__box_size(&box, o->s->n_batch + 3) == 0)
                continue;
            w->part[w->n_parts++] = part;
        }
        at += w->n_parts;
    }
    for (int64_t w = 0; w < o->n_workers; w++)
        if (!order_panels(o, w)) return false;
    return true;
}

/* ---- Tasks ------------------------------------------------------------------------------------------- */

/* Rows of A that live elsewhere are cut out there. */
static bool want(void *context, const struct heddle_box *box)
{
    struct heddle_matmul_cut *s = context;
    const struct heddle_read *r = &s->reads[0];
    const struct heddle_box region = heddle__map_region(r->map, box);
    return heddle__halo_want(s->p, s->array[0], heddle__part_at(r->grid, r->map, box->lo),
                             heddle__matmul_place(s), &region);
}

static bool want_rows(struct order *o)
{
    struct heddle_matmul_cut *s = o->s;
    for (int64_t w = 0; w < o->n_workers; w++)
        for (int64_t i = 0; i < o->workers[w].n_parts; i++) {
            s->part = o->workers[w].part[i];
            const struct heddle_box box = heddle__matmul_box(s, s->part);
            if (!heddle__for_pieces(s->p, s->n_batch + 3, &box, 1, s->reads, want, s)) return false;
        }
    return heddle__halos_cut(s->p);
}

/* All parts by the j-th panel of their place. */
static bool cut_panel(struct order *o, int64_t j)
{
    struct heddle_matmul_cut *s = o->s;
    bool more = true;
    for (int64_t i = 0; more; i++) {
        more = false;
        for (int64_t k = 0; k < o->n_workers; k++) {
            const struct worker *w = &o->workers[k];
            if (i >= w->n_parts) continue;
            more = true;
            s->part = w->part[i];
            struct heddle_box box = heddle__matmul_box(s, s->part);
            box.lo[s->n_batch + 2] = o->panels.bound[w->panel[j]];
            box.hi[s->n_batch + 2] = o->panels.bound[w->panel[j] + 1];
            s->first_k = j == 0 ? box.lo[s->n_batch + 2] : -1;
            s->adds = j > 0;
            if (!heddle__matmul_task(s, &box)) return false;
        }
    }
    return true;
}

bool heddle__matmul_in_order(struct heddle_matmul_cut *s)
{
    struct order o = {.s = s};
    bool ok = find_panels(s, &o.panels) && find_workers(&o) && want_rows(&o) &&
              heddle__step_begin(s->p, HEDDLE_FAMILY_MATMUL, NULL, "matmul", 1);
    for (int64_t j = 0; j < o.panels.n && ok; j++) ok = cut_panel(&o, j);
    heddle__free(o.panels.bound);
    if (!ok) s->p->failed = true;
    return ok && !s->p->failed;
}
