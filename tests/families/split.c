/* The operation `split`: node, tasks, kernel. Entry points: split.h. */
#include "families/split.h"

#include "graph/family.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"
#include "run/execute.h"

#include <math.h>

/* ---- Tasks --------------------------------------------------------------------------------------------- */

/* The arguments of a kernel call. */
struct split {
    uint32_t x, mantissas, exponents; /* buffers */
    int64_t n_rows, n_columns;
};

struct cut {
    const struct heddle_family_info *family;
    int32_t x, mantissas, exponents; /* arrays of the plan */
};

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *c = context;
    const struct heddle_box box = heddle__grid_part(p->plan->arrays[c->x].grid, part);
    struct split *s = heddle__task_call(p, c->family, sizeof *s, 0, 0);
    if (!s) return false;
    s->n_rows = box.hi[0] - box.lo[0];
    s->n_columns = box.hi[1] - box.lo[1];
    s->x = heddle__task_use(p, c->x, part, HEDDLE_READ);
    s->mantissas = heddle__task_use(p, c->mantissas, part, HEDDLE_WRITE);
    s->exponents = heddle__task_use(p, c->exponents, part, HEDDLE_WRITE);
    return true;
}

/* Part by part, with whole rows. */
static bool cut_rows(struct heddle_planner *p, int32_t at)
{
    const struct heddle_map *map;
    struct cut c = {.family = heddle__family_of(p->values[at].node),
                    .x = heddle__array_of(p, heddle__whole_input(p, &p->values[at], 0, &map))};
    if (c.x >= 0) c.x = heddle__cut_in_units(p, c.x, 1, 0);
    if (c.x < 0) return false;
    struct heddle_grid *grid = p->plan->arrays[c.x].grid, *rows = heddle__grid_kept(p, grid, 1);
    if (!rows) return false;
    heddle__make_output_array(p, at, 0, HEDDLE_FLOAT64, grid);
    heddle__make_output_array(p, at, 1, HEDDLE_INT32, rows);
    heddle__grid_release(rows);
    if (p->failed) return false;
    c.mantissas = p->values[at].outputs[0];
    c.exponents = p->values[at].outputs[1];
    return heddle__cut_parts(p, c.family, "split", 1, grid, call_part, &c);
}

/* ---- The node ------------------------------------------------------------------------------------------ */

static double work(const heddle_array *node)
{
    return 2 * (double)node->size * sizeof(double);
}

static void output(const heddle_array *node, int i, enum heddle_dtype *dtype,
                   struct heddle_shape *shape)
{
    (void)i; /* 1: there are two */
    *dtype = HEDDLE_INT32;
    *shape = (struct heddle_shape){.ndim = 1, .extent = {node->shape[0]}};
}

static unsigned devices(const void *arguments, struct heddle_object *const objects[])
{
    (void)arguments, (void)objects;
    return HEDDLE_ON_CPU;
}

static const struct heddle_family_info family = {
    .name = "split",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE,
    .work = work,
    .n_outputs = 2,
    .output = output,
    .cut = cut_rows,
    .id = HEDDLE_FAMILY_RAW,
    .devices = devices,
};

bool split(heddle_array *x, heddle_array *outputs[2])
{
    heddle_array *operation =
        heddle_status_of(x) == HEDDLE_OK
            ? heddle__make_operation(&family, HEDDLE_FLOAT64, 2, x->shape, 1, &x, NULL, NULL)
            : NULL;
    if (operation && heddle__make_outputs(operation, outputs)) return true;
    outputs[0] = outputs[1] = NULL;
    return false;
}

/* ---- The kernel ---------------------------------------------------------------------------------------- */

atomic_llong split_rows;
atomic_bool split_fails;

static enum heddle_status run(const struct split *s, void *const buffers[])
{
    const double *x = buffers[s->x];
    double *mantissas = buffers[s->mantissas];
    int32_t *exponents = buffers[s->exponents];
    HEDDLE_REQUIRE(!atomic_load(&split_fails), HEDDLE_ENOMEM, "split: the kernel was told to fail");
    for (int64_t i = 0; i < s->n_rows; i++, x += s->n_columns, mantissas += s->n_columns) {
        double largest = 0;
        int exponent;
        for (int64_t j = 0; j < s->n_columns; j++) largest = fmax(largest, fabs(x[j]));
        frexp(largest, &exponent);
        for (int64_t j = 0; j < s->n_columns; j++) mantissas[j] = ldexp(x[j], -exponent);
        exponents[i] = exponent;
    }
    atomic_fetch_add(&split_rows, s->n_rows);
    return HEDDLE_OK;
}

enum heddle_status __real_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context);
enum heddle_status __wrap_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context);
enum heddle_status __wrap_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context)
{
    return call->family == &family ? run(call->arguments, context->buffers)
                                   : __real_heddle__call_cpu(call, context);
}
