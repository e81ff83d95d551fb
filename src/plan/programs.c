/* The table of interned programs, and programs as a family. Entry points: programs.h. */
#include "plan/programs.h"

#include "base/hash.h"
#include "base/memory.h"
#include "indexing.h"

#include <stdatomic.h>
#include <string.h>

struct entry {
    struct heddle_program program; /* first, so that its address is the entry's */
    atomic_long refs;
    struct entry *next;
};

enum { N_BUCKETS = 1024, FEW = 256 };
static struct entry *buckets[N_BUCKETS];
static int64_t n_entries, trim_at = FEW; /* so many, and those without a reference go */

static uint64_t program_hash(const struct heddle_program *p)
{
    const uint64_t counts[] = {p->n_instrs,     p->n_before, p->n_operands, p->n_constants,
                               p->n_reductions, p->n_stores, p->index_axes, p->sequential,
                               p->n_checked,    p->scan};
    uint64_t h = heddle__hash_words(0, counts, 10);
    h = heddle__hash_bytes(h, p->instrs, p->n_instrs * sizeof p->instrs[0]);
    h = heddle__hash_bytes(h, p->reductions, p->n_reductions * sizeof p->reductions[0]);
    h = heddle__hash_bytes(h, p->stores, p->n_stores * sizeof p->stores[0]);
    h = heddle__hash_bytes(h, p->operand_dtype, p->n_operands);
    return heddle__hash_bytes(h, p->constant_dtype, p->n_constants);
}

const struct heddle_program *heddle__program_intern(struct heddle_program *p)
{
    p->hash = program_hash(p);
    struct entry **bucket = &buckets[p->hash % N_BUCKETS];
    for (struct entry *e = *bucket; e; e = e->next)
        if (e->program.hash == p->hash && memcmp(&e->program, p, sizeof *p) == 0) {
            atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
            return &e->program;
        }
    if (n_entries >= trim_at) {
        heddle__programs_trim();
        trim_at = 2 * n_entries > FEW ? 2 * n_entries : FEW;
    }
    struct entry *e = heddle__alloc(sizeof *e);
    if (!e) return NULL;
    n_entries++;
    e->program = *p;
    atomic_init(&e->refs, 1);
    e->next = *bucket;
    *bucket = e;
    return &e->program;
}

void heddle__program_release(const struct heddle_program *program)
{
    struct entry *e = (struct entry *)(uintptr_t)program;
    if (e) atomic_fetch_sub_explicit(&e->refs, 1, memory_order_release);
}

void heddle__programs_trim(void)
{
    for (int i = 0; i < N_BUCKETS; i++)
        for (struct entry **at = &buckets[i], *e; (e = *at);) {
            if (atomic_load_explicit(&e->refs, memory_order_acquire) > 0) {
                at = &e->next;
                continue;
            }
            *at = e->next;
            n_entries--;
            heddle__free(e);
        }
}

/* ---- The family's row --------------------------------------------------------------------------- */

static uint64_t cost_key(const void *arguments)
{
    const struct heddle_launch *launch = arguments;
    return launch->program->hash;
}

static size_t scratch_bytes(const void *arguments, int n_threads)
{
    const bool on_cpu = n_threads > 0; /* which have their own */
    return on_cpu ? 0 : heddle__launch_gpu_scratch_bytes(arguments);
}

const struct heddle_family_info heddle__program_family = {.name = "program",
                                                          .flags = HEDDLE_FAMILY_INLINE |
                                                                   HEDDLE_FAMILY_DIRECT,
                                                          .id = HEDDLE_FAMILY_PROGRAM,
                                                          .cost_key = cost_key,
                                                          .scratch_bytes = scratch_bytes};

const struct heddle_family_info heddle__checked_family = {.name = "checked",
                                                          .flags = HEDDLE_FAMILY_INLINE |
                                                                   HEDDLE_FAMILY_DIRECT,
                                                          .id = HEDDLE_FAMILY_CHECKED,
                                                          .cost_key = cost_key,
                                                          .scratch_bytes = scratch_bytes,
                                                          .describe = heddle__describe_index};
