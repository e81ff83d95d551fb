/* The CPU executor of programs: a map is cut into blocks, which the threads share.
 * Reductions go to reduce.c. Runs at most one loop on the team; allocates only before it.
 * Entry points: heddle__cpu_program, heddle__cpu_program_again,
 * heddle__cpu_threads. */
#include "cpu/boxes.h"
#include "cpu/compiled/together.h"
#include "cpu/reduce/reduce.h"
#include "cpu/row_chain.h"
#include "cpu/scan/scan_rows.h"
#include "stretches.h"

#include <base/memory.h>
#include <base/share.h>
#include <string.h>

enum {
    ADDITIONS_OF_THREAD = 60000, /* work that is worth waking a thread: some 3 us to 10 us */
    ADDITIONS_OF_READY = 30000,  /* and worth one that is awake */
    LARGE_BLOCK = 8192,          /* elements */
};

int heddle__cpu_threads(struct heddle_team *team, double additions, int64_t n_items)
{
    double most = heddle__team_size(team);
    if (most > (double)n_items) most = n_items > 1 ? (double)n_items : 1;
    const double n = additions / ADDITIONS_OF_THREAD, ready = additions / ADDITIONS_OF_READY;
    if (n >= most) return (int)most;
    const int all = heddle__team_ready(team, (int)(ready < most ? ready : most));
    return n > all ? (int)n : all;
}

double heddle__cpu_addition(const struct heddle_program *p)
{
    size_t widest = 3; /* bytes and halves take more than their share: measured */
    for (int o = 0; o < p->n_operands; o++) {
        const size_t size = heddle_dtype_size((enum heddle_dtype)p->operand_dtype[o]);
        if (size > widest) widest = size;
    }
    for (int i = 0; i < p->n_instrs; i++) {
        const size_t size = heddle_dtype_size((enum heddle_dtype)p->instrs[i].dtype);
        if (p->instrs[i].code < HEDDLE_N_OPS && size > widest) widest = size;
    }
    return (double)widest / sizeof(double);
}

/* What a map's run on any data needs. */
struct heddle_cpu_memo {
    struct heddle__walk walk;
    struct heddle__code code;
    int64_t n_blocks;
    double additions;      /* of all elements */
    double cost;           /* the same in those of float64 */
    size_t register_bytes; /* of a thread */
    int table; /* the operand of bytes by which elements are looked up; -1: they are computed */
};

static void decode_walk(struct heddle_cpu_memo *m, struct heddle__code_room *room,
                        const struct heddle_launch *launch, void *const buffers[], int64_t block)
{
    heddle__walk_shape(&m->walk, 0, block);
    heddle__panels_choose(&m->walk, launch->program, launch->program->n_instrs, UINT32_MAX);
    m->walk.sideways = m->walk.near >= 0 && m->walk.near < m->walk.first;
    heddle__decode(&m->code, room, &m->walk, launch, buffers, launch->program->n_instrs, false);
}

/* Reads operands that are part of larger arrays where they lie, if it costs less to compute what is between their
 * elements than to bring these together. */
static void use_gaps(struct heddle_cpu_memo *m, struct heddle__code_room *room,
                     const struct heddle_launch *launch, void *const buffers[])
{
    struct heddle__walk *walk = &m->walk;
    /* what lies between elements is no index */
    if (m->code.gathered == 0 || launch->program->index_axes || launch->program->n_checked) return;
    const struct heddle__walk tight = *walk;
    const double weight = m->code.weight;
    if (!heddle__walk_pad(walk, launch->program->n_operands)) return;
    decode_walk(m, room, launch, buffers, HEDDLE_BLOCK);
    double elements = (double)walk->cut;
    for (int d = walk->first + 1; d < walk->ndim; d++) elements *= (double)walk->extent[d];
    m->code.weight *= (double)heddle__walk_span(walk, walk->cut) / elements;
    if (m->code.weight < weight) return;
    *walk = tight;
    decode_walk(m, room, launch, buffers, HEDDLE_BLOCK);
}

static bool is_one_loop(const struct heddle__code *code)
{
    return code->n_registers == 0 && code->n_panels == 0 && code->n_steps == 1 &&
           code->steps[0].kind == STEP_RUN;
}

/* How many elements a block may have: what it keeps in registers is 8 KB a value, and one compiled loop keeps nothing. */
static int64_t most_of_block(const struct heddle__code *code)
{
    enum { VALUE_BYTES = 8192 };
    if (is_one_loop(code)) return LARGE_BLOCK;
    const int64_t n = VALUE_BYTES / (int64_t)code->element_bytes;
    return n > HEDDLE_BLOCK && code->n_panels == 0 ? n : HEDDLE_BLOCK;
}

/* Whether all elements of a map, over all boxes, are too many for a cache. */
static bool is_far(const struct heddle_launch *launch)
{
    enum { FAR_BYTES = 8 << 20 };
    size_t bytes = 0; /* of an element */
    for (int o = 0; o < launch->program->n_operands; o++)
        bytes += heddle_dtype_size((enum heddle_dtype)launch->program->operand_dtype[o]);
    return (double)bytes * (double)heddle__whole_kept_size(&launch->geometry) >= FAR_BYTES;
}

/* Larger blocks, of more rows, where they fit: steps are called less often. But what a row shares is repeated in them, and that
 * is a pass more, which takes longer than calls while memory is waited for. */
static void use_large_blocks(struct heddle_cpu_memo *m, struct heddle__code_room *room,
                             const struct heddle_launch *launch, void *const buffers[])
{
    /* so many blocks are enough for all threads, or so many for each that the work is worth */
    enum { BLOCKS = 256, BLOCKS_OF_THREAD = 4 };
    struct heddle__walk *walk = &m->walk;
    const double share = ADDITIONS_OF_THREAD / (BLOCKS_OF_THREAD * m->code.weight);
    int64_t block = heddle__kept_size(&launch->geometry) / BLOCKS;
    const int64_t most = most_of_block(&m->code);
    if ((double)block < share) block = (int64_t)share;
    if (block > most) block = most;
    if (block <= HEDDLE_BLOCK || walk->padded) return;
    const int gathered = m->code.gathered;
    decode_walk(m, room, launch, buffers, block);
    if (most_of_block(&m->code) < block || (m->code.gathered > gathered && is_far(launch)))
        decode_walk(m, room, launch, buffers, HEDDLE_BLOCK);
}

/* Blocks of several whole rows, however long, for a loop that takes rows together. Whether that is there; if it may come, its
 * form. */
static bool use_rows_together(struct heddle_cpu_memo *m, struct heddle__code_room *room,
                              const struct heddle_launch *launch, void *const buffers[],
                              struct heddle__form **form)
{
    enum { ROWS = 8, BLOCKS = 32 };
    const struct heddle__walk *walk = &m->walk;
    const int last = walk->ndim - 1;
    if (!heddle__walk_has_shifts(walk, launch)) return false;
    const int64_t rows = walk->extent[last] * ROWS, block = rows > LARGE_BLOCK ? rows : LARGE_BLOCK;
    if (heddle__kept_size(&launch->geometry) < block * BLOCKS) return false;
    decode_walk(m, room, launch, buffers, block);
    *form = m->code.form;
    if (!m->code.together || !is_one_loop(&m->code)) return false;
    m->code.fetches_next = false;
    m->walk.cut = (m->walk.cut + HEDDLE_TOGETHER - 1) / HEDDLE_TOGETHER * HEDDLE_TOGETHER;
    return true;
}

static void decode_program(struct heddle_cpu_memo *m, struct heddle__code_room *room,
                           const struct heddle_launch *launch, void *const buffers[])
{
    struct heddle__walk *walk = &m->walk;
    heddle__walk_begin(walk);
    heddle__walk_add(walk, launch, UINT32_MAX, 0, launch->geometry.ndim);
    struct heddle__form *form = NULL;
    if (!use_rows_together(m, room, launch, buffers, &form)) {
        decode_walk(m, room, launch, buffers, HEDDLE_BLOCK);
        use_gaps(m, room, launch, buffers);
        use_large_blocks(m, room, launch, buffers);
        if (form) m->code.form = form;
    }
    while (walk->cut > 1 && walk->cut * walk->inner > SHORT_BLOCK &&
           heddle__value_bytes(&m->code) > REGISTERS_BYTES)
        walk->columns = walk->cut = (walk->cut + 1) / 2;
    m->n_blocks = heddle__walk_blocks(walk, 0);
    m->additions = m->code.weight * (double)heddle__kept_size(&launch->geometry);
    m->cost = m->additions * heddle__cpu_addition(launch->program);
    m->register_bytes = heddle__register_bytes(&m->code);
}

static void decode(struct heddle_cpu_memo *m, struct heddle__code_room *room,
                   const struct heddle_launch *launch, void *const buffers[],
                   const union heddle_scalar constants[])
{
    decode_program(m, room, launch, buffers);
    m->table = heddle__table_operand(&m->code, constants);
    if (m->table < 0) return;
    struct heddle_program program;
    heddle__table_program(&program, launch->program, m->table);
    struct heddle_launch lookup = *launch;
    lookup.program = &program;
    decode_program(m, room, &lookup, buffers);
    m->code.launch = launch; /* its operands are the same */
}

struct map {
    const struct heddle__code *code;
    void *const *buffers;
    const union heddle_scalar *constants;
    void *tables[HEDDLE_MAX_OPERANDS];
    struct heddle__shares shares;
    char *registers; /* of all threads; NULL: they fit on the stack */
    size_t register_bytes;
    struct heddle__bad_note bad;
};

/* One thread's blocks of a map. */
static void run_blocks(void *argument, int thread)
{
    struct map *map = argument;
    const struct heddle__code *code = map->code;
    _Alignas(64) char local[STACK_SCRATCH_BYTES];
    struct heddle__lane lane;
    char *registers =
        map->registers ? map->registers + (size_t)thread * map->register_bytes : local;
    heddle__lane_begin(&lane, code, map->buffers, map->constants, registers, map->tables);
    int64_t idx[WALK_MAX_NDIM], from, to;
    struct heddle__taker taker = heddle__taker(&map->shares, thread);
    while (heddle__take(&taker, &from, &to)) {
        bool new_row = true;
        for (int64_t b = from; b < to; b++) {
            const int64_t rows = heddle__walk_block(code->walk, 0, b, idx);
            new_row |= idx[code->walk->first] == 0 || code->walk->sideways;
            heddle__run_block(&lane, code, idx, rows, new_row);
            new_row = false;
        }
    }
    if (code->copy_streams) code->blocks->moves.settle();
    heddle__lane_end(&lane, code, &map->bad);
}

static enum heddle_status run(const struct heddle_cpu_memo *m, void *const buffers[],
                              const union heddle_scalar constants[], struct heddle_team *team)
{
    const struct heddle__code *code = &m->code;
    const int64_t n_blocks = m->n_blocks;
    const int n_threads = n_blocks > 1 ? heddle__cpu_threads(team, m->cost, n_blocks) : 1;
    if (code->form) heddle__form_count(code->form, m->additions);
    struct map map; /* of some KiB, most of which nobody reads */
    map.code = code;
    map.buffers = buffers;
    map.constants = constants;
    atomic_init(&map.bad.is, false);
    map.registers = NULL;
    map.register_bytes = m->register_bytes;
    _Alignas(64) char tables[TABLES_BYTES];
    if (m->table >= 0) {
        const enum heddle_status status =
            heddle__table_fill(map.tables, tables, code->launch, m->table, buffers, constants);
        if (status != HEDDLE_OK) return status;
    }
    if (map.register_bytes > STACK_SCRATCH_BYTES) {
        map.registers = heddle__alloc_aligned(map.register_bytes * (size_t)n_threads);
        if (!map.registers) return heddle__fail(HEDDLE_ENOMEM, "no memory for a block's values");
    }
    heddle__shares_begin(&map.shares, n_blocks, n_threads);
    heddle__team_run(team, n_threads, run_blocks, &map);
    heddle__free(map.registers);
    return heddle__bad_status(&map.bad);
}

enum heddle_status heddle__cpu_program(const struct heddle_launch *launch, void *const buffers[],
                                       const union heddle_scalar constants[],
                                       struct heddle_team *team)
{
    if (heddle__kept_size(&launch->geometry) == 0) return HEDDLE_OK;
    if (launch->program->scan) return heddle__cpu_scan(launch, buffers);
    if (launch->program->n_reductions > 0)
        return heddle__cpu_reduce(launch, buffers, constants, team);
    struct heddle_cpu_memo m;
    struct heddle__code_room room;
    decode(&m, &room, launch, buffers, constants);
    return run(&m, buffers, constants, team);
}

/* ---- Again and again ---------------------------------------------------------------------------- */

/* `list`, `n` of it, goes to `at`, which moves on. */
#define PACK(list, n)                                                                              \
    ((list) = memcpy(at, (list), (n) * sizeof *(list)), at += (n) * sizeof *(list))

/* A copy in a block of its own; NULL when memory is gone. */
static struct heddle_cpu_memo *pack(const struct heddle_cpu_memo *m)
{
    const struct heddle__code *c = &m->code;
    const size_t n_steps = (size_t)c->n_once + c->n_row + c->n_steps;
    struct heddle_cpu_memo *copy =
        heddle__alloc(sizeof *copy + n_steps * sizeof *c->steps + c->n_fixed * sizeof *c->fixed +
                      ((size_t)c->n_moving + c->n_panels + c->n_copies) * sizeof *c->moving +
                      c->n_pitches * sizeof *c->pitch);
    if (!copy) return NULL;
    *copy = *m;
    struct heddle__code *code = &copy->code;
    char *at = (char *)(copy + 1);
    PACK(code->pitch, code->n_pitches); /* first: of the largest alignment */
    PACK(code->once, code->n_once);
    PACK(code->row, code->n_row);
    PACK(code->steps, code->n_steps);
    PACK(code->fixed, code->n_fixed);
    PACK(code->moving, code->n_moving);
    PACK(code->panels, code->n_panels);
    PACK(code->copies, code->n_copies);
    code->walk = &copy->walk;
    return copy;
}

/* ---- Boxes of one size --------------------------------------------------------------------------- */

struct heddle__boxes {
    struct heddle_launch launch; /* of the box that runs: only where its elements are differs */
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    union {
        struct {
            struct heddle_cpu_memo memo;
            struct heddle__code_room room;
        } map;
        struct heddle__reduce_job reduction;
    };
};

size_t heddle__boxes_bytes(void)
{
    return (sizeof(struct heddle__boxes) + HEDDLE_CACHE_LINE - 1) / HEDDLE_CACHE_LINE *
           HEDDLE_CACHE_LINE;
}

static void move_to(struct heddle__boxes *b, const struct heddle_launch *box)
{
    memcpy(b->access, box->access, (size_t)box->program->n_operands * sizeof *box->access);
    memcpy(b->launch.geometry.origin, box->geometry.origin, sizeof box->geometry.origin);
}

void heddle__boxes_begin(struct heddle__boxes *b, const struct heddle_launch *box,
                         void *const buffers[], const union heddle_scalar constants[],
                         struct heddle__ahead *ahead)
{
    b->launch = *box;
    b->launch.access = b->access;
    move_to(b, box);
    if (box->program->n_reductions > 0) {
        heddle__reduce_begin(&b->reduction, &b->launch, buffers, constants, NULL);
        b->reduction.code.ahead = ahead;
    } else {
        decode(&b->map.memo, &b->map.room, &b->launch, buffers, constants);
        b->map.memo.code.ahead = ahead;
    }
}

enum heddle_status heddle__boxes_run(struct heddle__boxes *b, const struct heddle_launch *box,
                                     void *const buffers[], const union heddle_scalar constants[])
{
    move_to(b, box);
    return b->launch.program->n_reductions > 0 ? heddle__reduce_run(&b->reduction, NULL)
                                               : run(&b->map.memo, buffers, constants, NULL);
}

/* Only of maps: a reduction is decoded each time. */
enum heddle_status heddle__cpu_program_again(const struct heddle_launch *launch,
                                             void *const buffers[],
                                             const union heddle_scalar constants[],
                                             struct heddle_team *team,
                                             struct heddle_cpu_memo **memo)
{
    const struct heddle_cpu_memo *m = *memo;
    if (m && !(m->code.form && heddle__form_has_changed(m->code.form)))
        return run(m, buffers, constants, team);
    if (launch->program->n_reductions > 0 || heddle__kept_size(&launch->geometry) == 0)
        return heddle__cpu_program(launch, buffers, constants, team);

    struct heddle_cpu_memo now;
    struct heddle__code_room room;
    decode(&now, &room, launch, buffers, constants);
    heddle__free(*memo);
    *memo = pack(&now);
    return run(&now, buffers, constants, team);
}

/* ---- The family's row ------------------------------------------------------------------------------ */

static enum heddle_status run_stretches(const struct heddle_launch *launch,
                                        struct heddle_kernel_context *k)
{
    enum heddle_status status = HEDDLE_OK;
    for (int s = 0; s < launch->stretches->n && status == HEDDLE_OK; s++) {
        struct heddle_access access[HEDDLE_MAX_OPERANDS];
        const struct heddle_launch alone = heddle__stretch(launch, s, access);
        status = heddle__cpu_program(&alone, k->buffers, k->constants, k->team);
    }
    return status;
}

static enum heddle_status run_program(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_launch *launch = arguments;
    if (launch->next) return heddle__cpu_rows(launch, k->buffers, k->constants, k->team);
    if (launch->stretches) return run_stretches(launch, k);
    return k->memo
               ? heddle__cpu_program_again(arguments, k->buffers, k->constants, k->team, k->memo)
               : heddle__cpu_program(arguments, k->buffers, k->constants, k->team);
}

const struct heddle_cpu_kernel heddle__program_cpu = {.run = run_program};
const struct heddle_cpu_kernel heddle__checked_cpu = {.run = run_program};
