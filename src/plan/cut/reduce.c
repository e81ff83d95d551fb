/* Reductions to tasks. If no reduced axis is cut, there is one task for each part of the result. Else a
 * task for each part of what is reduced leaves partials of whole chunks, and another one combines them.
 * The tree is that of reduce_tree.h either way. Entry point: heddle__cut_reduce. */
#include "base/memory.h"
#include "plan/cut/edges.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"
#include "plan/policy/thresholds.h"
#include "reduce_tree.h"
#include "strips.h"

/* Whether each part of the iteration space reads one part of operand `o`. */
static bool reads_one_part(const struct heddle_planner *p, const struct heddle_operand *o,
                           const struct heddle_grid *iteration)
{
    const struct heddle_grid *grid = p->plan->arrays[o->array].grid;
    if (grid->n_parts == 1) return true;
    for (int64_t part = 0; part < iteration->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(iteration, part);
        if (heddle__box_size(&box, iteration->ndim) == 0) continue;
        const struct heddle_box region = heddle__map_region(&o->map, &box);
        const struct heddle_box in = heddle__grid_part(grid, heddle__grid_locate(grid, region.lo));
        if (!heddle__box_contains(&in, &region, grid->ndim)) return false;
    }
    return true;
}

static bool uses_axis(const struct heddle_operand *o, int axis)
{
    for (int d = 0; d < o->map.n; d++)
        if (o->map.axis[d] == axis) return true;
    return false;
}

/* How many elements of an operand the iteration reads. */
static double elements_read(const struct heddle_operand *o, const struct heddle_grid *iteration)
{
    double n = 1;
    unsigned seen = 0;
    for (int d = 0; d < o->map.n; d++) {
        if (o->map.axis[d] < 0 || (seen >> o->map.axis[d] & 1)) continue;
        seen |= 1U << o->map.axis[d];
        n *= (double)iteration->shape[o->map.axis[d]];
    }
    return n;
}

/* Whether a part of the iteration reads far more of a file than a task should: a chunk of few elements, far
 * from each other. */
static bool reads_much(const struct heddle_planner *p, const struct heddle_operand *o,
                       const struct heddle_grid *iteration)
{
    enum { MUCH = 2 };
    const struct heddle_plan_array *a = &p->plan->arrays[o->array];
    if (!a->is_file || p->run_inline) return false;
    int64_t extent[HEDDLE_MAX_NDIM + 1];
    const struct heddle_box box = heddle__grid_part(iteration, 0);
    for (int d = 0; d < iteration->ndim; d++) extent[d] = box.hi[d] - box.lo[d];
    return heddle__map_file_bytes(&o->map, a->grid->shape, a->element_bytes, extent) >
           (double)(MUCH * p->policy->part_bytes);
}

/* Whether neighbours of an operand are far from each other in the order of the iteration, as of a transposed
 * operand: then each line of memory would be read again and again. `inner`: the axis whose neighbours are computed
 * together. */
static bool lies_across(const struct heddle_planner *p, const struct heddle_operand *o,
                        const struct heddle_grid *iteration, int inner)
{
    enum { SHORT = 16, SMALL_BYTES = 4 << 20 };
    const struct heddle_plan_array *a = &p->plan->arrays[o->array];
    const int last = o->map.n - 1;
    if (inner < 0 || last < 0 || a->is_file || p->run_inline) return false;
    const int along = o->map.axis[last];
    return along >= 0 && along != inner && (o->map.step[last] == 1 || o->map.step[last] == -1) &&
           iteration->shape[along] >= SHORT && iteration->shape[inner] >= SHORT &&
           elements_read(o, iteration) * a->element_bytes >= SMALL_BYTES && uses_axis(o, inner);
}

/* Whether a GPU reads operand k of the first part by its own order, although it lies across (strips.h). */
static bool reads_strips(const struct heddle_planner *p, const struct heddle_builder *b,
                         const struct heddle_space *space, const struct heddle_grid *iteration,
                         int k)
{
    struct heddle_access access[HEDDLE_MAX_OPERANDS] = {{0}};
    struct heddle_launch launch = {.program = &b->program, .access = access};
    struct heddle_geometry *g = &launch.geometry;
    if (p->policy->n_gpus == 0 || p->run_inline) return false;
    const struct heddle_box box = heddle__grid_part(iteration, 0);
    *g = heddle__reduce_geometry(space->ndim, space->n_kept, space->extent, b->program.sequential);
    for (int d = 0; d < space->ndim; d++) g->extent[d] = box.hi[d] - box.lo[d];
    for (int i = 0; i < b->program.n_operands; i++) {
        const struct heddle_operand *o = &b->operands[i];
        if (o->store || o->after) continue;
        const struct heddle_plan_array *a = &p->plan->arrays[o->array];
        access[i] =
            heddle__array_access(a, heddle__part_at(a->grid, &o->map, box.lo), &o->map, box.lo);
    }
    const struct heddle_strips strips = heddle__strips_of(&launch);
    return heddle__strips_read(&strips, &launch, k);
}

/* Whether CPUs read an operand by lines, although it lies across (codelets/cpu/panels.c): neighbours of it are of
 * neighbouring kept elements, or of the rows of a chunk. */
static bool reads_panels(const struct heddle_planner *p, const struct heddle_program *program,
                         const struct heddle_operand *o, const struct heddle_space *space)
{
    enum { LEAST_ROWS = 8 };
    const int along = o->map.axis[o->map.n - 1];
    if (p->policy->n_gpus > 0) return false;
    const struct heddle_geometry g =
        heddle__reduce_geometry(space->ndim, space->n_kept, space->extent, program->sequential);
    return along == space->n_kept - 1 ||
           (along == g.split_axis && along == space->ndim - 2 && g.split_rows >= LEAST_ROWS);
}

#define LESS 0.5         /* of an array: then what is read is brought together, not the array */
#define FEW (1.0 / 32.0) /* so few cost little memory */

/* Operands that do not fit the parts of the iteration are cut anew first, or brought together: what is read of
 * them, if that is less. */
static bool gather_reads(struct heddle_planner *p, struct heddle_builder *b,
                         const struct heddle_space *space, const struct heddle_grid *iteration)
{
    /* a copy has its axes in the order of the iteration: of no use if neighbours are along kept axes */
    const int inner = b->program.sequential ? -1 : space->ndim - 1;
    for (int k = 0; k < b->program.n_operands; k++) {
        struct heddle_operand *o = &b->operands[k];
        if (o->store || o->after || o->at_indices) continue;
        const struct heddle_grid *grid = p->plan->arrays[o->array].grid;
        double elements = 1;
        for (int d = 0; d < grid->ndim; d++) elements *= (double)grid->shape[d];
        const double share = elements_read(o, iteration) / elements;
        const bool fits = reads_one_part(p, o, iteration);
        const bool across = lies_across(p, o, iteration, inner) &&
                            !(fits && (reads_strips(p, b, space, iteration, k) ||
                                       reads_panels(p, &b->program, o, space)));
        if (fits && !across && !(share <= FEW && reads_much(p, o, iteration))) continue;
        if (share <= LESS || across) {
            if (!heddle__cut_view(p, o, iteration)) return false;
            continue;
        }
        const int32_t array = o->array;
        o->array =
            heddle__cut_copy(p, array, heddle__grid_under(p, iteration, &o->map, grid->shape));
        if (o->array < 0) return false;
        if (reads_one_part(p, o, iteration)) continue;
        o->array = heddle__cut_one_part(p, array);
        if (o->array < 0) return false;
    }
    return true;
}

/* Finds edges, if all operands are read in the order in which they lie. */
static bool find_edges(struct heddle_planner *p, const struct heddle_builder *b,
                       const struct heddle_space *space, const struct heddle_grid *iteration,
                       bool partial, struct heddle_edges *edges)
{
    *edges = (struct heddle_edges){0};
    const int inner = b->program.sequential ? -1 : space->ndim - 1;
    for (int k = 0; k < b->program.n_operands; k++) {
        const struct heddle_operand *o = &b->operands[k];
        if (!o->store && !o->after && !o->at_indices && lies_across(p, o, iteration, inner))
            return true;
    }
    const struct heddle_geometry g =
        heddle__reduce_geometry(space->ndim, space->n_kept, space->extent, b->program.sequential);
    return heddle__edges_find(p, b, iteration,
                              partial && g.split_axis == space->n_kept ? g.split_rows : 1, edges);
}

/* A task for each part, or for each of its pieces. */
static bool cut_whole(struct heddle_planner *p, struct heddle_builder *b,
                      const struct heddle_program *program, const struct heddle_space *space,
                      const struct heddle_grid *iteration, const uint32_t *constants,
                      const struct heddle_edges *edges)
{
    int64_t before = -1;
    for (int64_t i = 0; i < (edges->n > 0 ? edges->n : iteration->n_parts); i++) {
        const int64_t part = edges->n > 0 ? edges->at[i].part : i;
        struct heddle_box box = heddle__grid_part(iteration, part);
        if (edges->n > 0) {
            box.lo[edges->axis] = edges->at[i].lo;
            box.hi[edges->axis] = edges->at[i].hi;
        }
        if (heddle__box_size(&box, space->n_kept) == 0) continue;
        if (!heddle__task_begin(p)) return false;
        heddle__edges_swap(edges, i, b);
        const struct heddle_launch *launch =
            heddle__call_program(p, b, program, space, constants, &box, part, HEDDLE_PHASE_WHOLE);
        heddle__edges_swap(edges, i, b);
        if (!launch) return false;
        if (part == before) heddle__task_updates(p);
        heddle__task_end(p);
        before = part;
    }
    return true;
}

/* Arrays of partials: kept axes, then chunks; cut like the iteration space. */
struct partials {
    int32_t array[HEDDLE_MAX_REDUCTIONS]; /* as computed */
    int32_t whole[HEDDLE_MAX_REDUCTIONS]; /* all chunks of a kept part together */
    int64_t n_chunks;
};

/* The partition of an array of partials, placed like the iteration, whose part numbers it has. */
static struct heddle_grid *placed_like(const struct heddle_grid *iteration, int ndim,
                                       const int64_t *shape, const int64_t *n,
                                       const int64_t *const *bounds)
{
    struct heddle_grid *grid = heddle__grid_make(ndim, shape, n, bounds);
    if (!grid || !iteration->place) return grid;
    struct heddle_grid *placed = heddle__grid_place(grid, iteration->n_parts, iteration->place);
    heddle__grid_release(grid);
    return placed;
}

static int32_t add_partials(struct heddle_planner *p, const struct heddle_reduce_instr *r,
                            struct heddle_grid *grid)
{
    if (heddle__is_arg(r)) /* a value and its index */
        return heddle__plan_add_opaque(p, (int32_t)heddle__partial_size(r), grid);
    return heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, (enum heddle_dtype)r->dtype, grid);
}

static bool make_partials(struct heddle_planner *p, const struct heddle_program *program,
                          const struct heddle_space *space, const struct heddle_grid *iteration,
                          struct partials *s)
{
    const struct heddle_geometry g =
        heddle__reduce_geometry(space->ndim, space->n_kept, space->extent, program->sequential);
    const int kept = space->n_kept;
    const int64_t parts = iteration->n[kept];
    int64_t shape[HEDDLE_MAX_NDIM], n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    int64_t *chunk = heddle__arena_alloc(&p->scratch, (size_t)(parts + 1) * sizeof *chunk);
    if (!chunk) return false;
    for (int d = 0; d < kept; d++) {
        shape[d] = iteration->shape[d];
        n[d] = iteration->n[d];
        bounds[d] = iteration->bound[d];
    }
    shape[kept] = s->n_chunks = g.n_chunks;
    n[kept] = parts;
    bounds[kept] = chunk;
    for (int64_t i = 0; i < parts; i++)
        chunk[i] = g.split_axis == kept
                       ? iteration->bound[kept][i] / g.split_rows
                       : iteration->bound[kept][i] * (g.n_chunks / space->extent[kept]);
    chunk[parts] = g.n_chunks;
    for (int r = 0; r < program->n_reductions; r++) {
        s->array[r] = add_partials(p, &program->reductions[r],
                                   placed_like(iteration, kept + 1, shape, n, bounds));
        if (s->array[r] < 0) return false;
        p->plan->arrays[s->array[r]].partial = true;
    }
    return true;
}

static bool cut_partial(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration, const uint32_t *constants,
                        const struct heddle_edges *edges, const struct partials *s, int64_t part)
{
    const struct heddle_box box = heddle__grid_part(iteration, part);
    if (heddle__box_size(&box, space->ndim) == 0) return true;
    if (!heddle__task_begin(p)) return false;
    heddle__task_place(p, heddle__grid_place_of(iteration, part));
    heddle__edges_swap(edges, part, b);
    struct heddle_launch *launch =
        heddle__call_program(p, b, program, space, constants, &box, 0, HEDDLE_PHASE_PARTIAL);
    heddle__edges_swap(edges, part, b);
    for (int r = 0; launch && r < program->n_reductions; r++)
        launch->buffer[program->n_operands + r] =
            heddle__task_use(p, s->array[r], part, HEDDLE_WRITE);
    if (!launch || p->failed) return false;
    heddle__task_end(p);
    return true;
}

/* First come partials that must travel to where they are combined; meanwhile the others are computed. */
static bool cut_partials(struct heddle_planner *p, struct heddle_builder *b,
                         const struct heddle_program *program, const struct heddle_space *space,
                         const struct heddle_grid *iteration, const uint32_t *constants,
                         const struct heddle_edges *edges, const struct partials *s,
                         const struct heddle_grid *result)
{
    for (int travels = 1; travels >= 0; travels--)
        for (int64_t part = 0; part < iteration->n_parts; part++) {
            const struct heddle_box box = heddle__grid_part(iteration, part);
            const heddle_place to =
                heddle__grid_place_of(result, heddle__grid_locate(result, box.lo));
            if ((heddle__grid_place_of(iteration, part) != to) == travels &&
                !cut_partial(p, b, program, space, iteration, constants, edges, s, part))
                return false;
        }
    return true;
}

static bool cut_combine(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *kept, const uint32_t *constants,
                        const struct partials *s)
{
    for (int64_t part = 0; part < kept->n_parts; part++) {
        struct heddle_box box = heddle__grid_part(kept, part);
        if (heddle__box_size(&box, space->n_kept) == 0) continue;
        for (int d = space->n_kept; d < space->ndim; d++) {
            box.lo[d] = 0;
            box.hi[d] = space->extent[d];
        }
        if (!heddle__task_begin(p)) return false;
        heddle__task_place(p, heddle__grid_place_of(kept, part));
        for (int r = 0; r < program->n_reductions; r++)
            if (!heddle__call_collect(p, s->array[r], s->whole[r], part)) return false;
        struct heddle_launch *launch =
            heddle__call_program(p, b, program, space, constants, &box, part, HEDDLE_PHASE_COMBINE);
        for (int r = 0; launch && r < program->n_reductions; r++)
            launch->buffer[program->n_operands + r] =
                heddle__task_use(p, s->whole[r], part, HEDDLE_READ);
        if (!launch || p->failed) return false;
        launch->geometry.n_chunks = s->n_chunks;
        heddle__task_end(p);
    }
    return true;
}

/* Adds the arrays in which all chunks of a kept part are together, at the places where they are combined. */
static bool make_whole(struct heddle_planner *p, const struct heddle_program *program,
                       const struct heddle_grid *result, struct partials *s)
{
    const int kept = result->ndim;
    for (int r = 0; r < program->n_reductions; r++) {
        const struct heddle_grid *cut = p->plan->arrays[s->array[r]].grid;
        int64_t n[HEDDLE_MAX_NDIM];
        const int64_t *bounds[HEDDLE_MAX_NDIM], all[2] = {0, s->n_chunks};
        for (int d = 0; d < kept; d++) {
            n[d] = cut->n[d];
            bounds[d] = cut->bound[d];
        }
        n[kept] = 1;
        bounds[kept] = all;
        s->whole[r] = add_partials(p, &program->reductions[r],
                                   placed_like(result, kept + 1, cut->shape, n, bounds));
        if (s->whole[r] < 0) return false;
    }
    return true;
}

/* The GPUs besides the result's that combine partial results, too, as something larger than these reads it there: they
 * have it as soon as one could send it on. Their number, at most heddle__thresholds.combining_gpus - 1. */
static int find_combining(const struct heddle_planner *p, const struct heddle_builder *b,
                          const struct heddle_program *program, const struct heddle_grid *iteration,
                          const struct heddle_grid *result, const struct partials *s,
                          heddle_place place[])
{
    bool is_read = false;
    double bytes = 0;
    int n = 0;
    if (!iteration->place || result->n_parts > 1) return 0;
    for (int k = 0; k < program->n_operands; k++) {
        if (b->operands[k].after) return 0;
        is_read = is_read || b->operands[k].broadcast;
    }
    for (int r = 0; r < program->n_reductions; r++)
        bytes += (double)heddle__plan_array_bytes(&p->plan->arrays[s->array[r]]);
    if (!is_read || bytes > (double)heddle__thresholds.combined_by_each) return 0;
    for (int64_t part = 0; part < iteration->n_parts; part++) {
        bool known = iteration->place[part] == result->place[0];
        if (iteration->place[part] < HEDDLE_PLACE_GPU)
            return 0; /* digits of functions may differ */
        for (int i = 0; i < n; i++) known = known || place[i] == iteration->place[part];
        if (known) continue;
        if (n == heddle__thresholds.combining_gpus - 1) return 0;
        place[n++] = iteration->place[part];
    }
    return n;
}

/* Has a GPU combine, too, into replicas of what the program stores: a step of its own, as tasks of one write parts of the same
 * arrays. */
static bool cut_replica(struct heddle_planner *p, const struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *result, const uint32_t *constants,
                        struct partials *s, heddle_place place)
{
    struct heddle_builder *there = heddle__arena_alloc(&p->scratch, sizeof *there);
    struct heddle_grid *grid = there ? heddle__grid_place(result, 1, &place) : NULL;
    if (!grid) return false;
    *there = *b;
    bool ok = make_whole(p, program, grid, s);
    for (int k = 0; k < program->n_operands && ok; k++) {
        struct heddle_operand *o = &there->operands[k];
        if (!o->store) continue;
        o->array = heddle__replica_add(p, o->array, place);
        ok = o->array >= 0;
    }
    ok = ok && heddle__step_begin(p, &heddle__program_family, program, "combine", 0) &&
         cut_combine(p, there, program, space, grid, constants, s);
    heddle__grid_release(grid);
    return ok;
}

/* Partials of each part, brought together for each kept part, combined. */
static bool cut_parted(struct heddle_planner *p, struct heddle_builder *b,
                       const struct heddle_program *program, const struct heddle_space *space,
                       const struct heddle_grid *iteration, const uint32_t *constants,
                       const struct heddle_edges *edges)
{
    struct partials s;
    heddle_place place[HEDDLE_POLICY_PLACES];
    struct heddle_grid *result = heddle__grid_kept(p, iteration, space->n_kept);
    bool ok =
        result && make_partials(p, program, space, iteration, &s) &&
        heddle__step_begin(p, &heddle__program_family, program, space->name, space->n_nodes) &&
        cut_partials(p, b, program, space, iteration, constants, edges, &s, result) &&
        make_whole(p, program, result, &s) &&
        heddle__step_begin(p, &heddle__program_family, program, "combine", 0) &&
        cut_combine(p, b, program, space, result, constants, &s);
    const int n = ok ? find_combining(p, b, program, iteration, result, &s, place) : 0;
    for (int i = 0; i < n && ok; i++)
        ok = cut_replica(p, b, program, space, result, constants, &s, place[i]);
    heddle__grid_release(result);
    return ok;
}

bool heddle__cut_reduce(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration)
{
    const bool partial = space->n_kept < space->ndim && iteration->n[space->n_kept] > 1;
    const uint32_t *constants = heddle__call_constants(p, b);
    struct heddle_edges edges;
    if (!constants || !find_edges(p, b, space, iteration, partial, &edges) ||
        (edges.n == 0 && !gather_reads(p, b, space, iteration)))
        return false;
    if (!partial)
        return heddle__step_begin(p, &heddle__program_family, program, space->name,
                                  space->n_nodes) &&
               cut_whole(p, b, program, space, iteration, constants, &edges);
    if (edges.n == 0) return cut_parted(p, b, program, space, iteration, constants, &edges);
    struct heddle_grid *pieces = heddle__edges_grid(p, iteration, &edges);
    const bool ok = pieces && cut_parted(p, b, program, space, pieces, constants, &edges);
    heddle__grid_release(pieces);
    return ok;
}
