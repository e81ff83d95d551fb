/* How a GPU walks the rows of a chain. Entry point: heddle__rows_form. */
#include "rows.h"

#include "reduce_tree.h"
#include "scan_order.h"

/* The model. To keep up with its memory a multiprocessor needs some 40 KB under way, while other rows are computed on:
 * about 80 KB of rows in its 256 KB of registers. A thread needs about 160 bytes of them beside what it holds, so 64 to
 * 128 bytes of elements in each do; with more, too few warps are left to hide the latency of arithmetic. So a row has as few
 * threads as that allows: within a warp no thread waits at a barrier, and many short rows go on independently where
 * few long ones would wait together. Where there are too few rows to fill a GPU so, they have more threads. */
enum {
    GOOD_BYTES = 128, /* of elements, in a thread */
    MOST_BYTES = 256, /* where a row has all the threads that it can */
    SLOT_BYTES = 4,   /* a register each, even of small elements */
    LEFT_BYTES = 8,   /* of a slot, whose registers are free for what is computed of it */
    MOST_SLOTS = 64,
    MOST_THREADS = 256,
    MOST_TOGETHER = 4,
    THREAD_LOADS = 32,      /* bytes: with less a thread takes several rows */
    BUSY_THREADS = 1 << 17, /* fill a large GPU by half */
    LEAST_TEAM = 4,
    TEAM_SLOTS = 16, /* of a thread of a part of a warp */
    TEAM_BYTES = 40, /* that it reads */
    SECTOR_BYTES = 32,
    FEW_THREADS = 1 << 15,
    SLOTS_OF_FEW = 4, /* where rows are few: fewer are not worth a barrier */
    LONG_GROUP = 16,  /* slots of a long row that are loaded together */
    MOST_PARTS = 16,
    MOST_TURNS = 8,   /* of warps that a scan waits for */
    SCAN_BYTES = 208, /* in each of them: with more, registers of 1024 threads do not suffice */
    SHARED_BYTES = 48 << 10 /* that a kernel may name */
};

static int64_t held_bytes(const struct heddle_rows *rows)
{
    int64_t bytes = 0;
    for (int u = 0; u < rows->n_operands; u++)
        if (rows->operand[u].is_held)
            bytes += (int64_t)heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype);
    return bytes < SLOT_BYTES ? SLOT_BYTES : bytes;
}

/* Whether neighbouring elements of a row lie together and move between memory and a kernel. */
static bool lies_along(const struct heddle_rows_operand *o)
{
    return !o->is_row && !o->is_passed && o->step == 1 && o->period == 0;
}

/* Whether `beside` neighbours always begin where one wide access can. */
static bool is_aligned(const struct heddle_rows *rows, const struct heddle_rows_operand *o,
                       int64_t beside)
{
    if (o->offset % beside != 0) return false;
    for (int d = 0; d < rows->n_kept; d++)
        if (o->stride[d] % beside != 0) return false;
    return true;
}

/* Bytes of the smallest elements that lie along, and of all that are read for an element. */
static int64_t smallest_along(const struct heddle_rows *rows)
{
    int64_t smallest = SLOT_BYTES;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
        if (lies_along(o) && size < smallest) smallest = size;
    }
    return smallest;
}

static int64_t read_bytes(const struct heddle_rows *rows, int64_t *widest)
{
    int64_t bytes = 0;
    *widest = 1;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
        if (o->is_row || o->is_made) continue;
        bytes += size;
        if (size > *widest) *widest = size;
    }
    return bytes;
}

/* Neighbours of rows that are scanned: those of a lane of the order, up to one access. */
static int64_t beside_of_scans(const struct heddle_rows *rows)
{
    enum { ACCESS_BYTES = 16 };
    int64_t widest;
    (void)read_bytes(rows, &widest);
    return widest * HEDDLE_SCAN_ITEMS > ACCESS_BYTES ? ACCESS_BYTES / widest : HEDDLE_SCAN_ITEMS;
}

/* As many neighbours as a thread can have, up to `wanted`. */
static int64_t beside_of(const struct heddle_rows *rows, int64_t wanted)
{
    int64_t beside = HEDDLE_ROWS_BESIDE;
    while (beside > 1 && (beside > wanted || rows->length % beside != 0)) beside /= 2;
    for (int u = 0; u < rows->n_operands; u++)
        while (lies_along(&rows->operand[u]) && !is_aligned(rows, &rows->operand[u], beside))
            beside /= 2;
    return beside;
}

/* Elements of a thread, `beside` of which lie together. */
static int64_t slots_of(const struct heddle_rows *rows, int64_t threads, int64_t beside)
{
    return (rows->length + threads * beside - 1) / (threads * beside) * beside;
}

/* Warps of a block wait for each other four times in a scan, so that as many registers as there are serve it better. */
static bool wants_more_threads(const struct heddle_rows *rows, int64_t bytes, int64_t threads)
{
    const int64_t n = rows->length,
                  most = rows->has_scans && threads == 32 ? MOST_BYTES : GOOD_BYTES;
    if (threads == MOST_THREADS || n <= 2 * threads) return false;
    return (n + threads - 1) / threads * bytes > most ||
           (rows->n_rows * threads < BUSY_THREADS && n >= 2 * threads * SLOTS_OF_FEW);
}

/* Whether a kernel knows the indices that values depend on: in a row those along its only axis. */
static bool knows_indices(const struct heddle_rows *rows)
{
    int n_of_row = 0;
    bool of_row = false;
    for (int d = rows->box->n_kept; d < rows->box->ndim; d++) {
        n_of_row += rows->box->extent[d] > 1;
        of_row = of_row || rows->index_axes >> d & 1;
    }
    return !of_row || n_of_row <= 1;
}

int64_t heddle__rows_reread(const struct heddle_rows *rows)
{
    int64_t bytes = 0;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_reread)
            bytes += rows->length * (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
    }
    return bytes;
}

/* What a stage costs an element where it is made anew, in operations, with what it is made of. */
static double cost_anew(const struct heddle_rows *rows, int maker, const double cost[])
{
    enum { OF_DOUBLES = 4 }; /* functions of float64 take more operations, at half the rate */
    const struct heddle_program *p = rows->stage[maker]->program;
    double flops = heddle__program_flops(p);
    for (int k = 0; k < p->n_stores; k++)
        if (heddle_dtype_size((enum heddle_dtype)p->operand_dtype[p->stores[k].operand]) >= 8) {
            flops *= OF_DOUBLES;
            break;
        }
    for (int k = 0; k < p->n_operands; k++) flops += cost[rows->of[maker][k]];
    return flops;
}

/* How many stages read what stage `maker` makes; -1: others do, too, or it is no map over all axes. */
static int readers_in_chain(const struct heddle_rows *rows, int maker)
{
    const struct heddle_program *p = rows->stage[maker]->program;
    int n = 0;
    if (p->n_reductions > 0 || rows->is_row_map[maker]) return -1;
    for (int k = 0; k < p->n_stores; k++)
        if (!rows->operand[rows->of[maker][p->stores[k].operand]].is_passed) return -1;
    for (int stage = maker + 1; stage < rows->n_stages; stage++) {
        bool reads = false;
        for (int k = 0; k < rows->stage[stage]->program->n_operands; k++) {
            const struct heddle_rows_operand *o = &rows->operand[rows->of[stage][k]];
            reads = reads || (o->is_made && o->maker == maker);
        }
        n += reads;
    }
    return n;
}

/* What is made anew, as that is cheap, and what is read again, in a form in which nothing is held. */
static void find_remade(struct heddle_rows *rows)
{
    enum { MOST_COST = 64 };
    double cost[HEDDLE_MAX_OPERANDS] = {0}; /* of what is made anew */
    for (int u = 0; u < rows->n_operands; u++)
        rows->operand[u].is_reread = rows->operand[u].is_held;
    for (int i = 0; i < rows->n_stages; i++) {
        const int n_readers = readers_in_chain(rows, i);
        const double flops = cost_anew(rows, i, cost);
        if (n_readers < 0 || flops * n_readers > MOST_COST) continue;
        for (int k = 0; k < rows->stage[i]->program->n_operands; k++) {
            const int u = rows->of[i][k];
            struct heddle_rows_operand *o = &rows->operand[u];
            if (o->is_made && o->maker == i) {
                o->is_remade = true;
                cost[u] = flops;
            }
            o->is_reread = !o->is_remade && !o->is_row;
        }
    }
}

/* ---- Long rows ----------------------------------------------------------------------------------- */

/* The last stage that reads operand u. */
static int last_reader(const struct heddle_rows *rows, int u)
{
    int last = 0;
    for (int i = 0; i < rows->n_stages; i++)
        for (int k = 0; k < rows->stage[i]->program->n_operands; k++)
            if (rows->of[i][k] == u) last = i;
    return last;
}

/* A room in which nobody reads any more when operand u is made, of elements as large; or a new one. */
static int room_for(const struct heddle_rows *rows, int u, int n_rooms)
{
    const struct heddle_rows_operand *o = &rows->operand[u];
    for (int room = 1; room <= n_rooms; room++) {
        bool is_free = o->is_made;
        for (int k = 0; k < rows->n_operands && is_free; k++) {
            const struct heddle_rows_operand *other = &rows->operand[k];
            if (other->room != room) continue;
            is_free = last_reader(rows, k) <= o->maker &&
                      heddle_dtype_size((enum heddle_dtype)other->dtype) ==
                          heddle_dtype_size((enum heddle_dtype)o->dtype);
        }
        if (is_free) return room;
    }
    return n_rooms + 1;
}

static void find_rooms(struct heddle_rows *rows)
{
    int n = 0;
    for (int u = 0; u < rows->n_operands; u++) {
        if (!rows->operand[u].is_held) continue;
        const int room = room_for(rows, u, n);
        rows->operand[u].room = (uint8_t)room;
        if (room > n) n = room;
    }
}

/* A multiple of 16. */
static int64_t bytes_of_room(const struct heddle_rows *rows, int room)
{
    for (int u = 0; u < rows->n_operands; u++)
        if (rows->operand[u].room == room) {
            const int64_t size =
                (int64_t)heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype);
            return (rows->length * size + 15) / 16 * 16;
        }
    return 0;
}

int64_t heddle__rows_room_bytes(const struct heddle_rows *rows)
{
    int64_t bytes = 0, more;
    for (int room = 1; (more = bytes_of_room(rows, room)) > 0; room++) bytes += more;
    return bytes;
}

/* In shared memory: a row is read once. */
static bool fits_in_rooms(struct heddle_rows *rows, int64_t shared_bytes)
{
    find_rooms(rows);
    const int64_t bytes = heddle__rows_room_bytes(rows);
    if (bytes > 0 && bytes + heddle__rows_lane_bytes(rows) <= shared_bytes) return true;
    for (int u = 0; u < rows->n_operands; u++) rows->operand[u].room = 0;
    return false;
}

/* Without rooms, so few that what is under way stays in the second-level cache. Measured on an H100, which has 50 MB: rows of
 * 80 KB are a fifth slower by one block, rows of 128 KB and more a tenth faster. */
int64_t heddle__rows_long_blocks(const struct heddle_rows *rows, int64_t shared_bytes)
{
    enum { FEW_BYTES = 96 << 10, RESERVED = 1 << 10, MOST = 4 };
    const int64_t room = heddle__rows_room_bytes(rows);
    if (room == 0) return heddle__rows_reread(rows) <= FEW_BYTES ? 2 : 1;
    const int64_t n = (shared_bytes + RESERVED) / (room + heddle__rows_lane_bytes(rows) + RESERVED);
    return n < MOST ? n : MOST;
}

/* Threads of a long row and their neighbours, which together have the lanes of the tree where a row allows it. */
static int64_t long_threads(const struct heddle_rows *rows, int most_beside, int64_t shared_bytes,
                            int64_t *beside)
{
    enum { SMALL = 2, MANY_BLOCKS = 3 };
    const bool in_rooms = heddle__rows_room_bytes(rows) > 0;
    const bool few = in_rooms && smallest_along(rows) <= SMALL &&
                     heddle__rows_long_blocks(rows, shared_bytes) >= MANY_BLOCKS;
    const int64_t wanted = few ? 4 : 2;
    *beside = beside_of(rows, wanted < most_beside ? wanted : most_beside);
    if (*beside == 1 && !in_rooms) return HEDDLE_TREE_LANES;
    return *beside == 4 ? HEDDLE_TREE_LANES / 4 : HEDDLE_TREE_LANES / 2;
}

/* A row that registers have no room for is in shared memory, if that has; else each stage reads it anew. A block has it, so that few rows are
 * under way at once: without rooms, of 256 KB at most, only the first stage reads memory, and the others find the row in the second-level cache.
 * What a stage makes for others is stored then, if it is not cheap to make. */
static bool long_form(struct heddle_rows *rows, int most_beside, int64_t shared_bytes,
                      struct heddle_rows_form *form)
{
    enum { MOST = 64 * HEDDLE_TREE_LANES, MOST_ROW_BYTES = 256 << 10 };
    const int64_t n = rows->length;
    if (n > MOST || heddle__rows_lane_bytes(rows) > SHARED_BYTES) return false;
    if (!fits_in_rooms(rows, shared_bytes)) {
        find_remade(rows);
        if (heddle__rows_reread(rows) > MOST_ROW_BYTES) return false;
    }
    int64_t beside;
    const int64_t threads = long_threads(rows, most_beside, shared_bytes, &beside);
    const int64_t group = threads == HEDDLE_TREE_LANES ? LONG_GROUP / 2 : LONG_GROUP;
    const int64_t count = (n + threads * group - 1) / (threads * group) * group;
    *form = (struct heddle_rows_form){
        .threads = (int)threads,
        .parts = 1,
        .slots = (int)count,
        .full = (int)(n == threads * count ? count : count - group),
        .group = (int)group,
        .beside = (int)beside,
        .rows = 1,
        .is_long = true,
    };
    return true;
}

/* Slots of a row that is held, which are loaded in groups of up to 8. */
static int group_of(int64_t slots, int64_t beside)
{
    int64_t group = 8;
    while (slots % group != 0 || group % beside != 0) group--;
    return (int)(group < 4 ? slots : group);
}

/* Counts of slots are rounded up, so that rows of about the same length share a kernel, and groups are large. */
static int64_t step_of(int64_t count)
{
    return count <= 8 ? 1 : count <= 16 ? 2 : count <= 32 ? 4 : 8;
}
static int64_t rounded(int64_t count)
{
    const int64_t step = step_of(count);
    return (count + step - 1) / step * step;
}

/* Whether the rows of a warp's threads, which go from left to right, want more warps: reductions wait for one warp after the
 * other, so no more than registers need, or than keep a GPU busy. */
static bool wants_more_parts(const struct heddle_rows *rows, int64_t bytes, int64_t parts)
{
    const int64_t count = (rows->length + parts - 1) / parts;
    const bool holds_more = parts == 1 || (bytes <= LEFT_BYTES && heddle__rows_are_left(rows));
    const int64_t most = rows->rounds ? SCAN_BYTES : holds_more ? MOST_BYTES : GOOD_BYTES;
    if (parts == MOST_PARTS || !rows->in_sequence || rows->length <= HEDDLE_TREE_SHORT)
        return false;
    return count > MOST_SLOTS || count * bytes > most ||
           (rows->n_rows * parts < BUSY_THREADS && count > 2 * SLOTS_OF_FEW);
}

/* Whether the order in which elements are combined changes no bit: whole numbers, and places of extremes. Maxima of floating numbers are
 * zeros of either sign. */
static bool is_free_of_order(const struct heddle_reduce_instr *r)
{
    const char kind = heddle_dtype_kind((enum heddle_dtype)r->dtype);
    return heddle__is_arg(r) || (kind != 'F' && kind != 'C');
}

/* Whether each row is one thread's, from left to right: the shortest have to be, and many that are longer, where a warp, or a part of one,
 * would load few bytes of its row and then fold them. Rows lie together, so that they come by way of shared memory. */
static bool has_thread_each(const struct heddle_rows *rows, int64_t bytes)
{
    enum { ROW_BYTES = 160, ELEMENT = 4 };
    int64_t of_row = 0;
    if (rows->length <= HEDDLE_TREE_SHORT) return true;
    if (rows->has_scans || rows->index_axes || rows->n_kept != 1 || rows->n_rows < BUSY_THREADS ||
        rows->length > MOST_SLOTS || rows->length * bytes > MOST_BYTES)
        return false;
    for (int i = 0; i < rows->n_stages; i++)
        for (int r = 0; r < rows->stage[i]->program->n_reductions; r++)
            if (!is_free_of_order(&rows->stage[i]->program->reductions[r])) return false;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
        const bool beside = o->step == 1 && o->period == 0 && o->stride[0] == rows->length;
        if (o->is_row || o->is_passed) continue;
        if (!beside || size > ELEMENT) return false;
        of_row += rows->length * size;
    }
    return of_row <= ROW_BYTES;
}

/* Rows in each thread, or in the same lane of several warps. */
static void form_of_threads(const struct heddle_rows *rows, int64_t bytes,
                            struct heddle_rows_form *form)
{
    const int64_t n = rows->length;
    int64_t together = 1, parts = 1;
    while (n <= HEDDLE_TREE_SHORT && together < MOST_TOGETHER &&
           together * n * bytes < THREAD_LOADS && rows->n_rows >= 2 * together * BUSY_THREADS)
        together *= 2;
    while (wants_more_parts(rows, bytes, parts)) parts *= 2;
    int64_t count = (n + parts - 1) / parts;
    if (parts > 1) count = rounded(count);
    *form = (struct heddle_rows_form){
        .threads = 1,
        .parts = (int)parts,
        .slots = (int)count,
        .full = (int)(n == parts * count ? count : 0),
        .group = group_of(count, 1),
        .beside = 1,
        .rows = (int)together,
    };
}

/* The fewest threads of a warp that do for a short row, and their neighbours: reductions take fewer steps where more of the tree is in
 * each thread. Together they read whole sectors of memory, and as few that all that a warp reads stays in the first cache. Measured on an H100: rows
 * of 96 float32 by 8 threads with 12 elements are a tenth slower than by 16 with 6. */
static bool find_team(const struct heddle_rows *rows, int most_beside, int64_t *threads,
                      int64_t *beside)
{
    int64_t widest;
    const int64_t bytes = read_bytes(rows, &widest), smallest = smallest_along(rows);
    for (*threads = LEAST_TEAM; *threads < 32; *threads *= 2) {
        const int64_t wanted =
            rows->has_scans ? beside_of_scans(rows) : SECTOR_BYTES / (*threads * smallest);
        *beside = beside_of(rows, wanted < most_beside ? wanted : most_beside);
        const int64_t slots = slots_of(rows, *threads, *beside);
        if (*threads * *beside * widest >= SECTOR_BYTES && *threads * *beside <= rows->length &&
            slots <= TEAM_SLOTS && slots * bytes <= TEAM_BYTES &&
            rows->n_rows * *threads >= FEW_THREADS)
            return true;
    }
    return false;
}

/* Rows in a warp or a block each; neighbours of small elements fill a register. */
static void find_block(const struct heddle_rows *rows, int64_t bytes, int most_beside,
                       int64_t *threads, int64_t *beside)
{
    const int64_t wanted = heddle__rows_lane_bytes(rows) > SHARED_BYTES ? 1
                           : rows->has_scans                            ? beside_of_scans(rows)
                                             : SLOT_BYTES / smallest_along(rows);
    *beside = beside_of(rows, wanted < most_beside ? wanted : most_beside);
    *threads = 32;
    while (wants_more_threads(rows, bytes, *threads)) *threads *= 2;
    while (*beside > 1 && rows->length < *threads * *beside) *beside /= 2;
}

static void form_of_teams(const struct heddle_rows *rows, int64_t bytes, int most_beside,
                          struct heddle_rows_form *form)
{
    int64_t threads, beside;
    if (!find_team(rows, most_beside, &threads, &beside))
        find_block(rows, bytes, most_beside, &threads, &beside);
    const int64_t exact = slots_of(rows, threads, beside), count = rounded(exact);
    const int64_t step = step_of(exact) > beside ? step_of(exact) : beside;
    *form = (struct heddle_rows_form){
        .threads = (int)threads,
        .parts = 1,
        .slots = (int)count,
        .full = (int)(rows->length == threads * count ? count : count - step),
        .group = group_of(count, beside),
        .beside = (int)beside,
        .rows = 1,
    };
}

bool heddle__rows_form(struct heddle_rows *rows, int most_beside, int64_t shared_bytes,
                       struct heddle_rows_form *form)
{
    if (!knows_indices(rows)) return false;
    const int64_t bytes = held_bytes(rows);
    const bool of_threads = rows->in_sequence || has_thread_each(rows, bytes);
    if (of_threads)
        form_of_threads(rows, bytes, form);
    else
        form_of_teams(rows, bytes, most_beside, form);
    if (rows->rounds && rows->in_sequence &&
        (rows->length + MOST_TURNS - 1) / MOST_TURNS * bytes > SCAN_BYTES)
        return false;
    if (form->parts > 1 &&
        heddle__rows_lane_bytes(rows) / (HEDDLE_TREE_LANES / 32) * form->parts > SHARED_BYTES)
        return false;
    if (rows->has_scans && form->threads > 32 && heddle__rows_lane_bytes(rows) > SHARED_BYTES)
        return false;
    if (form->slots <= MOST_SLOTS && form->slots * bytes <= MOST_BYTES) return true;
    return !of_threads && !rows->has_scans && long_form(rows, most_beside, shared_bytes, form);
}
