/* Generated source of reductions of few columns, left to right along rows (reduce_tree.h): the elements that the threads of a warp need
 * next are in as many lines of memory as there are chunks. So a block brings some rows of all its chunks, of a chunk all columns in
 * their order, to shared memory, by loads that lie together; then each thread has a column of a chunk. Entry point: heddle__staged. */
#include "cuda/reductions/source_reduce.h"

#include <stdio.h>

enum { PAD_BYTES = 16 }; /* between chunks, so that their rows are in other banks */

static bool is_staged(const struct heddle_source *s, const uint8_t loaded[], int k)
{
    return loaded[k] && s->c->walk[k] == HEDDLE_WALK_STAGED;
}

/* Shared memory, and where in it a thread's column begins. */
static void put_shared(const struct heddle_source *s, const uint8_t loaded[])
{
    struct heddle_text *t = s->text;
    heddle__text_put(t, "__shared__ int rows[G];\n");
    for (int k = 0; k < s->p->n_operands; k++) {
        const char *const type = heddle__source_type(s->p->operand_dtype[k]);
        if (!is_staged(s, loaded, k)) continue;
        heddle__text_put(t,
                         "constexpr int P%d = R * C + %d / (int)sizeof(%s);\n"
                         "__shared__ __align__(16) unsigned char room%d[G * P%d * sizeof(%s)];\n"
                         "%s *const stage%d = (%s *)room%d;\n"
                         "__shared__ hd_int64 from%d[G];\n"
                         "const int of_thread%d = chunk_here * P%d + column;\n",
                         k, PAD_BYTES, type, k, k, type, type, k, type, k, k, k, k);
    }
}

/* Rows b..b + R-1 of all chunks: each thread has loaded all its pieces before it stores the first. */
static void put_stage(const struct heddle_source *s, int k)
{
    const char *const type = heddle__source_type(s->p->operand_dtype[k]);
    heddle__text_put(s->text,
                     "{\nconstexpr int pieces = R * C / V, most = (G * pieces + 255) / 256;\n"
                     "%s z[most][V];\n"
                     "#pragma unroll\nfor (int u = 0; u < most; u++) {\n"
                     "const int x = lane + u * 256, of = x / pieces, at = (x - of * pieces) * V;\n"
                     "if (x >= G * pieces) continue;\n"
                     "const I room = (rows[of] - b) * C - at;\n"
                     "const %s *const p = p%d + from%d[of] + b * C + at;\n"
                     "if (room >= V) hd_load(z[u], p);\nelse hd_load_some(z[u], p, room);\n}\n"
                     "#pragma unroll\nfor (int u = 0; u < most; u++) {\n"
                     "const int x = lane + u * 256, of = x / pieces, at = (x - of * pieces) * V;\n"
                     "if (x < G * pieces) hd_store(stage%d + of * P%d + at, z[u]);\n}\n}\n",
                     type, type, k, k, k, k);
}

void heddle__staged(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const struct heddle_cuda_class *c = s->c;
    struct heddle_text *t = s->text;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    char full[48];
    heddle__source_loaded_before(s->p, loaded);
    heddle__text_put(t,
                     "constexpr int C = %d, R = %d, V = %d, G = 256 / C;\n"
                     "const int lane = threadIdx.x, chunk_here = lane / C, "
                     "column = lane - chunk_here * C;\n"
                     "const bool here = chunk_here < G && first + chunk_here < (I)args.v[%d];\n"
                     "const I row = here ? first + chunk_here : first;\n"
                     "const I chunk = hd_quotient(row, (I)args.v[%d], args.v[%d]);\n"
                     "const I kept = (row - chunk * (I)args.v[%d]) * C + column;\n",
                     c->columns, c->rows, c->vector, HEDDLE_SLOT_UNITS, HEDDLE_SLOT_COLUMNS,
                     HEDDLE_SLOT_MAGIC_COLUMNS, HEDDLE_SLOT_COLUMNS);
    if (pass->has_results)
        heddle__text_put(t, "const I start = 0, n = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNK);
    else
        heddle__source_span(s);
    heddle__source_chunk_start(s, pass);
    put_shared(s, loaded);
    heddle__text_put(t, "__syncthreads();\nif (column == 0 && chunk_here < G) {\n"
                        "rows[chunk_here] = here ? (int)n : 0;\n");
    for (int k = 0; k < s->p->n_operands; k++)
        if (is_staged(s, loaded, k))
            heddle__text_put(t, "from%d[chunk_here] = (hd_int64)s%d + (hd_int64)start * C;\n", k,
                             k);
    heddle__text_put(t, "}\n");
    heddle__source_nothing(s);
    heddle__text_put(t, "for (I b = 0; b < (I)args.v[%d]; b += R) {\n__syncthreads();\n",
                     HEDDLE_SLOT_CHUNK);
    for (int k = 0; k < s->p->n_operands; k++)
        if (is_staged(s, loaded, k)) put_stage(s, k);
    heddle__text_put(t, "__syncthreads();\nif (here)\nfor (int q = 0; q < R; q += %d) {\n",
                     c->unroll);
    snprintf(full, sizeof full, "b + q + %d <= n", c->unroll);
    heddle__source_elements(s, pass, c->unroll, "b + q + t", full, NULL);
    heddle__source_in_order(s, c->unroll, "b + q == 0");
    heddle__text_put(t, "}\n}\nif (here) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}
