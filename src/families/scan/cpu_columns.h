/* Scans along an axis that has inner ones (cpu_loops.h): strips of columns from top to bottom, or chunks. */

/* Sets p to the prefix of the next chunk of w columns; false: it has none. `state`: (LEVELS, w). */
static bool SCAN(columns_before)(int64_t chunk, int64_t w, const SCAN_T *state, SCAN_T *p)
{
    bool some = false;
    for (int l = 0; l < HEDDLE_SCAN_LEVELS && chunk >> 5 * l > 0; l++, state += w) {
        if (heddle__scan_before(chunk, l) == 0) continue;
        if (some)
            for (int64_t i = 0; i < w; i++) p[i] = SCAN_OP(state[i], p[i]);
        else
            memcpy(p, state, (size_t)w * sizeof *p);
        some = true;
    }
    return some;
}

/* Adds the totals of chunk number `chunk` to the state; changes them. */
static void SCAN(columns_take)(int64_t chunk, int64_t w, SCAN_T *state, SCAN_T *total)
{
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++, state += w) {
        const int before = heddle__scan_before(chunk, l);
        if (before > 0)
            for (int64_t i = 0; i < w; i++) state[i] = SCAN_OP(state[i], total[i]);
        else
            memcpy(state, total, (size_t)w * sizeof *state);
        if (before + 1 < HEDDLE_SCAN_RADIX) return;
        memcpy(total, state, (size_t)w * sizeof *state);
    }
}

/* Scans up to a chunk of rows of w columns; `total` gets their totals. */
static void SCAN(columns_chunk)(const SCAN_T *x, int64_t rows, int64_t w, int64_t stride,
                                const SCAN_T *before, SCAN_T *y, SCAN_T *total)
{
    for (int64_t r = 0; r < rows; r++, x += stride) {
        if (r > 0)
            for (int64_t i = 0; i < w; i++) total[i] = SCAN_OP(total[i], x[i]);
        else
            memcpy(total, x, (size_t)w * sizeof *x);
        if (!y) continue;
        if (before)
            for (int64_t i = 0; i < w; i++) y[i] = SCAN_OP(before[i], total[i]);
        else
            memcpy(y, total, (size_t)w * sizeof *y);
        y += stride;
    }
}

static inline int64_t SCAN(rows)(const struct heddle_scan *s, int64_t chunk)
{
    const int64_t left = s->n - chunk * HEDDLE_SCAN_COLUMN_CHUNK;
    return left < HEDDLE_SCAN_COLUMN_CHUNK ? left : HEDDLE_SCAN_COLUMN_CHUNK;
}

static void SCAN(set_identity)(SCAN_T *y, int64_t w)
{
    for (int64_t i = 0; i < w; i++) y[i] = SCAN_IDENTITY;
}

/* A strip of columns from top to bottom. */
static void SCAN(columns_strip)(const struct heddle_scan *s, const SCAN_T *x, SCAN_T *y, int64_t w,
                                const SCAN_T *in, SCAN_T *out)
{
    SCAN_T state[HEDDLE_SCAN_LEVELS * HEDDLE_SCAN_STRIP], before[HEDDLE_SCAN_STRIP],
        total[HEDDLE_SCAN_STRIP];
    for (int l = 0; in && l < HEDDLE_SCAN_LEVELS; l++)
        memcpy(state + l * w, in + l * s->inner, (size_t)w * sizeof *in);
    if (s->initial) {
        SCAN(set_identity)(y, w);
        y += s->inner;
    }
    const int64_t n_chunks = heddle__scan_chunks(s->n, true);
    for (int64_t c = 0; c < n_chunks; c++) {
        const int64_t number = s->first_chunk + c, at = c * HEDDLE_SCAN_COLUMN_CHUNK * s->inner;
        const bool some = SCAN(columns_before)(number, w, state, before);
        SCAN(columns_chunk)
        (x + at, SCAN(rows)(s, c), w, s->inner, some ? before : NULL, y + at, total);
        SCAN(columns_take)(number, w, state, total);
    }
    for (int l = 0; out && l < HEDDLE_SCAN_LEVELS; l++)
        memcpy(out + l * s->inner, state + l * w, (size_t)w * sizeof *out);
}

static inline int64_t SCAN(strips)(const struct heddle_scan *s)
{
    return (s->inner + HEDDLE_SCAN_STRIP - 1) / HEDDLE_SCAN_STRIP;
}

static void SCAN(some_strips)(void *argument, int64_t a, int64_t b)
{
    const struct SCAN(job) *j = argument;
    const struct heddle_scan *s = j->s;
    const int64_t strips = SCAN(strips)(s), height = (s->n + s->initial) * s->inner;
    for (int64_t i = a; i < b; i++) {
        const int64_t o = i / strips, from = i % strips * HEDDLE_SCAN_STRIP;
        const int64_t w = s->inner - from < HEDDLE_SCAN_STRIP ? s->inner - from : HEDDLE_SCAN_STRIP;
        const int64_t state = o * HEDDLE_SCAN_LEVELS * s->inner + from;
        SCAN(columns_strip)
        (s, j->x + o * s->n * s->inner + from, j->y + o * height + from, w,
         j->in ? j->in + state : NULL, j->out ? j->out + state : NULL);
    }
}

static void SCAN(columns_whole)(const struct heddle_scan *s, const SCAN_T *x, SCAN_T *y,
                                const SCAN_T *in, SCAN_T *out, struct heddle_team *team)
{
    struct SCAN(job) job = {.s = s, .x = x, .in = in, .y = y, .out = out};
    heddle__share(team, heddle__team_size(team), s->outer * SCAN(strips)(s), SCAN(some_strips),
                  &job);
}

static void SCAN(some_column_chunks)(void *argument, int64_t a, int64_t b)
{
    const struct SCAN(job) *j = argument;
    const struct heddle_scan *s = j->s;
    const int64_t n_chunks = heddle__scan_chunks(s->n, true);
    const int64_t height = (s->n + s->initial) * s->inner;
    SCAN_T total[HEDDLE_SCAN_STRIP];
    for (int64_t i = a; i < b; i++) {
        const int64_t o = i / n_chunks, c = i % n_chunks, number = s->first_chunk + c;
        const int64_t at = c * HEDDLE_SCAN_COLUMN_CHUNK * s->inner;
        const SCAN_T *before =
            j->in && number > 0 ? j->in + (o * s->n_chunks + number) * s->inner : NULL;
        const SCAN_T *from = j->x + o * s->n * s->inner + at;
        SCAN_T *to = j->y + o * height + s->initial * s->inner + at;
        if (s->phase == HEDDLE_SCAN_APPLY && s->initial && c == 0)
            SCAN(set_identity)(to - s->inner, s->inner);
        for (int64_t k = 0; k < s->inner; k += HEDDLE_SCAN_STRIP) {
            const int64_t w = s->inner - k < HEDDLE_SCAN_STRIP ? s->inner - k : HEDDLE_SCAN_STRIP;
            const bool totals = s->phase == HEDDLE_SCAN_TOTALS;
            SCAN(columns_chunk)
            (from + k, SCAN(rows)(s, c), w, s->inner, before ? before + k : NULL,
             totals ? NULL : to + k, total);
            if (totals) memcpy(j->y + i * s->inner + k, total, (size_t)w * sizeof *j->y);
        }
    }
}

/* TOTALS and APPLY: each chunk by itself. */
static void SCAN(columns_chunks)(const struct heddle_scan *s, const SCAN_T *x, SCAN_T *y,
                                 const SCAN_T *prefix, struct heddle_team *team)
{
    struct SCAN(job) job = {.s = s, .x = x, .in = prefix, .y = y};
    heddle__share(team, heddle__team_size(team), s->outer * heddle__scan_chunks(s->n, true),
                  SCAN(some_column_chunks), &job);
}

/* COMBINE: replaces the totals of all chunks by their prefixes. */
static void SCAN(columns_combine)(const struct heddle_scan *s, SCAN_T *y)
{
    SCAN_T state[HEDDLE_SCAN_LEVELS * HEDDLE_SCAN_STRIP], before[HEDDLE_SCAN_STRIP],
        total[HEDDLE_SCAN_STRIP];
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t k = 0; k < s->inner; k += HEDDLE_SCAN_STRIP) {
            const int64_t w = s->inner - k < HEDDLE_SCAN_STRIP ? s->inner - k : HEDDLE_SCAN_STRIP;
            for (int64_t c = 0; c < s->n_chunks; c++) {
                SCAN_T *at = y + (o * s->n_chunks + c) * s->inner + k;
                memcpy(total, at, (size_t)w * sizeof *at);
                if (SCAN(columns_before)(c, w, state, before))
                    memcpy(at, before, (size_t)w * sizeof *at);
                SCAN(columns_take)(c, w, state, total);
            }
        }
}
