/* The loops of cpu.c for one dtype and operation. The includer defines SCAN_T, SCAN_OP(x, y),
 * SCAN_IDENTITY, and SCAN(name) for the names made here. The order is that of kernel.h. */
/* What the threads of a loop share. */
struct SCAN(job) {
    const struct heddle_scan *s;
    const SCAN_T *x, *in; /* in: the state, or prefixes */
    SCAN_T *y, *out;
    int64_t first_chunk, first; /* of a band: in the array, in the part */
};

#include "cpu/scan/chunk.h"

#include "cpu_lanes.h"

#include "cpu_columns.h"

static void SCAN(run)(const struct heddle_scan *s, void *const buffers[], void *scratch,
                      struct heddle_team *team)
{
    const SCAN_T *x = buffers[s->in];
    SCAN_T *y = buffers[s->out], *totals = scratch;
    const SCAN_T *in = s->has_in ? buffers[s->state_in] : NULL;
    SCAN_T *out = s->has_out ? buffers[s->state_out] : NULL;
    switch ((enum heddle_scan_phase)s->phase) {
    case HEDDLE_SCAN_WHOLE:
        if (!s->columns)
            SCAN(lanes_whole)(s, x, y, in, out, totals, team);
        else if (!heddle__scan_in_chunks(s, heddle__team_size(team)))
            SCAN(columns_whole)(s, x, y, in, out, team);
        else {
            struct heddle_scan phase = *s;
            phase.n_chunks = heddle__scan_chunks(s->n, true);
            phase.initial = 0;
            phase.phase = HEDDLE_SCAN_TOTALS;
            SCAN(columns_chunks)(&phase, x, totals, NULL, team);
            SCAN(columns_combine)(&phase, totals);
            phase.initial = s->initial;
            phase.phase = HEDDLE_SCAN_APPLY;
            SCAN(columns_chunks)(&phase, x, y, totals, team);
        }
        break;
    case HEDDLE_SCAN_COMBINE:
        if (s->columns)
            SCAN(columns_combine)(s, y);
        else
            for (int64_t i = 0; i < s->outer; i++) {
                struct SCAN(tree) tree;
                SCAN(tree_open)(&tree, 0, NULL);
                SCAN(prefixes)(&tree, s->n_chunks, y + i * s->n_chunks, y + i * s->n_chunks);
            }
        break;
    case HEDDLE_SCAN_TOTALS:
    case HEDDLE_SCAN_APPLY:
        (s->columns ? SCAN(columns_chunks) : SCAN(lanes_chunks))(s, x, y, in, team);
        break;
    }
}

#undef SCAN_T
#undef SCAN
#undef SCAN_OP
#undef SCAN_IDENTITY
