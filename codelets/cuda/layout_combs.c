/* Operands of maps that lie between each other's elements, a few apart: pieces that hold elements of several are loaded, or stored, once for
 * all. Entry points: layout.h, heddle__cuda_choose_combs. */
#include "cuda/layout.h"

#include <string.h>

static int may_comb(const struct heddle_cuda_layout *l, int k)
{
    const int64_t step = l->stride[k][l->class.n_kept - 1];
    return l->class.walk[k] == HEDDLE_WALK_GENERAL && l->stored[k] != l->used_before[k] &&
           step >= 2 && step <= (l->stored[k] ? HEDDLE_CUDA_MAX_STORED_STEP : HEDDLE_CUDA_MAX_STEP);
}

/* Whether operand k lies in the pieces that begin with `first`. */
static int is_beside(const struct heddle_launch *launch, const struct heddle_cuda_layout *l, int k,
                     int first)
{
    const int inner = l->class.n_kept - 1;
    const int64_t skip = launch->access[k].offset - launch->access[first].offset;
    if (l->used_before[k] != l->used_before[first] || launch->buffer[k] != launch->buffer[first] ||
        skip < 0 || skip >= l->stride[first][inner] ||
        launch->program->operand_dtype[k] != launch->program->operand_dtype[first])
        return 0;
    for (int d = 0; d <= inner; d++)
        if (l->stride[k][d] != l->stride[first][d]) return 0;
    return 1;
}

void heddle__cuda_drop_combs(struct heddle_cuda_class *c)
{
    memset(c->comb, 0, sizeof c->comb);
    for (int k = 0; k < HEDDLE_MAX_OPERANDS; k++)
        if (c->walk[k] == HEDDLE_WALK_COMB) c->walk[k] = HEDDLE_WALK_GENERAL;
}

/* Whether pieces that begin with `first` are faster than single elements, of which neighbours have neighbouring ones: if these are
 * many, as of small elements, or half of a piece is taken. Nothing else may be stored: a piece needs an operand for each element. */
static int comb_pays(const struct heddle_program *p, const struct heddle_cuda_layout *l, int first)
{
    const struct heddle_cuda_class *c = &l->class;
    uint64_t taken = 0;
    int n_taken = 0;
    for (int k = 0; k < p->n_operands; k++) {
        if (c->walk[k] != HEDDLE_WALK_COMB || c->comb[k].first != first) continue;
        n_taken += !(taken >> c->comb[k].skip & 1);
        taken |= UINT64_C(1) << c->comb[k].skip;
    }
    if (l->stored[first]) return n_taken == c->comb[first].step;
    return heddle_dtype_size((enum heddle_dtype)p->operand_dtype[first]) <= 2 ||
           2 * n_taken >= c->comb[first].step;
}

/* The least offsets first, as pieces begin with them. */
int heddle__cuda_choose_combs(const struct heddle_launch *launch, struct heddle_cuda_layout *l)
{
    const int n = launch->program->n_operands;
    struct heddle_cuda_class *c = &l->class;
    int next = 0, pays = 1;
    for (int k = 0; k < n; k++)
        if (c->walk[k] == HEDDLE_WALK_GENERAL && !may_comb(l, k)) return 0;
    while (next >= 0) {
        int first = 0;
        next = -1;
        for (int k = 0; k < n; k++)
            if (may_comb(l, k) &&
                (next < 0 || launch->access[k].offset < launch->access[next].offset))
                next = k;
        if (next < 0) break;
        while (first < n && !(c->walk[first] == HEDDLE_WALK_COMB && c->comb[first].first == first &&
                              is_beside(launch, l, next, first)))
            first++;
        if (first == n) first = next;
        const int64_t skip = launch->access[next].offset - launch->access[first].offset;
        c->walk[next] = HEDDLE_WALK_COMB;
        c->comb[next].step = (uint8_t)l->stride[next][c->n_kept - 1];
        c->comb[next].first = (uint8_t)first;
        c->comb[next].skip = c->comb[first].reach = (uint8_t)skip;
    }
    for (int k = 0; k < n; k++)
        if (c->walk[k] == HEDDLE_WALK_COMB) pays &= comb_pays(launch->program, l, c->comb[k].first);
    if (!pays) heddle__cuda_drop_combs(c);
    return pays;
}

int64_t heddle__cuda_bytes_of_combs(const struct heddle_program *p,
                                    const struct heddle_cuda_layout *l, int64_t *stored)
{
    const struct heddle_cuda_class *c = &l->class;
    int64_t all = 0;
    for (int k = 0; k < p->n_operands; k++) {
        if (c->walk[k] != HEDDLE_WALK_COMB || c->comb[k].first != k) continue;
        const int64_t bytes =
            c->comb[k].step * (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
        all += bytes;
        *stored += l->stored[k] ? bytes : 0;
    }
    return all;
}
