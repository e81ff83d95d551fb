/* Data in parts under another shape, without a copy of it: rows of the new shape that one part has are a run of that part.
 * The few that begin in one part and end in another, at gaps between the runs, are brought together. Entry point:
 * heddle__cut_reshaped. */
#include "plan/cut/by_part.h"
#include "plan/partition/derive.h"

enum { LESS = 4 }; /* gaps are at most this share of the rows */

/* A part of the new array: rows of it, in a run of part `part` of the data, or (-1) in a gap. */
struct rows {
    int64_t lo, hi, part;
    heddle_place place;
};

struct reshape {
    struct heddle_planner *p;
    const struct heddle_grid *from;
    int axis;            /* of the new shape: its rows */
    int64_t n_rows, row; /* row: elements of one */
    int64_t n, n_gaps, gap_rows;
    struct rows *at; /* [n], in order */
    int64_t *gap;    /* [n_gaps], of these */
    int64_t *first;  /* [parts of the data]: its first element */
};

/* Finds the runs and the gaps between them. False: parts are no runs in C order, or most rows are in several. */
static bool find_rows(struct reshape *s)
{
    int64_t end = 0, rows = 0;
    for (int64_t part = 0; part < s->from->n_parts; part++) {
        int64_t first;
        const int64_t size = heddle__grid_part_size(s->from, part);
        if (!heddle__grid_part_contiguous(s->from, part, &first) || first != end) return false;
        s->first[part] = first;
        end += size;
        const int64_t lo = (first + s->row - 1) / s->row, hi = end / s->row;
        const heddle_place place = heddle__grid_place_of(s->from, part);
        if (hi <= lo && end < s->row * s->n_rows) continue;
        if (lo > rows) {
            const heddle_place before = s->n > 0 ? s->at[s->n - 1].place : place;
            s->gap[s->n_gaps++] = s->n;
            s->gap_rows += lo - rows;
            s->at[s->n++] = (struct rows){rows, lo, -1, before};
        }
        if (hi > lo) s->at[s->n++] = (struct rows){lo, hi, part, place};
        rows = hi;
    }
    return rows == s->n_rows && s->gap_rows * LESS <= s->n_rows;
}

/* The partition of the new array in runs and gaps or, with `joined`, of what follows it: a gap goes with the run before it,
 * or else with the one after it. */
static struct heddle_grid *cut_rows(const struct reshape *s, int ndim, const int64_t *shape,
                                    bool joined)
{
    struct heddle_planner *p = s->p;
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(s->n + 1) * sizeof *bounds);
    heddle_place *places = heddle__arena_alloc(&p->scratch, (size_t)(s->n + 1) * sizeof *places);
    if (!bounds || !places) {
        p->failed = true;
        return NULL;
    }
    int64_t n = 0;
    bounds[0] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const bool joins = joined && n > 0 && (s->at[i].part < 0 || (i == 1 && s->at[0].part < 0));
        if (!joins) places[n++] = s->at[i].place;
        bounds[n] = s->at[i].hi;
    }
    struct heddle_grid *grid =
        heddle__grid_along(ndim, shape, s->axis, n, bounds, s->from->place ? places : NULL);
    if (grid)
        grid->asked = s->from->asked;
    else
        p->failed = true;
    return grid;
}

/* The copy of the gaps: from gap to gap the map moves. */
struct gaps {
    const struct reshape *s;
    struct heddle_pieces pieces;
    struct heddle_builder *builder;
};

static bool gap_part(void *context, const struct heddle_box *box)
{
    struct gaps *g = context;
    const struct rows *at = &g->s->at[g->s->gap[g->pieces.progress->part]];
    for (int k = 0; k < g->builder->program.n_operands; k++)
        if (!g->builder->operands[k].store)
            g->builder->operands[k].map.offset[0] = at->lo * g->s->row - box->lo[0];
    return heddle__pieces_call(&g->pieces, box);
}

/* The data as one axis, in the same parts. -1: memory is gone. */
static int32_t flatten(struct heddle_planner *p, int32_t from)
{
    const struct heddle_grid *grid = p->plan->arrays[from].grid;
    if (grid->ndim == 1) return from;
    int64_t size = 1;
    for (int d = 0; d < grid->ndim; d++) size *= grid->shape[d];
    const int32_t flat = heddle__plan_add_like(p, from, heddle__grid_reshaped(p, grid, 1, &size));
    if (flat >= 0) heddle__share_array(p->plan, flat, from);
    return flat;
}

/* An array of all elements of the gaps, in a part for each. -1: memory is gone. */
static int32_t copy_gaps(const struct reshape *s, int32_t from)
{
    struct heddle_planner *p = s->p;
    const int32_t flat = flatten(p, from);
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(s->n_gaps + 1) * sizeof *bounds);
    heddle_place *places =
        heddle__arena_alloc(&p->scratch, (size_t)(s->n_gaps + 1) * sizeof *places);
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (flat < 0 || !bounds || !places || !b) return -1;
    bounds[0] = 0;
    for (int64_t i = 0; i < s->n_gaps; i++) {
        const struct rows *at = &s->at[s->gap[i]];
        places[i] = at->place;
        bounds[i + 1] = bounds[i] + (at->hi - at->lo) * s->row;
    }
    const int64_t size = bounds[s->n_gaps];
    struct heddle_grid *grid =
        heddle__grid_along(1, &size, 0, s->n_gaps, bounds, s->from->place ? places : NULL);
    const int32_t copy = heddle__plan_add_like(p, flat, grid);
    if (copy < 0) return -1;
    const enum heddle_dtype dtype = heddle__moved_as(&p->plan->arrays[flat]);
    const struct heddle_map identity = heddle__map_identity(1);
    heddle__build_start(b);
    const uint16_t value = heddle__build_load(b, flat, dtype, &identity);
    heddle__build_store(b, value, copy, dtype, &identity);
    const struct heddle_program *program = heddle__plan_program(p, b);
    const struct heddle_space space = {1, 1, &size, 0, "edge"};
    struct gaps g = {.s = s, .builder = b};
    struct heddle_progress progress = {0};
    if (!program || !heddle__pieces_start(&g.pieces, p, b, program, &space)) return -1;
    g.pieces.progress = &progress;
    const struct heddle_part_step step = {.program = program,
                                          .name = space.name,
                                          .part = gap_part,
                                          .context = &g,
                                          .progress = &progress};
    return heddle__cut_by_part(p, grid, &step) ? copy : -1;
}

/* Where the parts of the new array are. */
static struct heddle_plan_run *find_runs(const struct reshape *s, int32_t from, int32_t gaps)
{
    struct heddle_plan_run *runs =
        heddle__arena_alloc(s->p->plan->arena, (size_t)s->n * sizeof *runs);
    int32_t gap = 0;
    for (int64_t i = 0; runs && i < s->n; i++) {
        const struct rows *at = &s->at[i];
        runs[i] = at->part < 0 ? (struct heddle_plan_run){gaps, gap++, 0}
                               : (struct heddle_plan_run){from, (int32_t)at->part,
                                                          at->lo * s->row - s->first[at->part]};
    }
    return runs;
}

bool heddle__cut_reshaped(struct heddle_planner *p, int32_t from, int ndim, const int64_t *shape,
                          int32_t *array)
{
    const struct heddle_plan_array *a = &p->plan->arrays[from];
    struct reshape s = {.p = p, .from = a->grid, .row = heddle__row_size(ndim, shape)};
    *array = -1;
    if (a->seen || a->runs || a->is_file || a->grid->overlaps || ndim == 0) return true;
    s.axis = heddle__row_axis(ndim, shape);
    s.n_rows = shape[s.axis];
    const size_t n = (size_t)s.from->n_parts;
    s.at = heddle__arena_alloc(&p->scratch, (2 * n + 1) * sizeof *s.at);
    s.gap = heddle__arena_alloc(&p->scratch, (n + 1) * sizeof *s.gap);
    s.first = heddle__arena_alloc(&p->scratch, n * sizeof *s.first);
    if (!s.at || !s.gap || !s.first) return false;
    if (!find_rows(&s) || s.n_gaps == 0)
        return true; /* without gaps it has the parts of the data */
    const int32_t gaps = copy_gaps(&s, from);
    if (gaps < 0) return false;
    struct heddle_plan_run *runs = find_runs(&s, from, gaps);
    struct heddle_grid *like = cut_rows(&s, ndim, shape, true);
    *array = runs && like ? heddle__plan_add_like(p, from, cut_rows(&s, ndim, shape, false)) : -1;
    if (*array < 0) {
        heddle__grid_release(like);
        return false;
    }
    heddle__share_array(p->plan, *array, from);
    p->plan->arrays[*array].runs = runs;
    p->plan->arrays[*array].like = like;
    return true;
}
