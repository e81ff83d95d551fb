/* Scans along the innermost axis (cpu_loops.h): the tree of chunks, a chunk, and the phases. */

/* ---- The tree of chunks -------------------------------------------------------------------------- */

/* The state of a row's scan between two chunks: for each level the members of its group so far, as they
 * came, and scanned. */
struct SCAN(tree) {
    int64_t chunk; /* the next one */
    SCAN_T member[HEDDLE_SCAN_LEVELS][HEDDLE_SCAN_RADIX];
    SCAN_T scanned[HEDDLE_SCAN_LEVELS][HEDDLE_SCAN_RADIX];
};

static void SCAN(scan_members)(struct SCAN(tree) * tree, int level)
{
    memcpy(tree->scanned[level], tree->member[level], sizeof tree->scanned[level]);
    SCAN(lanes)(tree->scanned[level]);
}

/* `state`: as in kernel.h; NULL where an axis begins. */
static void SCAN(tree_open)(struct SCAN(tree) * tree, int64_t chunk, const SCAN_T *state)
{
    memset(tree, 0, sizeof *tree);
    tree->chunk = chunk;
    for (int l = 0; state && l < HEDDLE_SCAN_LEVELS; l++) {
        memcpy(tree->member[l], state + l * HEDDLE_SCAN_RADIX,
               (size_t)heddle__scan_before(chunk, l) * sizeof *state);
        SCAN(scan_members)(tree, l);
    }
}

/* Makes the prefixes of the next n chunks from their totals; leaves that of chunk 0 as it is. The two
 * arrays may be the same. */
static void SCAN(prefixes)(struct SCAN(tree) * tree, int64_t n, const SCAN_T *totals,
                           SCAN_T *prefix)
{
    while (n > 0) {
        const int first = heddle__scan_before(tree->chunk, 0), room = HEDDLE_SCAN_RADIX - first;
        const int here = n < room ? (int)n : room;
        memcpy(tree->member[0] + first, totals, (size_t)here * sizeof *totals);
        SCAN(scan_members)(tree, 0);
        for (int i = 0; i < here; i++) {
            bool some = first + i > 0;
            SCAN_T p = tree->scanned[0][some ? first + i - 1 : 0];
            for (int l = 1; l < HEDDLE_SCAN_LEVELS && tree->chunk >> 5 * l > 0; l++) {
                const int before = heddle__scan_before(tree->chunk, l);
                if (before == 0) continue;
                p = some ? SCAN_OP(tree->scanned[l][before - 1], p) : tree->scanned[l][before - 1];
                some = true;
            }
            if (some) prefix[i] = p;
        }
        n -= here;
        totals += here;
        prefix += here;
        tree->chunk += here;
        /* groups that are full are members of the next level */
        for (int l = 0; l + 1 < HEDDLE_SCAN_LEVELS && heddle__scan_before(tree->chunk, l) == 0;
             l++) {
            const int at = heddle__scan_before(tree->chunk - 1, l + 1);
            tree->member[l + 1][at] = tree->scanned[l][HEDDLE_SCAN_RADIX - 1];
            SCAN(scan_members)(tree, l + 1);
        }
    }
}

/* ---- Chunks of lanes ------------------------------------------------------------------------------ */

/* The total of a whole chunk. */
static SCAN_T SCAN(total)(const SCAN_T *x)
{
    SCAN_T item[HEDDLE_SCAN_ITEMS][HEDDLE_SCAN_LANES], lane[HEDDLE_SCAN_LANES];
    SCAN_T all = *x, warp = *x;
    for (int w = 0; w < HEDDLE_SCAN_WARPS; w++) {
        for (int r = 0; r < HEDDLE_SCAN_ROWS; r++, x += HEDDLE_SCAN_ROW) {
            SCAN(row)(x, HEDDLE_SCAN_ROW, item, lane);
            const SCAN_T row = lane[HEDDLE_SCAN_LANES - 1];
            warp = r > 0 ? SCAN_OP(warp, row) : row;
        }
        all = w > 0 ? SCAN_OP(all, warp) : warp;
    }
    return all;
}

static inline int64_t SCAN(elements)(const struct heddle_scan *s, int64_t chunk)
{
    const int64_t left = s->n - chunk * HEDDLE_SCAN_CHUNK;
    return left < HEDDLE_SCAN_CHUNK ? left : HEDDLE_SCAN_CHUNK;
}

/* ---- Lanes: phases ---------------------------------------------------------------------------------- */

/* One row, chunk after chunk, by one thread. */
static void SCAN(whole_row)(const struct heddle_scan *s, const SCAN_T *x, SCAN_T *y,
                            struct SCAN(tree) * tree)
{
    const int64_t n_chunks = heddle__scan_chunks(s->n, false);
    for (int64_t c = 0; c < n_chunks; c++) {
        SCAN_T prefix = *x, total = *x;
        const int64_t at = c * HEDDLE_SCAN_CHUNK;
        bool some = false;
        for (int l = 0; l < HEDDLE_SCAN_LEVELS && tree->chunk >> 5 * l > 0; l++) {
            const int before = heddle__scan_before(tree->chunk, l);
            if (before == 0) continue;
            const SCAN_T p = tree->scanned[l][before - 1];
            prefix = some ? SCAN_OP(p, prefix) : p;
            some = true;
        }
        total = SCAN(chunk)(x + at, SCAN(elements)(s, c), some ? &prefix : NULL, y + at);
        if (c + 1 < n_chunks || s->has_out) SCAN(prefixes)(tree, 1, &total, &prefix);
    }
}

static void SCAN(state_out)(const struct SCAN(tree) * tree, SCAN_T *state)
{
    memcpy(state, tree->member, sizeof tree->member);
}

/* Bands of chunks that stay in the threads' caches: totals, prefixes, scans. j->out: room for the totals
 * of a band, then its prefixes. */
static void SCAN(band_totals)(void *argument, int64_t a, int64_t b)
{
    const struct SCAN(job) *j = argument;
    for (int64_t i = a; i < b; i++)
        if (SCAN(elements)(j->s, j->first + i) == HEDDLE_SCAN_CHUNK)
            j->out[i] = SCAN(total)(j->x + (j->first + i) * HEDDLE_SCAN_CHUNK);
}

static void SCAN(band_scans)(void *argument, int64_t a, int64_t b)
{
    const struct SCAN(job) *j = argument;
    for (int64_t i = a; i < b; i++) {
        const int64_t at = (j->first + i) * HEDDLE_SCAN_CHUNK;
        const bool some = j->first_chunk + j->first + i > 0;
        SCAN(chunk)
        (j->x + at, SCAN(elements)(j->s, j->first + i), some ? &j->out[i] : NULL, j->y + at);
    }
}

static void SCAN(row_in_bands)(struct SCAN(job) * j, struct SCAN(tree) * tree,
                               struct heddle_team *team)
{
    const int n_threads = heddle__team_size(team);
    const int64_t n_chunks = heddle__scan_chunks(j->s->n, false);
    const int64_t band = heddle__scan_band(n_threads);
    j->first_chunk = tree->chunk;
    for (j->first = 0; j->first < n_chunks; j->first += band) {
        const int64_t n = n_chunks - j->first < band ? n_chunks - j->first : band;
        heddle__share(team, n_threads, n, SCAN(band_totals), j);
        SCAN(prefixes)(tree, n, j->out, j->out);
        heddle__share(team, n_threads, n, SCAN(band_scans), j);
    }
}

static void SCAN(some_rows)(void *argument, int64_t a, int64_t b)
{
    const struct SCAN(job) *j = argument;
    const struct heddle_scan *s = j->s;
    const int64_t state = HEDDLE_SCAN_LEVELS * HEDDLE_SCAN_RADIX, width = s->n + s->initial;
    struct SCAN(tree) tree;
    if (s->n <= HEDDLE_SCAN_CHUNK && !j->in) SCAN(tree_open)(&tree, 0, NULL);
    for (int64_t i = a; i < b; i++) {
        if (s->n > HEDDLE_SCAN_CHUNK || j->in || j->out)
            SCAN(tree_open)(&tree, s->first_chunk, j->in ? j->in + i * state : NULL);
        if (s->initial) j->y[i * width] = SCAN_IDENTITY;
        SCAN(whole_row)(s, j->x + i * s->n, j->y + i * width + s->initial, &tree);
        if (j->out) SCAN(state_out)(&tree, j->out + i * state);
    }
}

static void SCAN(lanes_whole)(const struct heddle_scan *s, const SCAN_T *x, SCAN_T *y,
                              const SCAN_T *in, SCAN_T *out, SCAN_T *scratch,
                              struct heddle_team *team)
{
    const int64_t state = HEDDLE_SCAN_LEVELS * HEDDLE_SCAN_RADIX, width = s->n + s->initial;
    const int n_threads = heddle__team_size(team);
    struct SCAN(job) job = {.s = s, .x = x, .in = in, .y = y, .out = out};
    if (n_threads == 1 || s->outer >= n_threads || s->n <= HEDDLE_SCAN_CHUNK) {
        heddle__share(team, n_threads, s->outer, SCAN(some_rows), &job);
        return;
    }
    for (int64_t i = 0; i < s->outer; i++) {
        struct SCAN(tree) tree;
        SCAN(tree_open)(&tree, s->first_chunk, in ? in + i * state : NULL);
        if (s->initial) y[i * width] = SCAN_IDENTITY;
        job.x = x + i * s->n;
        job.y = y + i * width + s->initial;
        job.out = scratch;
        SCAN(row_in_bands)(&job, &tree, team);
        if (out) SCAN(state_out)(&tree, out + i * state);
    }
}

static void SCAN(some_chunks)(void *argument, int64_t a, int64_t b)
{
    const struct SCAN(job) *j = argument;
    const struct heddle_scan *s = j->s;
    const int64_t n_chunks = heddle__scan_chunks(s->n, false), width = s->n + s->initial;
    for (int64_t i = a; i < b; i++) {
        const int64_t row = i / n_chunks, c = i % n_chunks, at = c * HEDDLE_SCAN_CHUNK;
        const int64_t here = SCAN(elements)(s, c), number = s->first_chunk + c;
        const SCAN_T *from = j->x + row * s->n + at;
        if (s->phase == HEDDLE_SCAN_TOTALS) {
            if (here == HEDDLE_SCAN_CHUNK) j->y[i] = SCAN(total)(from);
            continue;
        }
        if (s->initial && c == 0) j->y[row * width] = SCAN_IDENTITY;
        SCAN(chunk)
        (from, here, number > 0 ? &j->in[row * s->n_chunks + number] : NULL,
         j->y + row * width + s->initial + at);
    }
}

/* TOTALS and APPLY: each chunk by itself. */
static void SCAN(lanes_chunks)(const struct heddle_scan *s, const SCAN_T *x, SCAN_T *y,
                               const SCAN_T *prefix, struct heddle_team *team)
{
    struct SCAN(job) job = {.s = s, .x = x, .in = prefix, .y = y};
    heddle__share(team, heddle__team_size(team), s->outer * heddle__scan_chunks(s->n, false),
                  SCAN(some_chunks), &job);
}
