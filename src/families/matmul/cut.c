/* Matrix products to tasks: one for each part of the result, in pieces that read one part of each
 * operand; pieces along k accumulate in order. If the parts of the result have places, order.c does it; if what is
 * summed lies at several places and the result is small, sums.c.
 * Entry points: heddle__matmul_cut, heddle__matmul_task. */
#include "families/matmul/cut.h"

/* Axes whose elements are so far apart, in A, B and C, that one number stands for their indices. */
struct batch {
    int64_t n, stride[3];
};

/* Numbers the results by the last batch axes, as many as two numbers can stand for; how many axes are left. */
static int number_results(const struct heddle_matmul_cut *s, const struct heddle_box *box,
                          int64_t stride[3][HEDDLE_MAX_NDIM + 1], struct heddle_matmul *call)
{
    struct batch batch[2] = {{1, {0}}, {1, {0}}}, *now = NULL;
    int d = s->n_batch - 1;
    for (; d >= 0; d--) {
        const int64_t n = box->hi[d] - box->lo[d];
        if (n == 1) continue;
        bool follows = now != NULL;
        for (int i = 0; i < 3; i++) follows = follows && stride[i][d] == now->stride[i] * now->n;
        if (follows) {
            now->n *= n;
            continue;
        }
        if (now == &batch[1]) break;
        now = now ? &batch[1] : &batch[0];
        *now = (struct batch){n, {stride[0][d], stride[1][d], stride[2][d]}};
    }
    call->batch = batch[0].n;
    call->a_batch = batch[0].stride[0];
    call->b_batch = batch[0].stride[1];
    call->c_batch = batch[0].stride[2];
    call->outer = batch[1].n;
    call->a_outer = batch[1].stride[0];
    call->b_outer = batch[1].stride[1];
    call->c_outer = batch[1].stride[2];
    return d + 1;
}

/* The batch axes that are left have the index at `lo`; *n_left: how many they are. */
static bool call_one(struct heddle_matmul_cut *s, const struct heddle_box *box, const int64_t *lo,
                     int *n_left)
{
    struct heddle_planner *p = s->p;
    const int m = s->n_batch, n = m + 1, k = m + 2;
    struct heddle_matmul call = {.dtype = (uint8_t)s->dtype,
                                 .halves = (uint8_t)s->halves,
                                 .rounded = s->rounded,
                                 .tf32 = s->tf32,
                                 .accumulate = box->lo[k] != s->first_k,
                                 .m = box->hi[m] - box->lo[m],
                                 .n = box->hi[n] - box->lo[n],
                                 .k = box->hi[k] - box->lo[k]};
    int64_t stride[3][HEDDLE_MAX_NDIM + 1];
    int64_t offset[3];
    for (int i = 0; i < 3; i++) {
        const struct heddle_grid *grid = p->plan->arrays[s->array[i]].grid;
        int64_t q = i == 2 ? s->part : heddle__part_at(grid, &s->map[i], lo);
        struct heddle_map map = s->map[i];
        int32_t array =
            i == 2 ? -1 : heddle__halo_of(p, s->array[i], q, heddle__matmul_place(s), box, &map);
        if (array < 0) {
            array = s->array[i];
        } else {
            grid = p->plan->arrays[array].grid;
            q = 0;
        }
        /* axis k may be one more than HEDDLE_MAX_NDIM: the offsets of neighbours give the strides */
        const struct heddle_access at = heddle__part_access(grid, q, &map, lo);
        offset[i] = at.offset;
        for (int d = 0; d <= k; d++) {
            int64_t next[HEDDLE_MAX_NDIM + 1];
            for (int e = 0; e <= k; e++) next[e] = lo[e] + (e == d);
            stride[i][d] = heddle__part_access(grid, q, &map, next).offset - at.offset;
        }
        const enum heddle_mode to = s->adds ? HEDDLE_READ_WRITE : HEDDLE_WRITE;
        call.buffer[i] = heddle__task_use(p, array, q, i == 2 ? to : HEDDLE_READ);
    }
    call.a_offset = offset[0];
    call.a_row = stride[0][m];
    call.a_column = stride[0][k];
    call.b_offset = offset[1];
    call.b_row = stride[1][k];
    call.b_column = stride[1][n];
    call.c_offset = offset[2];
    call.c_row = stride[2][m];
    *n_left = number_results(s, box, stride, &call);
    const double n_results = (double)call.batch * (double)call.outer;
    const double size = (double)heddle_dtype_size(s->halves ? s->halves : s->dtype);
    const double mn = (double)call.m * (double)call.n, mk = (double)call.m * (double)call.k,
                 kn = (double)call.k * (double)call.n;
    struct heddle_matmul *to =
        heddle__task_call(p, &heddle__matmul_family, sizeof *to,
                          2 * mn * (double)call.k * n_results, (mn + mk + kn) * size * n_results);
    if (!to) return false;
    *to = call;
    return !p->failed;
}

/* The calls for a box that reads one part of each operand: one, or one for each index of the batch axes that no number of
 * results stands for. */
static bool call_box(void *context, const struct heddle_box *box)
{
    struct heddle_matmul_cut *s = context;
    int64_t lo[HEDDLE_MAX_NDIM + 1];
    for (int d = 0; d < s->n_batch + 3; d++) lo[d] = box->lo[d];
    for (int n_left;;) {
        if (!call_one(s, box, lo, &n_left)) return false;
        int d = n_left - 1;
        for (; d >= 0; d--) {
            if (++lo[d] < box->hi[d]) break;
            lo[d] = box->lo[d];
        }
        if (d < 0) return true;
    }
}

bool heddle__matmul_calls(struct heddle_matmul_cut *s, const struct heddle_box *box)
{
    heddle__task_place(s->p, heddle__matmul_place(s));
    return heddle__for_pieces(s->p, s->n_batch + 3, box, 2, s->reads, call_box, s);
}

bool heddle__matmul_task(struct heddle_matmul_cut *s, const struct heddle_box *box)
{
    if (!heddle__task_begin(s->p) || !heddle__matmul_calls(s, box)) return false;
    heddle__task_end(s->p);
    return true;
}

struct heddle_box heddle__matmul_box(const struct heddle_matmul_cut *s, int64_t part)
{
    struct heddle_box box = heddle__grid_part(s->p->plan->arrays[s->array[2]].grid, part);
    box.lo[s->n_batch + 2] = 0;
    box.hi[s->n_batch + 2] = s->k;
    return box;
}

/* Whether pieces along k add up: an operand is cut there. */
static bool accumulates(const struct heddle_matmul_cut *s)
{
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < s->map[i].n; d++)
            if (s->map[i].axis[d] == s->n_batch + 2 && s->reads[i].grid->n[d] > 1) return true;
    return false;
}

/* Sums in float32 to halves. */
static bool round_sums(struct heddle_planner *p, int32_t sums, int32_t c)
{
    struct heddle_grid *const grid = p->plan->arrays[c].grid;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->plan->arrays[c].dtype;
    const struct heddle_map identity = heddle__map_identity(grid->ndim);
    const struct heddle_space space = {grid->ndim, grid->ndim, grid->shape, 0, "round"};
    struct heddle_builder *b = heddle__arena_alloc(&p->scratch, sizeof *b);
    if (!b) return false;
    heddle__build_start(b);
    const uint16_t x = heddle__build_load(b, sums, HEDDLE_FLOAT32, &identity);
    heddle__build_store(b, heddle__build_op(b, HEDDLE_CODE_CAST, HEDDLE_FLOAT32, dtype, x, 0, 0), c,
                        dtype, &identity);
    const struct heddle_program *program = heddle__plan_program(p, b);
    return program && heddle__cut_map(p, b, program, &space, grid);
}

static bool cut_tasks(struct heddle_matmul_cut *s)
{
    struct heddle_planner *p = s->p;
    const struct heddle_grid *grid = p->plan->arrays[s->array[2]].grid;
    heddle__halos_clear(p);
    if (grid->place) return heddle__matmul_in_order(s);
    if (!heddle__step_begin(p, &heddle__matmul_family, NULL, "matmul", 1)) return false;
    for (s->part = 0; s->part < grid->n_parts; s->part++) {
        const struct heddle_box box = heddle__matmul_box(s, s->part);
        if (heddle__box_size(&box, s->n_batch + 3) > 0 && !heddle__matmul_task(s, &box))
            return false;
    }
    return !p->failed;
}

/* The product of two operands, without its result. */
static void describe(struct heddle_matmul_cut *s, struct heddle_planner *p,
                     const heddle_array *node, const struct heddle_operand operand[2])
{
    const enum heddle_dtype dtype = heddle__computed_in((enum heddle_dtype)node->dtype),
                            of = (enum heddle_dtype)node->in[0]->dtype;
    const struct heddle_matmul_params *params = heddle__params_of(node);
    const int nb = node->ndim - 2;
    *s = (struct heddle_matmul_cut){.p = p,
                                    .dtype = dtype,
                                    .halves = of == dtype ? HEDDLE_DTYPE_NONE : of,
                                    .tf32 = params->tf32 != 0,
                                    .n_batch = nb,
                                    .k = node->in[0]->shape[nb + 1],
                                    .map[2] = heddle__map_identity(node->ndim)};
    for (int i = 0; i < 2; i++) {
        s->array[i] = operand[i].array;
        s->map[i] = operand[i].map;
        s->reads[i] = (struct heddle_read){p->plan->arrays[s->array[i]].grid, &s->map[i]};
        for (int d = 0; d < s->map[i].n;
             d++) /* A's columns and B's rows are axis k, B's columns are axis n */
            if (s->map[i].axis[d] == nb + 1 - i) s->map[i].axis[d] = (int8_t)(nb + 2);
    }
}

static bool cut_product(struct heddle_matmul_cut *s, const heddle_array *node, int32_t c)
{
    struct heddle_planner *p = s->p;
    struct heddle_grid *const grid = p->plan->arrays[c].grid;
    const bool is_half = (enum heddle_dtype)node->dtype != s->dtype;
    s->array[2] = c;
    s->rounded = is_half && !accumulates(s);
    if (!is_half || s->rounded) return cut_tasks(s);
    s->array[2] = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, s->dtype,
                                         heddle__grid_retain(grid)); /* sums are rounded once */
    return s->array[2] >= 0 && cut_tasks(s) && round_sums(p, s->array[2], c);
}

bool heddle__matmul_cut(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    const heddle_array *a = v->node;
    struct heddle_operand operand[2];
    const struct heddle_map *map[2];
    struct heddle_matmul_cut s;
    struct heddle_sums sums = {0};
    int32_t in[2];
    for (int i = 0; i < 2; i++) in[i] = heddle__whole_input(p, v, i, &map[i]);
    if (!v->grid && !heddle__product_operands(p, a, in, map)) return false;
    for (int i = 0; i < 2; i++) {
        operand[i] =
            (struct heddle_operand){.array = heddle__array_of(p, in[i]),
                                    .map = map[i] ? *map[i] : heddle__map_identity(a->ndim)};
        if (operand[i].array < 0) return false;
    }
    describe(&s, p, a, operand);
    struct heddle_grid *grid = v->grid ? heddle__grid_retain(v->grid) : NULL;
    const bool adds_up = !grid && heddle__sums_found(&s, a, operand, &sums);
    if (!grid && !p->failed)
        grid =
            adds_up ? heddle__sums_grid(p, a, operand, &sums) : heddle__product_grid(p, a, operand);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    if (adds_up) return !p->failed && heddle__sums_cut(&s, &sums, v->array);
    for (int i = 1; i >= 0 && !p->failed; i--)
        if (!heddle__product_stage(p, p->plan->arrays[v->array].grid, &operand[i])) return false;
    if (p->failed) return false;
    describe(&s, p, a, operand);
    return cut_product(&s, a, v->array);
}
