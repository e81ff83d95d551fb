/* The partitions of matrix products and their operands that the user has not cut. With GPUs, each place
 * has a share of the rows by its rate for this work, in parts that are bound to it; the whole right
 * operand comes to each place. Entry points: cut.h, "Partitions". */
#include "array/storage.h"
#include "base/memory.h"
#include "families/matmul/cut.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"

#include <math.h>

/* ---- Which places take part ---------------------------------------------------------------------- */

enum {
    PARTS = 6,             /* of each place: while it works on one, a panel comes for another */
    PARTS_AT_HOME = 2,     /* the same if all rows stay: fewer and larger products */
    MOST_PANELS = 3,       /* that come first to the place of the smallest share */
    LEAST_PANEL = 4 << 20, /* bytes */
    ROOMS = 16,            /* into which its memory is divided: a part, or a panel, takes one */
};
#define WORTH_SHARING 2e-3 /* seconds of work on all places */
#define WORTH_A_TASK 2e-4
/* The inner extent of a panel, for each flop that a place does while it moves a byte. With so many,
 * adding to a part of the result costs a quarter of the multiplication. */
#define PANEL_PER_RIDGE 32

struct sharing {
    double share[HEDDLE_POLICY_PLACES];
    double seconds;
    int n;                 /* places that have a share */
    int64_t parts, panels; /* the least of a place, so that several fit in its memory */
};

static int64_t between(double x, int64_t least, int64_t most)
{
    return !(x > (double)least) ? least : x < (double)most ? (int64_t)x : most;
}

/* Shares the work; false: it is not shared. `in`, `everywhere`: bytes that must come. */
static bool share_work(const struct heddle_planner *p, const heddle_array *product, double in,
                       double everywhere, struct sharing *s)
{
    const struct heddle_policy *policy = p->policy;
    if (p->run_inline || policy->n_gpus == 0 || policy->force_n > 0 || product->ndim != 2 ||
        product->size == 0)
        return false;
    const double m = (double)product->shape[0], n = (double)product->shape[1],
                 k = (double)product->in[0]->shape[1];
    const double size = (double)heddle_dtype_size(product->dtype);
    const struct heddle_work work = {.flops = 2 * m * n * k,
                                     .bytes = size * (m * n + n * k + m * k),
                                     .in = in,
                                     .everywhere = everywhere};
    s->seconds = heddle__policy_shares(policy, &work, s->share);
    s->n = 0;
    s->parts = s->panels = 1;
    for (int i = 0; i < policy->n_places; i++) {
        const double room = (double)policy->places[i].memory_bytes / ROOMS;
        if (s->share[i] <= 0) continue;
        s->n++;
        if (room <= 0) continue;
        s->parts = between(s->share[i] * size * m * (n + k) / room + 1, s->parts, INT32_MAX);
        s->panels = between(s->share[i] * size * n * k / room + 1, s->panels, INT32_MAX);
    }
    return s->seconds >= WORTH_SHARING && s->n > 0;
}

/* How many parts a place has; each has a task for each panel. */
static int64_t parts_of_place(const struct sharing *s)
{
    return between(sqrt(s->seconds / WORTH_A_TASK), s->parts, s->parts > PARTS ? s->parts : PARTS);
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

/* Intervals of rows, in order, and their places. */
struct rows {
    int64_t n, room, *end;
    heddle_place *place;
};

static bool rows_open(struct heddle_planner *p, struct rows *r, int64_t room)
{
    *r = (struct rows){.room = room};
    r->end = heddle__arena_alloc(&p->scratch, (size_t)(room + 1) * sizeof *r->end);
    r->place = heddle__arena_alloc(&p->scratch, (size_t)(room + 1) * sizeof *r->place);
    return r->end && r->place;
}

/* Adds intervals up to `end`: near-equal ones of about `aim` rows. */
static void rows_add(struct rows *r, int64_t end, int64_t aim, heddle_place place)
{
    const int64_t first = r->n ? r->end[r->n - 1] : 0, rows = end - first;
    const int64_t parts = (2 * rows + aim) / (2 * aim) > 1 ? (2 * rows + aim) / (2 * aim) : 1;
    for (int64_t i = 1; i <= parts && rows > 0 && r->n < r->room; i++) {
        const int64_t at = i == parts ? end : first + rows * i / parts / 16 * 16;
        if (at <= (r->n ? r->end[r->n - 1] : 0)) continue;
        r->end[r->n] = at;
        r->place[r->n++] = place;
    }
}

static struct heddle_grid *rows_grid(struct heddle_planner *p, const struct rows *r,
                                     const int64_t *shape)
{
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(r->n + 1) * sizeof *bounds);
    if (!bounds) return NULL;
    bounds[0] = 0;
    for (int64_t i = 0; i < r->n; i++) bounds[i + 1] = r->end[i];
    return heddle__grid_along(2, shape, 0, r->n, bounds, r->place);
}

/* Gives each place a contiguous share, in parts of about `aim` rows; 0: in `parts` parts. */
static bool rows_by_shares(struct heddle_planner *p, const struct sharing *s, int64_t m,
                           int64_t parts, int64_t aim, struct rows *r)
{
    double sum = 0;
    int left = s->n;
    if (!rows_open(p, r, aim > 0 ? m / aim + 2 * s->n : s->n * (parts + 1))) return false;
    for (int i = 0; i < p->policy->n_places; i++) {
        if (s->share[i] <= 0) continue;
        sum += s->share[i];
        const int64_t end = --left ? (int64_t)(sum * (double)m) / 16 * 16 : m;
        const int64_t rows = aim > 0 ? aim : (int64_t)(s->share[i] * (double)m) / parts;
        rows_add(r, end, rows > 16 ? rows : 16, p->policy->places[i].place);
    }
    return true;
}

/* Leaves rows of the left operand where they are, except those beyond a place's share. */
static bool rows_by_home(struct heddle_planner *p, const struct sharing *s,
                         const struct heddle_grid *home, struct rows *r)
{
    const int n_places = p->policy->n_places;
    const int64_t m = home->shape[0];
    int64_t parts = parts_of_place(s), left[HEDDLE_POLICY_PLACES], aim[HEDDLE_POLICY_PLACES];
    if (!rows_open(p, r, home->n[0] * (n_places + 1) + (int64_t)s->n * (parts + 2))) return false;
    int largest = 0;
    for (int i = 0; i < n_places; i++) {
        if (s->share[i] > s->share[largest]) largest = i;
        aim[i] = left[i] = (int64_t)(s->share[i] * (double)m + 0.5);
    }
    bool all_stay = true;
    int64_t *keeps = heddle__arena_alloc(&p->scratch, (size_t)home->n[0] * sizeof *keeps);
    if (!keeps) return false;
    for (int64_t q = 0; q < home->n[0]; q++) { /* first: what stays */
        const int64_t rows = home->bound[0][q + 1] - home->bound[0][q];
        const int i = heddle__policy_number(p->policy, heddle__grid_place_of(home, q));
        keeps[q] = 0;
        if (i >= 0 && left[i] > 0) {
            keeps[q] =
                rows < left[i] + left[i] / 32 ? rows : left[i]; /* few are not worth a move */
            left[i] -= keeps[q];
        }
        all_stay = all_stay && keeps[q] == rows;
    }
    if (all_stay && parts > PARTS_AT_HOME && s->parts <= PARTS_AT_HOME) parts = PARTS_AT_HOME;
    for (int i = 0; i < n_places; i++) aim[i] = aim[i] / parts > 16 ? aim[i] / parts : 16;
    for (int64_t q = 0; q < home->n[0]; q++) {
        const int64_t end = home->bound[0][q + 1];
        int64_t at = home->bound[0][q];
        const int i = heddle__policy_number(p->policy, heddle__grid_place_of(home, q));
        if (keeps[q] > 0) rows_add(r, at += keeps[q], aim[i], home->place[q]);
        while (at < end) {
            int to = largest;
            for (int j = 0; j < n_places; j++)
                if (left[j] > 0 && left[j] > left[to]) to = j;
            int64_t rows = left[to] > 0 && left[to] < end - at ? left[to] : end - at;
            left[to] -= rows;
            rows_add(r, at += rows, aim[to] > 0 ? aim[to] : 16, p->policy->places[to].place);
        }
    }
    return true;
}

/* ---- Operands in host memory --------------------------------------------------------------------- */

/* Panels of the right operand: each comes to one place first, to each place as many as its share is. All
 * have about one size, for which the place of the smallest share has enough of them. */
static struct heddle_grid *panels_grid(struct heddle_planner *p, const struct sharing *s,
                                       const heddle_array *b)
{
    double ridge = 1, least = 1;
    for (int i = 0; i < p->policy->n_places; i++) {
        const struct heddle_policy_place *at = &p->policy->places[i];
        if (s->share[i] <= 0) continue;
        ridge = fmax(ridge, at->flops / at->bandwidth);
        least = fmin(least, s->share[i]);
    }
    const double row = (double)b->shape[1] * (double)heddle_dtype_size(b->dtype);
    const double most = (double)b->shape[0] / fmax(PANEL_PER_RIDGE * ridge, LEAST_PANEL / row);
    const double tasks = s->seconds / (WORTH_A_TASK * (double)parts_of_place(s));
    struct rows r;
    const int64_t each = between(fmin(most, tasks) / (double)s->n, s->panels,
                                 s->panels > MOST_PANELS ? s->panels : MOST_PANELS);
    const double panels = fmin((double)each / least, fmax(HEDDLE_MOST_PANELS, (double)each * s->n));
    const int64_t aim = (int64_t)((double)b->shape[0] / panels);
    return rows_by_shares(p, s, b->shape[0], 1, aim > 16 ? aim : 16, &r)
               ? rows_grid(p, &r, b->shape)
               : NULL;
}

bool heddle__product_operands(struct heddle_planner *p, const heddle_array *product,
                              const int32_t at[2], const struct heddle_map *const map[2])
{
    bool free[2];
    double bytes[2];
    for (int i = 0; i < 2; i++) {
        const heddle_array *a = p->values[at[i]].node;
        free[i] = heddle__is_uncut(p, at[i]) && !map[i];
        bytes[i] = (double)a->size * (double)heddle_dtype_size(a->dtype);
        const struct heddle_grid *grid =
            p->values[at[i]].array >= 0   ? p->plan->arrays[p->values[at[i]].array].grid
            : a->kind == HEDDLE_NODE_DATA ? heddle__storage_grid(a->storage)
                                          : NULL;
        if (grid && grid->asked && heddle__grid_is_divided(grid)) return true;
    }
    struct sharing s;
    if (at[0] == at[1]) free[1] = false;
    /* A small left operand comes to the right one, which by shares all places would have to get. */
    if (!free[1] && 4 * bytes[0] < bytes[1]) return true;
    if (!(free[0] || free[1]) || !share_work(p, product, free[0] ? bytes[0] : 0, bytes[1], &s))
        return true;
    if (free[0]) {
        struct rows r;
        if (!rows_by_shares(p, &s, product->shape[0], parts_of_place(&s), 0, &r)) return false;
        if (heddle__cut_leaf(p, at[0], rows_grid(p, &r, p->values[at[0]].node->shape)) < 0)
            return false;
    }
    return !free[1] || heddle__cut_leaf(p, at[1], panels_grid(p, &s, p->values[at[1]].node)) >= 0;
}

/* ---- The product ---------------------------------------------------------------------------------- */

/* Whether the product may be cut as an operand is: by rows of the left, or columns of the right operand, or by matrices of a
 * batch. */
static bool carries_over(const struct heddle_planner *p, const heddle_array *product,
                         const struct heddle_operand operand[2], int i)
{
    const struct heddle_grid *grid = p->plan->arrays[operand[i].array].grid;
    const struct heddle_map *map = &operand[i].map;
    const int inner = product->ndim - 1 - i; /* must be whole */
    bool does = heddle__grid_is_divided(grid) && heddle__grid_carries_over(grid, map);
    for (int d = 0; does && d < grid->ndim; d++)
        if (grid->n[d] > 1 && map->axis[d] == inner) does = false;
    return does;
}

int heddle__product_follows(const struct heddle_planner *p, const heddle_array *product,
                            const struct heddle_operand operand[2])
{
    for (int i = 0; i < 2; i++)
        if (p->plan->arrays[operand[i].array].grid->asked && carries_over(p, product, operand, i))
            return i;
    return -1;
}

/* Bytes that the product reads of an operand, each element once. */
static double bytes_read(const struct heddle_planner *p, const heddle_array *product,
                         const struct heddle_operand operand[2], int i)
{
    const struct heddle_map *map = &operand[i].map;
    double bytes = p->plan->arrays[operand[i].array].element_bytes;
    for (int d = 0; d < map->n; d++)
        if (map->axis[d] >= 0 && map->step[d] != 0)
            bytes *= (double)product->in[i]->shape[map->axis[d]];
    return bytes;
}

/* The operand that stays where it is, in parts, as the other one has fewer bytes; -1: none does. */
static int stays(const struct heddle_planner *p, const heddle_array *product,
                 const struct heddle_operand operand[2])
{
    const int i = bytes_read(p, product, operand, 1) > bytes_read(p, product, operand, 0);
    const struct heddle_grid *grid = p->plan->arrays[operand[i].array].grid;
    return grid->place && grid->n_parts > 1 && p->policy->force_n == 0 &&
                   carries_over(p, product, operand, i)
               ? i
               : -1;
}

/* The partition that follows an operand. NULL: memory is gone. */
static struct heddle_grid *grid_asked(struct heddle_planner *p, const heddle_array *product,
                                      const struct heddle_operand *operand)
{
    struct heddle_grid *cut = heddle__grid_over(p, p->plan->arrays[operand->array].grid,
                                                &operand->map, product->ndim, product->shape);
    if (cut) cut->asked = true;
    return cut;
}

struct heddle_grid *heddle__product_grid(struct heddle_planner *p, const heddle_array *product,
                                         const struct heddle_operand operand[2])
{
    const int follows = heddle__product_follows(p, product, operand);
    if (follows >= 0) return grid_asked(p, product, &operand[follows]);

    const struct heddle_plan_array *a = &p->plan->arrays[operand[0].array],
                                   *b = &p->plan->arrays[operand[1].array];
    const bool in_rows = heddle__map_is_identity(&operand[0].map, 2) && a->grid->ndim == 2 &&
                         a->grid->n[1] == 1 && a->grid->place;
    if (in_rows && a->fresh) /* the product is made where the rows come */
        return heddle__grid_over(p, a->grid, &operand[0].map, 2, product->shape);
    const int home = stays(p, product, operand);
    struct sharing s;
    struct rows r;
    const bool in_columns =
        home == 1 && 4 * bytes_read(p, product, operand, 0) <= bytes_read(p, product, operand, 1);
    if (in_columns) /* the small left operand comes to them */
        return heddle__grid_over(p, b->grid, &operand[1].map, product->ndim, product->shape);
    const double everywhere =
        (double)product->in[1]->size * b->element_bytes; /* of a view, perhaps */
    if ((in_rows || b->grid->place || p->spread != HEDDLE_SPREAD_RESIDENT) &&
        share_work(p, product, 0, everywhere, &s)) {
        if (!(in_rows ? rows_by_home(p, &s, a->grid, &r)
                      : rows_by_shares(p, &s, product->shape[0], parts_of_place(&s), 0, &r)))
            return NULL;
        return rows_grid(p, &r, product->shape);
    }
    /* little work: what each place needs all of is not more than what stays where it is */
    struct heddle_grid *grid =
        home >= 0 ? heddle__grid_over(p, p->plan->arrays[operand[home].array].grid,
                                      &operand[home].map, product->ndim, product->shape)
                  : NULL;
    if (home >= 0 && (!grid || grid->n_parts > 1)) return grid;
    heddle__grid_release(grid);
    return heddle__auto_grid(p, product->ndim, product->shape);
}

static bool has_place(const struct heddle_grid *grid, heddle_place place)
{
    for (int64_t i = 0; i < grid->n_parts; i++)
        if (heddle__grid_place_of(grid, i) == place) return true;
    return false;
}

bool heddle__product_stage(struct heddle_planner *p, const struct heddle_grid *product,
                           struct heddle_operand *operand)
{
    const struct heddle_policy *policy = p->policy;
    const struct heddle_plan_array *a = &p->plan->arrays[operand->array];
    struct heddle_grid *grid = a->grid;
    if (!grid->place || !product->place || product->asked || a->fresh || policy->peer_link > 0 ||
        policy->n_places == policy->n_gpus)
        return true;
    heddle_place *places = heddle__arena_alloc(&p->scratch, (size_t)grid->n_parts * sizeof *places);
    if (!places) return false;
    bool stages = false;
    for (int64_t i = 0; i < grid->n_parts; i++) {
        const bool stays = has_place(product, grid->place[i]);
        places[i] = stays ? grid->place[i] : policy->places[policy->n_gpus].place;
        stages = stages || !stays;
    }
    if (!stages) return true;
    operand->array =
        heddle__cut_copy(p, operand->array, heddle__grid_place(grid, grid->n_parts, places));
    return operand->array >= 0;
}
