/* Products of matrices by kernels that read panels: pieces of the operands in the order in which the kernels take them. BLAS, which
 * works on one thread's tile, would make the same panels again for each tile; here the team makes each once. Entry points:
 * cpu_packed.h. */
#include "families/matmul/cpu_packed.h"

#include "base/share.h"
#include "families/matmul/cpu_pack.h"

#include <sched.h>
#include <string.h>

enum {
    TERMS = 512,   /* of a sum at a time, at most: what a thread reads again stays in its cache */
    NEAR = 16,     /* terms of which all panels are packed, where rows are what lies close */
    STRIPS = 8,    /* of A brought into order at once */
    GROUP = 64,    /* rows whose sums are taken through all terms before the next ones' */
    ITEMS = 4,     /* of a thread, at least */
    BLOCKS = 1024, /* of panels that are made as needed, at most */
};

struct packed {
    const struct heddle_matmul *mm;
    const struct heddle__block_packed *blocks;
    const char *a, *b;
    char *c, *a_panels, *b_panels; /* a_panels: NULL if A is read where it is */
    enum heddle__packed_type type;
    int vectors;                /* of a panel's row */
    int64_t size;               /* bytes of an element */
    int64_t n_pieces, terms;    /* of the sums; terms of each but the last */
    int64_t n_strips, n_panels; /* of A's rows, of B's columns */
    int64_t columns;            /* of a panel */
    int64_t a_width, b_width;   /* what is packed for a term, in elements */
    int64_t n_blocks, panels;   /* of B's columns; panels of each but the last */
    int64_t n_groups, group;    /* of A's rows; rows of each but the last */
    int64_t first_column;       /* in the whole product */
    bool upper;         /* the result is symmetric: panels below its diagonal are left out */
    atomic_uchar *made; /* whether a block's panels are, by enum made; NULL: all */
    struct heddle_epilogue *epilogue;
};

/* ---- Panels ------------------------------------------------------------------------------------------- */

/* Where a piece's first term is, and how many it has. */
static int64_t terms_of(const struct packed *p, int64_t piece, int64_t *first)
{
    *first = piece * p->terms;
    return heddle__at_most(p->mm->k - *first, p->terms);
}

static char *b_panel(const struct packed *p, int64_t piece, int64_t panel)
{
    int64_t first;
    const int64_t k = terms_of(p, piece, &first);
    return p->b_panels + (first * p->b_width + panel * p->columns * k) * p->size;
}

static char *a_strip(const struct packed *p, int64_t piece, int64_t strip)
{
    int64_t first;
    const int64_t k = terms_of(p, piece, &first);
    return p->a_panels + (first * p->a_width + strip * p->blocks->rows * k) * p->size;
}

/* Some terms of a panel. */
static void pack_b(const struct packed *p, int64_t term, int64_t k, int64_t panel, char *out)
{
    const struct heddle_matmul *mm = p->mm;
    const int64_t at = panel * p->columns;
    heddle__pack(p->type, p->size, p->b + (term * mm->b_row + at * mm->b_column) * p->size, k,
                 mm->b_row, mm->b_column, heddle__at_most(mm->n - at, p->columns),
                 heddle__at_most(p->b_width - at, p->columns), out);
}

/* Panels first..end-1 of a piece. Where rows of B are what lies close, few of them for all panels at a time: memory is read in longer
 * runs than a panel is wide. */
static void pack_panels(const struct packed *p, int64_t piece, int64_t first, int64_t end,
                        char *out)
{
    int64_t from;
    const int64_t k = terms_of(p, piece, &from), near = p->mm->b_column == 1 ? NEAR : k;
    for (int64_t l = 0; l < k; l += near)
        for (int64_t i = first; i < end; i++) {
            const int64_t width = heddle__at_most(p->b_width - i * p->columns, p->columns);
            pack_b(p, from + l, heddle__at_most(k - l, near), i,
                   out + ((i - first) * p->columns * k + l * width) * p->size);
        }
}

static void some_panels(void *argument, int64_t from, int64_t to)
{
    const struct packed *p = argument;
    for (int64_t i = from; i < to; i++) {
        const int64_t piece = i / p->n_panels, panel = i % p->n_panels;
        pack_panels(p, piece, panel, panel + 1, b_panel(p, piece, panel));
    }
}

/* Of A, whose columns are what lies close: a few terms of some strips at once, so that what is near is read together. */
static int64_t n_squares(const struct packed *p)
{
    return p->n_pieces * heddle__parts(p->terms, HEDDLE_PACK_TURNED) *
           heddle__parts(p->n_strips, STRIPS);
}

static void some_squares(void *argument, int64_t from, int64_t to)
{
    const struct packed *p = argument;
    const struct heddle_matmul *mm = p->mm;
    const int64_t down = heddle__parts(p->terms, HEDDLE_PACK_TURNED), rows = p->blocks->rows;
    for (int64_t i = from; i < to; i++) {
        const int64_t piece = i % (p->n_pieces * down) / down, term = i % down * HEDDLE_PACK_TURNED;
        const int64_t strip = i / (p->n_pieces * down) * STRIPS;
        int64_t first;
        const int64_t k = heddle__at_most(terms_of(p, piece, &first) - term, HEDDLE_PACK_TURNED);
        for (int64_t s = strip; s < heddle__at_most(strip + STRIPS, p->n_strips) && k > 0; s++)
            heddle__pack(p->type, p->size,
                         p->a + ((first + term) * mm->a_column + s * rows * mm->a_row) * p->size, k,
                         mm->a_column, mm->a_row, heddle__at_most(mm->m - s * rows, rows), rows,
                         a_strip(p, piece, s) + term * rows * p->size);
    }
}

/* By the first thread that needs them: what it writes and then reads stays in its cache, and nobody waits for all panels. A thread
 * waits only for one that is at work, which waits for none. */
enum made { NOT_MADE, BEGUN, MADE };
static void make_panels(const struct packed *p, int64_t block)
{
    unsigned char state = atomic_load_explicit(&p->made[block], memory_order_acquire);
    if (state == NOT_MADE && atomic_compare_exchange_strong(&p->made[block], &state, BEGUN)) {
        const int64_t first = block * p->panels,
                      end = heddle__at_most(first + p->panels, p->n_panels);
        for (int64_t piece = 0; piece < p->n_pieces; piece++)
            pack_panels(p, piece, first, end, b_panel(p, piece, first));
        atomic_store_explicit(&p->made[block], MADE, memory_order_release);
        return;
    }
    for (; state != MADE; state = atomic_load_explicit(&p->made[block], memory_order_acquire))
        sched_yield();
}

/* ---- Tiles -------------------------------------------------------------------------------------------- */

static int64_t block_column(const struct packed *p, int64_t block)
{
    return block * p->panels * p->columns;
}

static int64_t block_width(const struct packed *p, int64_t block)
{
    return heddle__at_most(p->mm->n - block_column(p, block), p->panels * p->columns);
}

/* Panels of a block that are below the diagonal, where a strip of rows begins at `row`. */
static int64_t panels_below(const struct packed *p, int64_t block, int64_t row)
{
    const int64_t right = row - p->first_column - block_column(p, block);
    return p->upper && right > 0 ? right / p->columns : 0;
}

/* A piece of the sums of some rows and a block's columns, from the block's panels at b. */
static void multiply(const struct packed *p, int64_t piece, int64_t block, const char *b,
                     int64_t row, int64_t height)
{
    const struct heddle_matmul *mm = p->mm;
    const int64_t rows = p->blocks->rows;
    int64_t first;
    struct heddle__packed t = {.vectors = p->vectors,
                               .k = terms_of(p, piece, &first),
                               .a_row = p->a_panels ? 1 : mm->a_row,
                               .a_column = p->a_panels ? rows : mm->a_column,
                               .c_row = mm->c_row,
                               .accumulate = mm->accumulate || piece > 0};
    for (int64_t r = row; r < row + height; r += rows) {
        const int64_t below = panels_below(p, block, r) * p->columns;
        if (below >= block_width(p, block)) return;
        t.n = block_width(p, block) - below;
        t.b = b + below * t.k * p->size;
        t.rows = (int)heddle__at_most(row + height - r, rows);
        t.a = p->a_panels ? a_strip(p, piece, r / rows)
                          : p->a + (r * mm->a_row + first * mm->a_column) * p->size;
        t.c = p->c + (r * mm->c_row + block_column(p, block) + below) * p->size;
        p->blocks->multiply[p->type](&t);
    }
}

static void epilogue(const struct packed *p, int64_t block, int64_t row, int64_t height)
{
    if (!p->epilogue) return;
    heddle__epilogue_tile(p->epilogue,
                          (int64_t[]){0, row, p->first_column + block_column(p, block)},
                          (int64_t[]){1, height, block_width(p, block)});
}

/* Groups of rows by blocks of columns. */
static void some_tiles(void *argument, int64_t from, int64_t to)
{
    const struct packed *p = argument;
    for (int64_t i = from; i < to; i++) {
        const int64_t block = i / p->n_groups, row = i % p->n_groups * p->group;
        const int64_t height = heddle__at_most(p->mm->m - row, p->group);
        if (panels_below(p, block, row) * p->columns >= block_width(p, block)) continue;
        if (p->made) make_panels(p, block);
        for (int64_t piece = 0; piece < p->n_pieces; piece++)
            multiply(p, piece, block, b_panel(p, piece, block * p->panels), row, height);
        epilogue(p, block, row, height);
    }
}

/* All rows by blocks of columns, from panels that nobody else reads. */
struct alone {
    const struct packed *packed;
    struct heddle__shares shares;
};

static void some_blocks(void *argument, int thread)
{
    struct alone *alone = argument;
    const struct packed *p = alone->packed;
    char *const panels = p->b_panels + thread * p->panels * p->columns * p->terms * p->size;
    struct heddle__taker taker = heddle__taker(&alone->shares, thread);
    int64_t block, end;
    while (heddle__take(&taker, &block, &end))
        for (; block < end; block++) {
            const int64_t first = block * p->panels;
            for (int64_t piece = 0; piece < p->n_pieces; piece++) {
                pack_panels(p, piece, first, heddle__at_most(first + p->panels, p->n_panels),
                            panels);
                multiply(p, piece, block, panels, 0, p->mm->m);
            }
            epilogue(p, block, 0, p->mm->m);
        }
}

/* ---- Cuts --------------------------------------------------------------------------------------------- */

enum way {
    ALONE,     /* each thread makes the panels of its blocks for itself */
    AS_NEEDED, /* who needs a panel first makes it; its neighbours may take some of the rows */
    FIRST,     /* the team makes all panels, then shares the tiles */
};

/* So narrow that the panels stay in a thread's cache, and if blocks are what threads share, as many for each thread. */
static void cut_columns(struct packed *p, enum way way, int n_threads)
{
    static const double slower[HEDDLE_PANEL] = {1.2, 1.04, 1}; /* by vectors of a panel */
    const struct heddle_matmul *mm = p->mm;
    const int64_t lanes = p->blocks->lanes[p->type], vectors = heddle__parts(mm->n, lanes);
    p->b_width = vectors * lanes;
    p->vectors = HEDDLE_PANEL;
    int64_t across = n_threads > 1 ? 2 * n_threads : 1;
    if (way == FIRST) { /* about square, so that a thread reads few panels */
        across = 1;
        while (across * across * mm->m < n_threads * mm->n) across++;
    } else if (vectors <= 3 * HEDDLE_PANEL * n_threads) {
        double least = 0;
        for (int v = HEDDLE_PANEL; v > 0; v--) {
            const double time =
                (double)(heddle__parts(heddle__parts(vectors, v), n_threads) * v) * slower[v - 1];
            if (least > 0 && time >= least) continue;
            least = time;
            p->vectors = v;
        }
    }
    p->columns = p->vectors * lanes;
    p->n_panels = heddle__parts(vectors, p->vectors);
    int64_t panels = p->n_panels / across;
    panels = heddle__at_most(panels, HEDDLE_PACKED_CACHE / (p->terms * p->columns * p->size));
    const int64_t least_panels = way == AS_NEEDED ? heddle__parts(p->n_panels, BLOCKS) : 1;
    if (panels < least_panels) panels = least_panels;
    p->n_blocks = heddle__parts(p->n_panels, panels);
    p->panels = heddle__parts(p->n_panels, p->n_blocks);
}

static void cut_rows(struct packed *p, int n_threads)
{
    const int64_t m = p->mm->m, rows = p->blocks->rows;
    const int64_t wanted = heddle__parts(ITEMS * n_threads, p->n_blocks);
    p->group = rows;
    if (p->n_pieces > 1)
        while (p->group < GROUP && m / (p->group + rows) >= wanted) p->group += rows;
    if (p->epilogue)
        while (p->group < m && p->group * block_width(p, 0) < HEDDLE_EPILOGUE_TILE)
            p->group += rows;
    p->n_groups = heddle__parts(m, p->group);
}

static enum way choose_way(const struct heddle_matmul *mm, int64_t vectors, int n_threads)
{
    const bool is_few = vectors < n_threads;
    if (heddle__packs_alone(mm) && !(is_few && heddle__packs_together(mm))) return ALONE;
    return mm->m > 2 * mm->n || is_few ? FIRST : AS_NEEDED;
}

static void run(struct packed *p, enum way way, int n_threads, struct heddle_team *team)
{
    cut_columns(p, way, n_threads);
    if (p->a_panels && p->first_column == 0) /* later columns have them too */
        heddle__share(team, n_threads, n_squares(p), some_squares, p);
    if (way == ALONE) {
        struct alone alone = {.packed = p};
        const int n = (int)heddle__at_most(n_threads, p->n_blocks);
        heddle__shares_begin(&alone.shares, p->n_blocks, n);
        heddle__team_run(team, n, some_blocks, &alone);
        return;
    }
    cut_rows(p, n_threads);
    atomic_uchar made[BLOCKS];
    if (way == AS_NEEDED) {
        for (int64_t i = 0; i < p->n_blocks; i++) atomic_init(&made[i], NOT_MADE);
        p->made = made;
    } else {
        heddle__share(team, n_threads, p->n_pieces * p->n_panels, some_panels, p);
    }
    heddle__share(team, n_threads, p->n_blocks * p->n_groups, some_tiles, p);
}

/* ---- Products of a matrix and its own transpose ------------------------------------------------------- */

static bool is_of_own_transpose(const struct heddle_matmul *mm, const char *a, const char *b)
{
    return a == b && mm->m == mm->n && mm->a_row == mm->b_column && mm->a_column == mm->b_row &&
           !mm->accumulate;
}

struct mirror {
    char *c;
    int64_t n, row, size;
};

enum { MIRROR_TILE = 32 };

/* What is below the diagonal, in rows of tiles, of what is above it: the same sums in the same order. */
static void some_mirrored(void *argument, int64_t from, int64_t to)
{
    const struct mirror *m = argument;
    for (int64_t first = from * MIRROR_TILE; first < heddle__at_most(to * MIRROR_TILE, m->n);
         first += MIRROR_TILE)
        for (int64_t column = 0; column <= first; column += MIRROR_TILE)
            for (int64_t i = first; i < heddle__at_most(first + MIRROR_TILE, m->n); i++)
                for (int64_t j = column; j < heddle__at_most(column + MIRROR_TILE, i); j++)
                    if (m->size == 8)
                        ((double *)m->c)[i * m->row + j] = ((double *)m->c)[j * m->row + i];
                    else
                        ((float *)m->c)[i * m->row + j] = ((float *)m->c)[j * m->row + i];
}

bool heddle__packed_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                            void *scratch, int n_threads, struct heddle_team *team,
                            struct heddle_epilogue *epilogue)
{
    const struct heddle__block_packed *blocks = &heddle__cpu_blocks()->packed;
    const enum heddle__packed_type type =
        mm->dtype == HEDDLE_FLOAT64 ? HEDDLE_PACKED_FLOAT64 : HEDDLE_PACKED_FLOAT32;
    const int64_t columns = heddle__packed_columns(mm), rows = blocks->rows;
    if (columns == 0 || !blocks->multiply[type]) return false;
    /* its epilogue comes when all is there */
    const bool upper = is_of_own_transpose(mm, a, b);
    char *const panels = (char *)scratch + -(uintptr_t)scratch % HEDDLE_PACKED_VECTOR;
    for (int64_t j = 0; j < mm->n; j += columns) {
        struct heddle_matmul some = *mm;
        some.n = heddle__at_most(mm->n - j, columns);
        struct packed p = {.mm = &some,
                           .blocks = blocks,
                           .type = type,
                           .size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype),
                           .n_pieces = heddle__parts(mm->k, TERMS),
                           .n_strips = heddle__parts(mm->m, rows),
                           .first_column = j,
                           .upper = upper,
                           .epilogue = upper ? NULL : epilogue};
        p.a = a;
        p.b = b + j * mm->b_column * p.size;
        p.c = c + j * p.size;
        p.terms = heddle__parts(mm->k, p.n_pieces);
        if (heddle__packs_a(mm, rows)) {
            p.a_width = p.n_strips * rows;
            p.a_panels = panels;
        }
        p.b_panels = panels + p.a_width * mm->k * p.size;
        run(&p, choose_way(&some, heddle__parts(some.n, blocks->lanes[p.type]), n_threads),
            n_threads, team);
    }
    struct mirror mirror = {c, mm->n, mm->c_row,
                            (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype)};
    if (upper)
        heddle__share(team, n_threads, heddle__parts(mm->n, MIRROR_TILE), some_mirrored, &mirror);
    else if (epilogue)
        epilogue->done = true;
    return true;
}
