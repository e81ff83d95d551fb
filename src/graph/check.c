/* Records of nodes, in tables by address; 64 locks, so that threads rarely meet. Entry points: check.h,
 * heddle_check_count. */
#include "graph/check.h"

#include "base/at_fork.h"
#include "base/memory.h"
#include "base/thread.h"
#include "graph/pool.h"

#include <heddle/runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SHARDS = 64, BURIED = 1 << 16 };

struct record {
    const heddle_array *node; /* NULL: free */
    uint64_t scope;           /* that has it, or whose end killed it; 0: none */
    const char *name;         /* what it was, once dead; else NULL */
};

/* A table with linear probing, at most half full. */
static struct shard {
    pthread_mutex_t mutex;
    struct record *records;
    size_t room, n;
} shards[SHARDS]; /* zeros are an unlocked mutex */

static atomic_llong n_misuses;

static pthread_mutex_t buried_mutex = PTHREAD_MUTEX_INITIALIZER;
static heddle_array **buried; /* a ring */
static size_t first_buried, n_buried;

static void in_child(void)
{
    for (int i = 0; i < SHARDS; i++) pthread_mutex_init(&shards[i].mutex, NULL);
}

HEDDLE_AT_FORK(.mutex = &buried_mutex, .in_child = in_child)

/* ---- Records ---------------------------------------------------------------------------------------- */

static uint64_t hash_of(const heddle_array *a)
{
    return ((uint64_t)(uintptr_t)a >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct shard *lock_shard(const heddle_array *a)
{
    struct shard *s = &shards[hash_of(a) >> 58];
    pthread_mutex_lock(&s->mutex);
    return s;
}

/* Where it is, or would be; there is room. */
static size_t place_of(const struct shard *s, const heddle_array *a)
{
    size_t i = (size_t)(hash_of(a) >> 20) & (s->room - 1);
    while (s->records[i].node && s->records[i].node != a) i = (i + 1) & (s->room - 1);
    return i;
}

static struct record *find(const struct shard *s, const heddle_array *a)
{
    if (s->room == 0) return NULL;
    struct record *r = &s->records[place_of(s, a)];
    return r->node ? r : NULL;
}

static bool grow(struct shard *s)
{
    struct shard bigger = {.room = s->room ? 2 * s->room : 1024};
    bigger.records = heddle__alloc_pooled(bigger.room * sizeof *bigger.records);
    if (!bigger.records) return false;
    memset(bigger.records, 0, bigger.room * sizeof *bigger.records);
    for (size_t i = 0; i < s->room; i++)
        if (s->records[i].node)
            bigger.records[place_of(&bigger, s->records[i].node)] = s->records[i];
    heddle__free_pooled(s->records);
    s->records = bigger.records;
    s->room = bigger.room;
    return true;
}

/* NULL: no memory. */
static struct record *insert(struct shard *s, const heddle_array *a)
{
    if (2 * (s->n + 1) > s->room && !grow(s)) return NULL;
    struct record *r = &s->records[place_of(s, a)];
    s->n += r->node == NULL;
    *r = (struct record){.node = a};
    return r;
}

/* Moves those after it that it was in the way of. */
static void erase(struct shard *s, const heddle_array *a)
{
    if (!find(s, a)) return;
    size_t hole = place_of(s, a);
    s->records[hole].node = NULL;
    s->n--;
    for (size_t i = (hole + 1) & (s->room - 1); s->records[i].node; i = (i + 1) & (s->room - 1)) {
        const struct record moved = s->records[i];
        s->records[i].node = NULL;
        s->records[place_of(s, moved.node)] = moved;
    }
}

bool heddle__check_born(heddle_array *a)
{
    struct shard *s = lock_shard(a);
    const bool done = insert(s, a) != NULL;
    pthread_mutex_unlock(&s->mutex);
    return done;
}

void heddle__check_adopted(heddle_array *a, uint64_t number)
{
    struct shard *s = lock_shard(a);
    struct record *r = find(s, a);
    if (r) r->scope = number;
    pthread_mutex_unlock(&s->mutex);
}

/* The record as it is now; `node` is NULL if there is none. */
static struct record record_of(const heddle_array *a)
{
    struct shard *s = lock_shard(a);
    const struct record *r = find(s, a);
    const struct record copy = r ? *r : (struct record){0};
    pthread_mutex_unlock(&s->mutex);
    return copy;
}

/* ---- The dead ---------------------------------------------------------------------------------------- */

/* The oldest one that nobody holds on to as an error; NULL: none. Under the mutex. */
static heddle_array *exhume(void)
{
    for (size_t tries = 0; tries < 64; tries++) {
        heddle_array *a = buried[first_buried];
        if (atomic_load(&a->refs) <= HEDDLE_DEAD_REFS) return a;
        buried[first_buried] = buried[(first_buried + 1 + tries) % BURIED];
        buried[(first_buried + 1 + tries) % BURIED] = a;
    }
    return NULL;
}

bool heddle__check_bury(heddle_array *a, const char *name, uint64_t scope)
{
    struct shard *s = lock_shard(a);
    struct record *r = find(s, a);
    if (r) {
        r->name = name;
        r->scope = scope;
    }
    pthread_mutex_unlock(&s->mutex);
    if (!r) return false;
    a->n_in = 0;
    a->in = a->in_own;
    a->error = NULL;
    a->op = HEDDLE_DEAD_OP;
    a->kind = HEDDLE_NODE_ERROR;
    atomic_store(&a->refs, HEDDLE_DEAD_REFS);
    heddle__pool_forget();

    heddle_array *out = NULL;
    pthread_mutex_lock(&buried_mutex);
    if (!buried) buried = heddle__alloc_pooled(BURIED * sizeof(heddle_array *));
    if (buried && n_buried == BURIED && (out = exhume())) {
        buried[first_buried] = a;
        first_buried = (first_buried + 1) % BURIED;
    } else if (buried && n_buried < BURIED) {
        buried[(first_buried + n_buried++) % BURIED] = a;
    } /* else it stays for ever */
    pthread_mutex_unlock(&buried_mutex);
    if (!out) return true;
    s = lock_shard(out);
    erase(s, out);
    pthread_mutex_unlock(&s->mutex);
    heddle__pool_put_uncounted(out);
    return true;
}

/* ---- Texts ------------------------------------------------------------------------------------------- */

static void put_shape(const heddle_array *a, char *text, size_t room)
{
    size_t n = 0;
    for (int d = 0; d < a->ndim && n < room; d++)
        n += (size_t)snprintf(text + n, room - n, "%s%lld", d > 0 ? ", " : "",
                              (long long)a->shape[d]);
    if (a->ndim == 0) text[0] = 0;
}

/* "an array (add, float64 (3)) of scope 5, which was closed" */
static void describe(const struct record *r, char *text, size_t room)
{
    char shape[160], end[64] = "was released";
    put_shape(r->node, shape, sizeof shape);
    if (r->scope)
        snprintf(end, sizeof end, "went when scope %llu was closed", (unsigned long long)r->scope);
    snprintf(text, room, "an array (%s, %s (%s)) that %s", r->name,
             heddle_dtype_name((enum heddle_dtype)r->node->dtype), shape, end);
}

const char *heddle__dead_text(const heddle_array *a)
{
    static HEDDLE_THREAD_LOCAL char text[300];
    const struct record r = record_of(a);
    if (!r.name) return "";
    describe(&r, text, sizeof text);
    return text;
}

enum heddle_status heddle__check_array(const char *function, int argument, const heddle_array *a)
{
    char text[300] = "no array of Heddle's", which[32] = "";
    if (!a || a == heddle__error_memory()) return HEDDLE_OK;
    const struct record r = record_of(a);
    if (r.node && !r.name) return HEDDLE_OK;
    if (r.node) describe(&r, text, sizeof text);
    if (argument > 0) snprintf(which, sizeof which, "argument %d is ", argument);
    return heddle__fail(HEDDLE_EARG, "heddle_%s: %s%s", function, which, text);
}

void heddle__misuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    heddle__vfail(HEDDLE_EARG, format, args);
    va_end(args);
    atomic_fetch_add(&n_misuses, 1);
    fprintf(stderr, "HEDDLE_CHECK: %s\n", heddle_last_error());
}

bool heddle__check_use(const char *function, const heddle_array *a)
{
    if (heddle__check_array(function, 0, a) == HEDDLE_OK) return true;
    char text[HEDDLE_ERROR_TEXT_MAX];
    snprintf(text, sizeof text, "%s", heddle_last_error());
    heddle__misuse("%s", text);
    return false;
}

bool heddle__check_release(const heddle_array *a)
{
    if (!a || a == heddle__error_memory()) return true;
    const struct record r = record_of(a);
    if (!r.node || r.name) return heddle__check_use("release", a);
    if (r.scope == 0 || atomic_load(&a->refs) > 1) return true;
    heddle__misuse("heddle_release: the array belongs to scope %llu alone, which releases it; "
                   "heddle_keep gives a reference of one's own",
                   (unsigned long long)r.scope);
    return false;
}

int64_t heddle_check_count(void)
{
    return atomic_load(&n_misuses);
}
