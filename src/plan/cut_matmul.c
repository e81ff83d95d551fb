/* Matrix products to tasks: one a part of the result, in pieces that read one part of each operand;
 * pieces along k accumulate in order. Where the parts of the result have places, a task for each
 * panel of k that the operands are cut in: the next panel comes while this one is multiplied, each
 * place begins with a panel that it has, and so no two ask one owner at a time. Entry point:
 * heddle__cut_matmul. */
#include "plan/tasks.h"

#include "base/memory.h"

/* Iteration axes: batch axes, m, n, k. */
struct product {
    struct heddle_planner *p;
    enum heddle_dtype dtype;
    int n_batch;
    int32_t array[3];
    int64_t part;    /* of C */
    int64_t first_k; /* where the accumulation starts */
    bool adds;       /* the current task adds to what others have written */
    struct heddle_map map[3];
};

static bool call_one(struct product *s, const struct heddle_box *box, const int64_t *lo,
                     int64_t batch)
{
    struct heddle_planner *p = s->p;
    const int m = s->n_batch, n = m + 1, k = m + 2, last = m - 1;
    struct heddle_matmul call = {.dtype = (uint8_t)s->dtype,
                                 .accumulate = box->lo[k] != s->first_k,
                                 .m = box->hi[m] - box->lo[m],
                                 .n = box->hi[n] - box->lo[n],
                                 .k = box->hi[k] - box->lo[k],
                                 .batch = batch};
    int64_t stride[3][HEDDLE_MAX_NDIM + 1];
    int64_t offset[3];
    for (int i = 0; i < 3; i++) {
        const struct heddle_grid *grid = p->plan->arrays[s->array[i]].grid;
        const int64_t q = i == 2 ? s->part : heddle__part_at(grid, &s->map[i], lo);
        /* axis k may be one beyond HEDDLE_MAX_NDIM: strides are taken from unit moves */
        const struct heddle_access at = heddle__part_access(grid, q, &s->map[i], lo);
        offset[i] = at.offset;
        for (int d = 0; d <= k; d++) {
            int64_t next[HEDDLE_MAX_NDIM + 1];
            for (int e = 0; e <= k; e++) next[e] = lo[e] + (e == d);
            stride[i][d] = heddle__part_access(grid, q, &s->map[i], next).offset - at.offset;
        }
        const enum heddle_mode to = s->adds ? HEDDLE_READ_WRITE : HEDDLE_WRITE;
        call.buffer[i] = heddle__task_use(p, s->array[i], q, i == 2 ? to : HEDDLE_READ);
    }
    call.a_offset = offset[0];
    call.a_row = stride[0][m];
    call.a_column = stride[0][k];
    call.b_offset = offset[1];
    call.b_row = stride[1][k];
    call.b_column = stride[1][n];
    call.c_offset = offset[2];
    call.c_row = stride[2][m];
    if (last >= 0) {
        call.a_batch = stride[0][last];
        call.b_batch = stride[1][last];
        call.c_batch = stride[2][last];
    }
    const double size = (double)heddle_dtype_size(s->dtype);
    const double mn = (double)call.m * (double)call.n, mk = (double)call.m * (double)call.k,
                 kn = (double)call.k * (double)call.n;
    struct heddle_kernel_call *to = heddle__task_call(p, 2 * mn * (double)call.k * (double)batch,
                                                      (mn + mk + kn) * size * (double)batch);
    if (!to) return false;
    to->family = HEDDLE_FAMILY_MATMUL;
    to->matmul = call;
    return !p->failed;
}

/* A box that reads one part of each: a call for each index of all batch axes but the last. */
static bool call_box(void *context, const struct heddle_box *box)
{
    struct product *s = context;
    int64_t lo[HEDDLE_MAX_NDIM + 1];
    for (int d = 0; d < s->n_batch + 3; d++) lo[d] = box->lo[d];
    const int64_t batch = s->n_batch ? box->hi[s->n_batch - 1] - box->lo[s->n_batch - 1] : 1;
    for (;;) {
        if (!call_one(s, box, lo, batch)) return false;
        int d = s->n_batch - 2;
        for (; d >= 0; d--) {
            if (++lo[d] < box->hi[d]) break;
            lo[d] = box->lo[d];
        }
        if (d < 0) return true;
    }
}

/* The panels of axis k: where A or B is cut along it. */
struct panels {
    int64_t n, room, *bound; /* n + 1 bounds */
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

static bool find_panels(const struct product *s, const struct heddle_read reads[2], int64_t k,
                        struct panels *panels)
{
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < s->map[i].n; d++) {
            const struct heddle_grid *grid = reads[i].grid;
            if (s->map[i].axis[d] != s->n_batch + 2 || s->map[i].step[d] != 1) continue;
            for (int64_t j = 1; j < grid->n[d]; j++) {
                const int64_t at = grid->bound[d][j] - s->map[i].offset[d];
                bool known = at <= 0 || at >= k;
                for (int64_t b = 0; b < panels->n; b++) known = known || panels->bound[b] == at;
                if (!known && !add_bound(panels, at)) return false;
            }
        }
    return add_bound(panels, 0) && add_bound(panels, k);
}

/* The first panel of B, or else of A, that lives where `box` of C does. */
static int64_t own_panel(const struct product *s, const struct heddle_read reads[2],
                         struct heddle_box box, const struct panels *panels)
{
    const heddle_place place = heddle__grid_place_of(s->p->plan->arrays[s->array[2]].grid, s->part);
    for (int i = 1; i >= 0; i--)
        for (int64_t j = 0; j + 1 < panels->n; j++) {
            box.lo[s->n_batch + 2] = panels->bound[j];
            const int64_t part = heddle__part_at(reads[i].grid, reads[i].map, box.lo);
            if (i == 0 && reads[i].grid->n_parts == 1) break;
            if (heddle__grid_place_of(reads[i].grid, part) == place) return j;
        }
    return 0;
}

static bool one_task(struct product *s, const struct heddle_box *box,
                     const struct heddle_read reads[2], heddle_place place)
{
    if (!heddle__task_begin(s->p)) return false;
    heddle__task_place(s->p, place);
    if (!heddle__for_pieces(s->p, s->n_batch + 3, box, 2, reads, call_box, s)) return false;
    heddle__task_end(s->p);
    return true;
}

/* The tasks of one part of C. */
static bool cut_part(struct product *s, struct heddle_box box, const struct heddle_read reads[2],
                     int64_t k)
{
    const int axis = s->n_batch + 2;
    const heddle_place place = heddle__grid_place_of(s->p->plan->arrays[s->array[2]].grid, s->part);
    box.lo[axis] = s->first_k = 0;
    s->adds = false;
    box.hi[axis] = k;
    if (heddle__box_size(&box, axis + 1) == 0) return true;
    if (place == HEDDLE_ANYWHERE) return one_task(s, &box, reads, place);

    struct panels panels = {0};
    bool ok = find_panels(s, reads, k, &panels);
    const int64_t n = panels.n - 1, first = ok ? own_panel(s, reads, box, &panels) : 0;
    for (int64_t j = 0; j < n && ok; j++) {
        const int64_t at = (first + j) % n;
        box.lo[axis] = panels.bound[at];
        box.hi[axis] = panels.bound[at + 1];
        if (j == 0) s->first_k = box.lo[axis];
        s->adds = j > 0;
        ok = one_task(s, &box, reads, place);
    }
    heddle__free(panels.bound);
    if (!ok) s->p->failed = true;
    return ok;
}

bool heddle__cut_matmul(struct heddle_planner *p, enum heddle_dtype dtype, int32_t c,
                        const struct heddle_operand *a, const struct heddle_operand *b, int64_t k)
{
    const struct heddle_grid *grid = p->plan->arrays[c].grid;
    const int nb = grid->ndim - 2;
    struct product s = {.p = p,
                        .dtype = dtype,
                        .n_batch = nb,
                        .array = {a->array, b->array, c},
                        .map = {a->map, b->map, heddle__map_identity(grid->ndim)}};
    /* A's columns and B's rows are axis k, B's columns axis n */
    for (int d = 0; d < s.map[0].n; d++)
        if (s.map[0].axis[d] == nb + 1) s.map[0].axis[d] = (int8_t)(nb + 2);
    for (int d = 0; d < s.map[1].n; d++)
        if (s.map[1].axis[d] == nb) s.map[1].axis[d] = (int8_t)(nb + 2);
    const struct heddle_read reads[2] = {{p->plan->arrays[a->array].grid, &s.map[0]},
                                         {p->plan->arrays[b->array].grid, &s.map[1]}};
    if (!heddle__step_begin(p, HEDDLE_FAMILY_MATMUL, NULL, "matmul", 1)) return false;
    for (int64_t part = 0; part < grid->n_parts; part++) {
        s.part = part;
        if (!cut_part(&s, heddle__grid_part(grid, part), reads, k)) return false;
    }
    return !p->failed;
}
