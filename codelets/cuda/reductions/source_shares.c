/* Generated source of reductions of few long chunks, of each of which several blocks have some lanes of the tree (reduce_tree.h): a warp
 * of a block has some rows of its lanes' elements, and when these are in shared memory one warp adds them in their order. What the lanes
 * come to goes through memory to the block that is done last. Entry point: heddle__shares. */
#include "cuda/reductions/source_reduce.h"

#include "reduce_tree.h"

#include <stdio.h>

enum { WIDTH = HEDDLE_TREE_LANES / HEDDLE_TREE_SHARES, WAYS = 256 / WIDTH };

/* x<r>, of warp r % WAYS: a lane's elements so far and those of the rows in shared memory. */
static void put_rows_taken(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    char x[16], y[48];
    for (int r = 0; r < s->p->n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        snprintf(x, sizeof x, "x%d", r);
        snprintf(y, sizeof y, "shared%d[j * %d + column]", r, WIDTH);
        heddle__text_put(t, "if (way == %d) {\nint j = 0;\n", r % WAYS);
        if (!neutral)
            heddle__text_put(t, "if (b == 0 && rows > 0) x%d = shared%d[column], j = 1;\n", r, r);
        heddle__text_put(t, "#pragma unroll 8\nfor (; j < rows; j++) ");
        heddle__source_combine(s, r, x, y);
        heddle__text_put(t, "}\n");
    }
}

void heddle__shares(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const int slots = pass->unroll, rows = slots * WAYS, n_reductions = s->p->n_reductions;
    char type[32], number[64], full[48];
    heddle__text_put(t,
                     "const int lane = threadIdx.x, column = lane %% %d, way = lane / %d;\n"
                     "const I first = share * %d + (I)column;\n",
                     WIDTH, WIDTH, WIDTH);
    for (int r = 0, before = 0; r < n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__source_accumulator(s, r, type);
        heddle__text_put(t, "%s *const lanes%d = (%s *)(args.v[%d] + args.v[%d] * %d);\n%s x%d",
                         type, r, type, HEDDLE_SLOT_LANES, HEDDLE_SLOT_UNITS,
                         before * HEDDLE_TREE_LANES, type, r);
        heddle__text_put(t, neutral ? " = %s;\n" : ";\n", neutral);
        before += (int)heddle__partial_size(&s->p->reductions[r]);
    }
    heddle__text_put(t, "for (I b = 0; b < n; b += %d) {\n", rows * HEDDLE_TREE_LANES);
    snprintf(number, sizeof number, "b + (I)(t * %d + way) * %d + first", WAYS, HEDDLE_TREE_LANES);
    snprintf(full, sizeof full, "b + %d <= n", rows * HEDDLE_TREE_LANES);
    heddle__source_elements(s, pass, slots, number, full, NULL);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "shared%d[t * 256 + lane] = e%d[t];\n", r, r);
    heddle__text_put(t,
                     "}\n__syncthreads();\n"
                     "const I after = b + first < n ? (n - b - first + %d) / %d : 0;\n"
                     "const int rows = after < %d ? (int)after : %d;\n",
                     HEDDLE_TREE_LANES - 1, HEDDLE_TREE_LANES, rows, rows);
    put_rows_taken(s);
    heddle__text_put(t, "__syncthreads();\n}\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "if (way == %d) lanes%d[(hd_int64)unit * %d + first] = x%d;\n",
                         r % WAYS, r, HEDDLE_TREE_LANES, r);
    heddle__text_put(t, "__syncthreads();\nif (hd_is_last(hd_share + unit, %d)) {\n", s->c->shares);
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t,
                         "%s w%d[4];\n#pragma unroll\nfor (int k = 0; k < 4; k++) "
                         "w%d[k] = lanes%d[(hd_int64)unit * %d + k * 256 + lane];\n",
                         heddle__source_accumulator(s, r, type), r, r, r, HEDDLE_TREE_LANES);
    heddle__source_join(s, &(struct heddle_source_team){.threads = 256, .lanes = 4});
    heddle__text_put(t, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}
