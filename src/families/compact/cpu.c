/* Elements by a mask on the CPU, in two passes: threads count chunks of the mask, then write what these select behind
 * what the chunks before select. */
#include "families/compact/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <string.h>

enum { CHUNK = HEDDLE_COMPACT_CHUNK, LANES = 32 };
#define EIGHT_TRUE UINT64_C(0x0101010101010101)

struct element16 {
    uint64_t word[2];
};

struct job {
    const struct heddle_compact *call;
    const uint8_t *mask;
    const char *in;
    char *out;
    int64_t *counts; /* of chunks; then where each begins in the result */
};

static int64_t end_of(const struct job *j, int64_t chunk)
{
    const int64_t end = (chunk + 1) * CHUNK;
    return end < j->call->size ? end : j->call->size;
}

/* Counts in bytes, side by side, before these could overflow. */
static int64_t count(const uint8_t *mask, int64_t n)
{
    int64_t sum = 0, i = 0;
    while (n - i >= LANES) {
        uint8_t lane[LANES] = {0};
        for (int round = 0; round < 255 && n - i >= LANES; round++, i += LANES)
            for (int k = 0; k < LANES; k++) lane[k] = (uint8_t)(lane[k] + (mask[i + k] != 0));
        for (int k = 0; k < LANES; k++) sum += lane[k];
    }
    for (; i < n; i++) sum += mask[i] != 0;
    return sum;
}

static void count_chunks(void *argument, int64_t from, int64_t to)
{
    struct job *j = argument;
    for (int64_t c = from; c < to; c++)
        j->counts[c] = count(j->mask + c * CHUNK, end_of(j, c) - c * CHUNK);
}

/* Elements i = from..to-1 of the mask, whose results are out[at..end-1]. Each is stored, and the next one over it if it
 * is not selected: a branch would be guessed wrongly half the time. Eight that are all false, or all true, are seen
 * at once. `value` is of i. */
#define COMPACT(name, type, value)                                                                 \
    static void name(const struct job *j, int64_t from, int64_t to, int64_t at, int64_t end)       \
    {                                                                                              \
        const uint8_t *mask = j->mask;                                                             \
        const type *in = (const type *)(const void *)j->in;                                        \
        type *out = (type *)(void *)j->out;                                                        \
        (void)in;                                                                                  \
        for (int64_t i = from; i < to && at < end;) {                                              \
            uint64_t eight = 0;                                                                    \
            if (to - i >= 8) {                                                                     \
                memcpy(&eight, mask + i, 8);                                                       \
                if (eight == 0) {                                                                  \
                    i += 8;                                                                        \
                    continue;                                                                      \
                }                                                                                  \
            }                                                                                      \
            if (eight == EIGHT_TRUE && end - at >= 8) {                                            \
                for (int k = 0; k < 8; k++, i++) out[at + k] = value;                              \
                at += 8;                                                                           \
            } else if (to - i >= 8 && end - at >= 8) {                                             \
                for (int k = 0; k < 8; k++, i++) {                                                 \
                    out[at] = value;                                                               \
                    at += mask[i] != 0;                                                            \
                }                                                                                  \
            } else {                                                                               \
                out[at] = value;                                                                   \
                at += mask[i++] != 0;                                                              \
            }                                                                                      \
        }                                                                                          \
    }
COMPACT(compact_1, uint8_t, in[i])
COMPACT(compact_2, uint16_t, in[i])
COMPACT(compact_4, uint32_t, in[i])
COMPACT(compact_8, uint64_t, in[i])
COMPACT(compact_16, struct element16, in[i])
COMPACT(positions, int64_t, j->call->first + i)

static void compact_rows(const struct job *j, int64_t from, int64_t to, int64_t at, int64_t end)
{
    const size_t bytes = (size_t)j->call->row * j->call->element_bytes;
    for (int64_t i = from; i < to && at < end; i++)
        if (j->mask[i]) memcpy(j->out + (size_t)at++ * bytes, j->in + (size_t)i * bytes, bytes);
}

static void write_chunk(const struct job *j, int64_t from, int64_t to, int64_t at, int64_t end)
{
    if (j->call->positions) {
        positions(j, from, to, at, end);
    } else if (j->call->row > 1) {
        compact_rows(j, from, to, at, end);
    } else {
        switch (j->call->element_bytes) {
        case 1: compact_1(j, from, to, at, end); break;
        case 2: compact_2(j, from, to, at, end); break;
        case 4: compact_4(j, from, to, at, end); break;
        case 8: compact_8(j, from, to, at, end); break;
        default: compact_16(j, from, to, at, end); break;
        }
    }
}

static void write_chunks(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    for (int64_t c = from; c < to; c++) {
        const int64_t end = j->counts[c + 1] < j->call->n ? j->counts[c + 1] : j->call->n;
        if (j->counts[c] < end) write_chunk(j, c * CHUNK, end_of(j, c), j->counts[c], end);
    }
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_compact *c = arguments;
    const int n_threads = heddle__team_size(k->team);
    const int64_t n_chunks = (c->size + CHUNK - 1) / CHUNK;
    struct job j = {.call = c,
                    .mask = k->buffers[c->mask],
                    .in = c->positions ? NULL : k->buffers[c->in],
                    .out = k->buffers[c->out],
                    .counts = k->scratch};
    heddle__share(k->team, n_threads, n_chunks, count_chunks, &j);
    int64_t before = 0;
    for (int64_t i = 0; i <= n_chunks; i++) {
        const int64_t here = i < n_chunks ? j.counts[i] : 0;
        j.counts[i] = before;
        before += here;
    }
    heddle__share(k->team, n_threads, n_chunks, write_chunks, &j);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__compact_cpu = {.run = run};
