/* Maps by rows. Tiles over rows, of so many elements for a thread. Operands that are the same rows, some of them later, as neighbours in
 * stencils are: a thread has several rows one below the other, and loads once what lies in several operands' rows. Rows in stretches. Which
 * values differ within a row. Entry points: layout.h, heddle__cuda_rows_tile, heddle__cuda_row_vector, heddle__cuda_share_rows,
 * heddle__cuda_number_rows, heddle__cuda_pack_stretches. */
#include "cuda/layout.h"
#include "cuda/program.h"

/* Elements of a tile along a row of `inner` elements, of which a thread has `vector`. */
static int64_t columns_of(int64_t inner, int64_t vector)
{
    return (inner <= 32 * vector ? 32 : 64) * vector;
}

/* Elements of the tiles over a row, some beyond its end. */
static int64_t over_row(int64_t inner, int64_t vector)
{
    const int64_t columns = columns_of(inner, vector);
    return (inner + columns - 1) / columns * columns;
}

int heddle__cuda_row_vector(int64_t inner, int most)
{
    while (most > 1 && inner < 32 * most && over_row(inner, most) > over_row(inner, 1)) most /= 2;
    return most;
}

int heddle__cuda_rows_leave_idle(const struct heddle_cuda_layout *l, double w, int vector)
{
    enum { MOST_COLUMNS = 1024, LEAST_WEIGHT = 8, MOST_BUSY = 85 };
    const int last = l->class.n_kept - 1;
    const int64_t inner = l->extent[last];
    for (int k = 0; k < HEDDLE_MAX_OPERANDS; k++)
        if (l->stride[k][last] != 0 && l->stride[k][last] != 1) return 0;
    return inner <= MOST_COLUMNS && w >= LEAST_WEIGHT &&
           100 * inner < MOST_BUSY * over_row(inner, heddle__cuda_row_vector(inner, vector));
}

void heddle__cuda_rows_tile(const struct heddle_cuda_layout *l, int *columns, int *rows)
{
    const int vector = l->class.vector;
    *columns = (int)columns_of(l->extent[l->class.n_kept - 1], vector);
    *rows = 256 / (*columns / vector) * l->class.unroll;
}

void heddle__cuda_differ_in_rows(const struct heddle_program *p, const struct heddle_cuda_class *c,
                                 uint8_t differs[HEDDLE_MAX_INSTRS])
{
    const int inner = c->n_kept - 1;
    for (int i = 0; i < p->n_instrs; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        differs[i] = in->code == HEDDLE_CODE_LOAD    ? !(c->still[in->a] >> inner & 1)
                     : in->code == HEDDLE_CODE_INDEX ? c->axis[in->a] == inner
                                                     : 0;
        for (int k = 0; k < heddle__instr_arity(in); k++)
            differs[i] |= differs[k == 0 ? in->a : k == 1 ? in->b : in->c];
    }
}

static int may_share(const struct heddle_cuda_layout *l, int k)
{
    return l->used_before[k] && !l->stored[k] &&
           (l->class.walk[k] == HEDDLE_WALK_UNIT || l->class.walk[k] == HEDDLE_WALK_MOVED) &&
           l->stride[k][l->class.n_kept - 2] > 0;
}

/* How many rows after those of `first` operand k's begin; -1: it has others. */
static int64_t rows_after(const struct heddle_launch *launch, const struct heddle_cuda_layout *l,
                          int k, int first)
{
    const int inner = l->class.n_kept - 1;
    const int64_t row = l->stride[first][inner - 1],
                  apart = launch->access[k].offset - launch->access[first].offset;
    if (!may_share(l, k) || launch->buffer[k] != launch->buffer[first] ||
        launch->program->operand_dtype[k] != launch->program->operand_dtype[first] || apart < 0 ||
        apart % row != 0)
        return -1;
    for (int d = 0; d <= inner; d++)
        if (l->stride[k][d] != l->stride[first][d]) return -1;
    for (int s = 0; s < l->class.stretches; s++)
        if (launch->stretches->apart[s][k] != launch->stretches->apart[s][first]) return -1;
    return apart / row;
}

/* The operands that have the rows of `first` and up to MOST later ones, those of no other one yet, if that is worth it. */
static int share(const struct heddle_launch *launch, struct heddle_cuda_layout *l, int first)
{
    enum { MOST = 4, LEAST = 2 };
    struct heddle_cuda_class *c = &l->class;
    int n = 0, reach = 0;
    for (int k = 0; k < launch->program->n_operands; k++) {
        const int64_t after = rows_after(launch, l, k, first);
        if (c->shift[k].first != k || c->shift[k].reach > 0 || after < 0 || after > MOST) continue;
        n++;
        if (after > reach) reach = (int)after;
    }
    if (n < LEAST || c->unroll + reach >= n * c->unroll) return 0;
    for (int k = 0; k < launch->program->n_operands; k++) {
        const int64_t after = rows_after(launch, l, k, first);
        if (c->shift[k].first != k || c->shift[k].reach > 0 || after < 0 || after > MOST) continue;
        c->shift[k] = (struct heddle_cuda_shift){.first = (uint8_t)first, .down = (uint8_t)after};
    }
    c->shift[first].reach = (uint8_t)reach;
    return 1;
}

/* Whether no operand has earlier rows that `first` could share. */
static int is_highest(const struct heddle_launch *launch, const struct heddle_cuda_layout *l,
                      int first)
{
    for (int k = 0; k < launch->program->n_operands; k++)
        if (may_share(l, k) && l->class.shift[k].first == k && l->class.shift[k].reach == 0 &&
            rows_after(launch, l, first, k) > 0)
            return 0;
    return 1;
}

void heddle__cuda_share_rows(const struct heddle_launch *launch, struct heddle_cuda_layout *l)
{
    struct heddle_cuda_class *c = &l->class;
    const int n = launch->program->n_operands;
    int shared = 0;
    for (int k = 0; k < n; k++) c->shift[k].first = (uint8_t)k;
    if (c->form != HEDDLE_FORM_ROWS || c->unroll < 2 || c->table) return;
    for (int k = 0; k < n; k++)
        if (may_share(l, k) && c->shift[k].first == k && c->shift[k].reach == 0 &&
            is_highest(launch, l, k))
            shared |= share(launch, l, k);
    c->planes = (uint8_t)(shared && c->n_kept > 2);
}

int64_t heddle__cuda_number_rows(const struct heddle_cuda_layout *l, int64_t slots[])
{
    const struct heddle_cuda_class *c = &l->class;
    const int plane = c->n_kept - 2;
    const int64_t n = l->kept / l->extent[c->n_kept - 1];
    if (!c->planes) return n;
    const int64_t rows = l->extent[plane], numbers = (rows + c->unroll - 1) / c->unroll * c->unroll;
    slots[HEDDLE_SLOT_GROUP] = rows;
    slots[HEDDLE_SLOT_EXTENT + plane] = numbers;
    slots[HEDDLE_SLOT_MAGIC + plane] = heddle__cuda_magic(numbers);
    return n / rows * numbers;
}

void heddle__cuda_pack_stretches(int64_t slots[], const struct heddle_launch *launch,
                                 const struct heddle_cuda_class *c)
{
    const struct heddle_program *p = launch->program;
    const struct heddle_stretches *const of = launch->stretches;
    const int ends = heddle__cuda_constant_slot(p, c, p->n_constants);
    for (int i = 0; i < c->stretches; i++) {
        slots[ends + i] = of->end[i];
        for (int k = 0; k < p->n_operands; k++)
            if (c->walk[k] == HEDDLE_WALK_MOVED)
                slots[heddle__cuda_moved_slot(p, c, k) + i] =
                    of->apart[i][k] - (i + 1 < c->stretches ? of->apart[i + 1][k] : 0);
    }
}
