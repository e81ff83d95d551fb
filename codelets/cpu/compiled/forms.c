/* The table of forms and the thread that compiles them. Look-ups take no lock: entries are added at the head of a list and
 * live for good. One mutex guards additions and the queue; it is never held over a compilation. Entry points: forms.h. */
#include "cpu/compiled/forms.h"

#include "base/at_fork.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/signals.h"
#include "cpu/compiled/object.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { N_BUCKETS = 2048, MOST_FORMS = 1 << 13, MOST_ORDERS = 64, NICE = 5 };
enum { LOOK_WORK = 5000000, COMPILE_WORK = 100000000 }; /* additions: some 2 ms; 50 ms */

/* Of a waiting form the plan and the functions belong to the compiler's thread. */
enum state { FRESH, NONE, LOOKING, COLD, COMPILING, READY, FAILED };

struct heddle__form {
    struct heddle__form *next;
    uint64_t key[2];
    atomic_int state;
    _Atomic uint64_t work;
    struct heddle__plan *plan;
    heddle__run_function **functions;
};

/* A form that waits, and its section: programs come and go. */
struct order {
    struct heddle__form *form;
    struct heddle__section section;
    struct heddle_program program;
    const char *isa;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    _Atomic(struct heddle__form *) buckets[N_BUCKETS];
    /* Not on the heap, where what stays would lie behind blocks that come and go. */
    struct heddle__form all[MOST_FORMS];
    atomic_int n_forms;
    /* n_orders from `first` on, around; the first one is being made. */
    struct order orders[MOST_ORDERS];
    int first, n_orders;
    struct heddle__environment environment;
    bool has_thread, watches_exit;
    pthread_t thread;
    atomic_bool allowed, is_closing;
    atomic_int hurry; /* 1: thresholds are 0; 2: callers wait */
    _Atomic int64_t ready, failed;
} forms = {.mutex = PTHREAD_MUTEX_INITIALIZER,
           .work = PTHREAD_COND_INITIALIZER,
           .idle = PTHREAD_COND_INITIALIZER};

static enum state state_of(const struct heddle__form *f)
{
    return (enum state)atomic_load_explicit(&f->state, memory_order_acquire);
}

static void set_state(struct heddle__form *f, enum state state)
{
    atomic_store_explicit(&f->state, (int)state, memory_order_release);
}

/* ---- The compiler's thread ------------------------------------------------------------------------------- */

static bool find_functions(struct heddle__form *f, void *library)
{
    const int n = f->plan->n_compiled;
    f->functions = heddle__alloc_pooled((size_t)n * sizeof *f->functions);
    for (int r = 0; f->functions && r < n; r++) {
        char name[32];
        snprintf(name, sizeof name, "heddle_run_%d", r);
        *(void **)&f->functions[r] = dlsym(library, name);
        if (!f->functions[r]) return false;
    }
    return f->functions != NULL;
}

static bool has_complex(const struct heddle__plan *plan, const struct heddle__section *section)
{
    for (int k = 0; k < plan->n_items; k++) {
        const struct heddle_instr *in = &section->program->instrs[plan->items[k]];
        if (heddle__kind_bit((enum heddle_dtype)in->dtype) & HEDDLE_KIND_C) return true;
        if (heddle__kind_bit((enum heddle_dtype)in->result) & HEDDLE_KIND_C) return true;
    }
    return false;
}

/* Those of the block functions. GCC 12 makes fused multiply-adds of complex products, although it is told not to, where the
 * processor has any. */
static const char *const *options_of(const char *isa, bool complex)
{
#define USUAL "-fwrapv", "-fno-strict-aliasing"
#if HEDDLE_CPU_X86
    static const char *const baseline[] = {USUAL, "-march=x86-64-v2", NULL};
    static const char *const avx2[] = {USUAL, "-march=x86-64-v3", NULL};
#define LEVEL_4 USUAL, "-march=x86-64-v4", "-mprefer-vector-width=512"
    static const char *const avx512[] = {LEVEL_4, NULL};
    /* permutations of bytes: loops over 8-bit numbers take a third less */
    static const char *const bytes[] = {LEVEL_4, "-mavx512vbmi", NULL};
#undef LEVEL_4
    static const char *const no_fma[] = {USUAL, "-march=x86-64-v3", "-mno-fma", NULL};
    if (!strcmp(isa, "baseline")) return baseline;
    if (complex || strcmp(isa, "avx512") != 0) return complex ? no_fma : avx2;
    return __builtin_cpu_supports("avx512vbmi") ? bytes : avx512;
#else
    static const char *const any[] = {USUAL, NULL};
    (void)isa;
    (void)complex;
    return any;
#endif
#undef USUAL
}

static enum heddle__level level_of(const char *isa)
{
#if !HEDDLE_CPU_X86
    return HEDDLE__BASELINE;
#endif
    return !strcmp(isa, "avx512")     ? HEDDLE__AVX512
           : !strcmp(isa, "baseline") ? HEDDLE__BASELINE
                                      : HEDDLE__AVX2;
}

static enum state make(const struct order *order)
{
    struct heddle__form *const f = order->form;
    const struct heddle__section *const section = &order->section;
    const bool compile = state_of(f) == COMPILING;
    if (!f->plan && (f->plan = heddle__alloc_pooled(sizeof *f->plan)))
        heddle__plan_runs(f->plan, section, level_of(order->isa));
    if (!f->plan || f->plan->n_compiled == 0) return NONE;
    if (section->has_shifts && !f->plan->together) return NONE; /* as without shifts */
    char *const text = heddle__plan_source(f->plan, section);
    if (!text) return FAILED;
    const struct heddle__object_source source = {
        text, options_of(order->isa, has_complex(f->plan, section)), &forms.environment};
    const struct heddle__object_key key = heddle__object_key(&source);
    void *const library =
        compile ? heddle__object_make(&source, key, &forms.is_closing) : heddle__object_read(key);
    heddle__free(text);
    if (library) return find_functions(f, library) ? READY : FAILED;
    return compile ? FAILED : COLD;
}

static void *run_compiler(void *unused)
{
    (void)unused;
    /* This thread, and what it starts: what is compiled for later does not hold up what runs now. */
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
    pthread_mutex_lock(&forms.mutex);
    for (;;) {
        while (forms.n_orders == 0 && !atomic_load(&forms.is_closing))
            pthread_cond_wait(&forms.work, &forms.mutex);
        if (atomic_load(&forms.is_closing)) break;
        const struct order *order = &forms.orders[forms.first];
        pthread_mutex_unlock(&forms.mutex);
        const enum state state = make(order);
        pthread_mutex_lock(&forms.mutex);
        atomic_fetch_add(&forms.ready, state == READY);
        atomic_fetch_add(&forms.failed, state == FAILED);
        set_state(order->form, state);
        forms.first = (forms.first + 1) % MOST_ORDERS;
        if (--forms.n_orders == 0) pthread_cond_broadcast(&forms.idle);
    }
    pthread_mutex_unlock(&forms.mutex);
    return NULL;
}

/* Ends the compiler that runs, and its folder with it. */
static void at_exit(void)
{
    pthread_mutex_lock(&forms.mutex);
    const bool has_thread = forms.has_thread;
    forms.has_thread = false;
    atomic_store(&forms.is_closing, true);
    pthread_cond_broadcast(&forms.work);
    pthread_cond_broadcast(&forms.idle);
    pthread_mutex_unlock(&forms.mutex);
    if (has_thread) pthread_join(forms.thread, NULL);
}

/* The thread is not here; what it was about comes first when there is one again. */
static void in_child(void)
{
    forms.has_thread = false;
    pthread_cond_init(&forms.work, NULL);
    pthread_cond_init(&forms.idle, NULL);
}

HEDDLE_AT_FORK(.mutex = &forms.mutex, .in_child = in_child)

/* Under the mutex. On all cores of the process, wherever the caller is bound. */
static bool has_thread(const cpu_set_t *cores)
{
    sigset_t before;
    pthread_attr_t attributes;
    if (forms.has_thread || atomic_load(&forms.is_closing)) return forms.has_thread;
    if (!forms.watches_exit) forms.watches_exit = atexit(at_exit) == 0;
    if (!forms.watches_exit || pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setaffinity_np(&attributes, sizeof *cores, cores);
    const bool held = heddle__signals_hold(&before);
    forms.has_thread = pthread_create(&forms.thread, &attributes, run_compiler, NULL) == 0;
    heddle__signals_release(held, &before);
    pthread_attr_destroy(&attributes);
    return forms.has_thread;
}

/* The form goes on to be looked for, or compiled, if no other caller has seen to that and there is room. */
static void advance(struct heddle__form *f, const struct heddle__section *section, const char *isa,
                    enum state from)
{
    const cpu_set_t *cores = &heddle__machine()->allowed; /* has a lock of its own */
    pthread_mutex_lock(&forms.mutex);
    if (state_of(f) == from && forms.n_orders < MOST_ORDERS) {
        struct order *order = &forms.orders[(forms.first + forms.n_orders) % MOST_ORDERS];
        order->form = f;
        order->program = *section->program;
        order->section = *section;
        order->section.program = &order->program;
        order->isa = isa;
        const bool queued = has_thread(cores);
        forms.n_orders += queued;
        set_state(f, !queued ? FAILED : from == FRESH ? LOOKING : COMPILING);
        pthread_cond_signal(&forms.work);
    }
    pthread_mutex_unlock(&forms.mutex);
}

/* ---- The table ------------------------------------------------------------------------------------------- */

static struct heddle__form *find(struct heddle__form *f, const uint64_t key[2])
{
    while (f && (f->key[0] != key[0] || f->key[1] != key[1])) f = f->next;
    return f;
}

/* NULL: there is no room. */
static struct heddle__form *add(_Atomic(struct heddle__form *) *bucket, const uint64_t key[2])
{
    if (atomic_load_explicit(&forms.n_forms, memory_order_relaxed) == MOST_FORMS) return NULL;
    pthread_mutex_lock(&forms.mutex);
    struct heddle__form *f = find(atomic_load(bucket), key);
    if (!f && forms.n_forms < MOST_FORMS) {
        f = &forms.all[atomic_fetch_add(&forms.n_forms, 1)];
        *f = (struct heddle__form){.next = atomic_load(bucket), .key = {key[0], key[1]}};
        atomic_store_explicit(bucket, f, memory_order_release);
    }
    pthread_mutex_unlock(&forms.mutex);
    return f;
}

static bool is_due(const struct heddle__form *f, enum state state)
{
    const bool hurry = atomic_load_explicit(&forms.hurry, memory_order_relaxed) > 0;
    const uint64_t work = atomic_load_explicit(&f->work, memory_order_relaxed);
    return (state == FRESH && (hurry || work >= LOOK_WORK)) ||
           (state == COLD && (hurry || work >= COMPILE_WORK));
}

struct heddle__form *heddle__form_find(const struct heddle__section *section, const char *isa)
{
    enum { SHIFT_BYTES = sizeof(struct heddle__shift) };
    uint64_t words[3 * HEDDLE_MAX_INSTRS / 64 + (1 + SHIFT_BYTES) * HEDDLE_MAX_INSTRS / 8 + 2];
    const int n_bits = (section->end + 63) / 64, n_steps = (section->end + 7) / 8,
              n_shifts = section->has_shifts ? (section->end * SHIFT_BYTES + 7) / 8 : 0,
              n = n_bits * 3 + n_steps + n_shifts + 2;
    if (!atomic_load_explicit(&forms.allowed, memory_order_relaxed) || section->program->hash == 0)
        return NULL;
    words[0] = section->program->hash;
    words[1] = (uint64_t)section->end * 32 + section->has_shifts * 16 + section->lanes * 8 +
               section->reduce * 4 + section->folds * 2 + section->tree;
    memcpy(words + 2, section->moving, (size_t)n_bits * sizeof *words);
    memcpy(words + 2 + n_bits, section->flat, (size_t)n_bits * sizeof *words);
    memcpy(words + 2 + 2 * n_bits, section->counts, (size_t)n_bits * sizeof *words);
    memcpy(words + 2 + 3 * n_bits, section->step, (size_t)n_steps * sizeof *words);
    memcpy(words + 2 + 3 * n_bits + n_steps, section->shift, (size_t)n_shifts * sizeof *words);
    const uint64_t key[2] = {heddle__hash_words(1, words, n), heddle__hash_words(2, words, n)};
    _Atomic(struct heddle__form *) *const bucket = &forms.buckets[key[0] % N_BUCKETS];
    struct heddle__form *f = find(atomic_load_explicit(bucket, memory_order_acquire), key);
    if (!f && !(f = add(bucket, key))) return NULL;

    enum state state = state_of(f);
    bool waits = true;
    while (waits && is_due(f, state)) {
        advance(f, section, isa, state);
        waits = atomic_load_explicit(&forms.hurry, memory_order_relaxed) > 1;
        if (waits) heddle__forms_wait();
        state = state_of(f);
    }
    return state == NONE || state == FAILED ? NULL : f;
}

const struct heddle__plan *heddle__form_ready(const struct heddle__form *form,
                                              heddle__run_function *const **functions)
{
    if (state_of(form) != READY) return NULL;
    *functions = form->functions;
    return form->plan;
}

void heddle__form_count(struct heddle__form *form, double additions)
{
    const enum state state = state_of(form);
    if (state == FRESH || state == COLD)
        atomic_fetch_add_explicit(&form->work, (uint64_t)additions, memory_order_relaxed);
}

bool heddle__form_has_changed(const struct heddle__form *form)
{
    const enum state state = state_of(form);
    return state == READY || is_due(form, state);
}

/* ---- Settings -------------------------------------------------------------------------------------------- */

void heddle__forms_allow(bool allowed)
{
    pthread_mutex_lock(&forms.mutex);
    if (allowed && !forms.environment.names) forms.environment = heddle__environment_now();
    atomic_store(&forms.allowed, allowed && forms.environment.names);
    pthread_mutex_unlock(&forms.mutex);
}

void heddle__forms_start(void)
{
    const cpu_set_t *cores = &heddle__machine()->allowed; /* has a lock of its own */
    pthread_mutex_lock(&forms.mutex);
    if (atomic_load(&forms.allowed)) has_thread(cores);
    pthread_mutex_unlock(&forms.mutex);
}

void heddle__forms_hurry(bool waits)
{
    atomic_store(&forms.hurry, 1 + waits);
}

void heddle__forms_wait(void)
{
    pthread_mutex_lock(&forms.mutex);
    while (forms.has_thread && forms.n_orders > 0) pthread_cond_wait(&forms.idle, &forms.mutex);
    pthread_mutex_unlock(&forms.mutex);
}

struct heddle__forms_counters heddle__forms_counters(void)
{
    return (struct heddle__forms_counters){atomic_load(&forms.ready), atomic_load(&forms.failed)};
}
