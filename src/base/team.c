/* Teams. A run claims a slot, opens its gate, and works; members look into the slots whenever `posted`
 * changes, and enter through a gate while it is open. The caller shuts the gate when its own work is done,
 * and waits for those inside. A member without work looks at `posted` for a while, then sleeps on it
 * (futex). On a machine whose cores are wanted it sleeps sooner: a thread that spins uses up its share of a
 * core, and is then not let in when there is work. Entry points: team.h. */
#include "base/team.h"

#include "base/at_fork.h"
#include "base/memory.h"
#include "base/signals.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS = 8,            /* runs at once; more go alone */
    MEMBERS_MAX = 8191,   /* what a gate can count */
    SPIN_NS = 2000000,    /* how long a member looks for work before it sleeps */
    SPIN_BUSY_NS = 20000, /* on a busy machine: what comes at once is still met */
    WAIT_NS = 500000,     /* how long a caller spins for the last ones inside */
    GAP_NS = 200000,      /* a spinning thread that loses so much time to another shares its core */
    ASK_NS = 2000,        /* of spinning, before the scheduler is asked what it did so far */
    LOSSES_OF = 4,        /* threads: for so many one loss within BUSY_NS makes a busy machine */
    LOSSES_MAX = 64,
    BUSY_NS = 50000000,
    OFTEN_NS = 50000, /* between runs that come so often that members had better stay awake */
    WAKES = 2         /* sleepers that each one wakes, so that all wake in steps of log 3 */
};

/* A gate: open, how many may enter, how many have. 0: the slot is free. */
#define OPEN (UINT32_C(1) << 31)
#define CLAIMED (UINT32_C(1) << 30)
#define LIMIT_SHIFT 15
#define COUNT_MASK ((UINT32_C(1) << LIMIT_SHIFT) - 1)
#define LIMIT_OF(gate) (((gate) >> LIMIT_SHIFT) & COUNT_MASK)

struct slot {
    _Alignas(64) atomic_uint gate;
    heddle_team_work *work;
    void *argument;
    _Alignas(64) atomic_uint left; /* who entered and ended */
    atomic_bool is_waited_for;     /* the caller sleeps on `left` */
};

struct member {
    pthread_t thread;
    atomic_bool is_asleep;
};

struct heddle_team {
    struct slot slots[SLOTS];
    _Alignas(64) atomic_uint posted; /* runs; members sleep on it */
    atomic_int n_sleeping;
    atomic_llong losses[LOSSES_MAX]; /* ns: when threads last lost their cores to others */
    atomic_uint n_losses;
    int n_losses_kept;
    atomic_llong wanted_at; /* ns: when more threads than were ready could have taken part */
    atomic_bool stop;
    atomic_int n_begun; /* members that have their homes */
    bool crowded;       /* more threads than cores */
    int n_members;
    struct member members[]; /* is_asleep: of home i at i - 1 */
};

/* ---- Waiting --------------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_a_little(void)
{
#if defined(__x86_64__)
    for (int i = 0; i < 8; i++) __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void sleep_on(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* There were as many losses of cores, a moment ago, as a quarter of the threads. One alone says little: among many threads one
 * makes way for something short each few ms. */
static bool is_busy(struct heddle_team *team, int64_t now)
{
    const unsigned oldest = atomic_load_explicit(&team->n_losses, memory_order_relaxed);
    const int64_t at = atomic_load_explicit(&team->losses[oldest % (unsigned)team->n_losses_kept],
                                            memory_order_relaxed);
    return at > 0 && now - at < BUSY_NS;
}

static void note_loss(struct heddle_team *team, int64_t now)
{
    const unsigned i = atomic_fetch_add_explicit(&team->n_losses, 1, memory_order_relaxed);
    atomic_store_explicit(&team->losses[i % (unsigned)team->n_losses_kept], now,
                          memory_order_relaxed);
}

/* How often the calling thread had to leave its core to another. */
static long times_put_off(void)
{
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nivcsw : 0;
}

/* Spins until *word is no longer `value`, or `limit_ns` have passed since `begin`; true: it changed. Time is lost to
 * interrupts and to what else runs on the host of a virtual machine, too: many threads lose some every few ms, and sleep
 * would not help. So only what the scheduler says makes the machine busy. */
static bool spin(struct heddle_team *team, const atomic_uint *word, unsigned value, int64_t begin,
                 int64_t limit_ns)
{
    const int64_t from = now_ns();
    int64_t last = from;
    long put_off = -1; /* not asked: most spins end at once */
    for (;;) {
        if (atomic_load_explicit(word, memory_order_acquire) != value) return true;
        if (team->crowded) return false;
        pause_a_little();
        const int64_t now = now_ns();
        if (now - last > GAP_NS && put_off >= 0 && times_put_off() > put_off) note_loss(team, now);
        if (now - begin > limit_ns || (now - begin > SPIN_BUSY_NS && is_busy(team, now)))
            return false;
        if (put_off < 0 && now - from > ASK_NS) put_off = times_put_off();
        last = now;
    }
}

/* Wakes some of the sleepers if fewer than n members are awake. */
static void wake_some(struct heddle_team *team, int n)
{
    const int asleep = atomic_load(&team->n_sleeping), missing = n - (team->n_members - asleep);
    if (asleep > 0 && missing > 0) wake(&team->posted, missing < WAKES ? missing : WAKES);
}

/* ---- Members ----------------------------------------------------------------------------------------- */

static _Thread_local int home; /* 0: of callers */

int heddle__team_home(void)
{
    return home;
}

/* Where a run takes fewer than all, the same ones take part each time if they are awake: what they read may be in their
 * caches. A second run at once gets others. */
static bool is_for_others(struct heddle_team *team, const struct slot *slot, unsigned gate)
{
    const bool is_first = (slot - team->slots) % 2 == 0;
    const int n = (int)LIMIT_OF(gate), first = is_first ? 0 : team->n_members - n;
    if (home > first && home <= first + n) return false;
    for (int i = first; i < first + n; i++)
        if (atomic_load_explicit(&team->members[i].is_asleep, memory_order_relaxed)) return false;
    return !is_busy(team, now_ns());
}

/* Enters and works if the gate lets one in; else false. */
static bool take_part(struct heddle_team *team, struct slot *slot, bool was_asleep)
{
    unsigned gate = atomic_load_explicit(&slot->gate, memory_order_acquire);
    if ((gate & OPEN) && is_for_others(team, slot, gate)) return false;
    do {
        if (!(gate & OPEN) || (gate & COUNT_MASK) >= LIMIT_OF(gate)) return false;
    } while (!atomic_compare_exchange_weak_explicit(&slot->gate, &gate, gate + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    const unsigned thread = (gate & COUNT_MASK) + 1;
    if (was_asleep && thread < LIMIT_OF(gate)) wake_some(team, (int)LIMIT_OF(gate));
    slot->work(slot->argument, (int)thread);
    atomic_fetch_add(&slot->left, 1);
    if (atomic_load(&slot->is_waited_for)) wake(&slot->left, 1);
    return true;
}

static void *member(void *argument)
{
    struct heddle_team *team = argument;
    bool was_asleep = false;
    int64_t idle_since = now_ns(); /* who is not wanted sleeps, though others are */
    home = atomic_fetch_add(&team->n_begun, 1) + 1;
    for (;;) { /* each run is looked at once */
        const unsigned seen = atomic_load(&team->posted);
        if (atomic_load(&team->stop)) return NULL;
        for (int i = 0; i < SLOTS; i++)
            if (take_part(team, &team->slots[i], was_asleep)) idle_since = now_ns();
        was_asleep = !spin(team, &team->posted, seen, idle_since, SPIN_NS);
        if (!was_asleep) continue;
        atomic_bool *const is_asleep = &team->members[home - 1].is_asleep;
        atomic_store_explicit(is_asleep, true, memory_order_relaxed);
        atomic_fetch_add(&team->n_sleeping, 1);
        sleep_on(&team->posted, seen);
        atomic_fetch_sub(&team->n_sleeping, 1);
        atomic_store_explicit(is_asleep, false, memory_order_relaxed);
        idle_since = now_ns();
    }
}

/* ---- Life ------------------------------------------------------------------------------------------- */

struct heddle_team *heddle__team_open(int n_threads, const cpu_set_t *cores)
{
    int n = n_threads - 1;
    if (n < 0) n = 0;
    if (n > MEMBERS_MAX) n = MEMBERS_MAX;
    const size_t size = sizeof(struct heddle_team) + (size_t)n * sizeof(struct member);
    struct heddle_team *team = heddle__alloc_aligned(size);
    if (!team) return NULL;
    memset(team, 0, size);
    cpu_set_t own;
    if (!cores && sched_getaffinity(0, sizeof own, &own) == 0) cores = &own;
    team->crowded = cores && n + 1 > CPU_COUNT(cores);
    const int losses = (n + 1) / LOSSES_OF;
    team->n_losses_kept = losses < 1 ? 1 : losses < LOSSES_MAX ? losses : LOSSES_MAX;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return team;
    if (cores) pthread_attr_setaffinity_np(&attributes, sizeof *cores, cores);
    sigset_t before;
    const bool held = heddle__signals_hold(&before);
    while (team->n_members < n &&
           pthread_create(&team->members[team->n_members].thread, &attributes, member, team) == 0)
        team->n_members++;
    heddle__signals_release(held, &before);
    pthread_attr_destroy(&attributes);
    return team;
}

void heddle__team_close(struct heddle_team *team)
{
    if (!team) return;
    atomic_store(&team->stop, true);
    atomic_fetch_add(&team->posted, 1);
    wake(&team->posted, team->n_members);
    for (int i = 0; i < team->n_members; i++) pthread_join(team->members[i].thread, NULL);
    heddle__free(team);
}

int heddle__team_size(const struct heddle_team *team)
{
    return team ? team->n_members + 1 : 1;
}

/* ---- Runs -------------------------------------------------------------------------------------------- */

static struct slot *claim(struct heddle_team *team)
{
    for (int i = 0; i < SLOTS; i++) {
        unsigned free_gate = 0;
        if (atomic_compare_exchange_strong(&team->slots[i].gate, &free_gate, CLAIMED))
            return &team->slots[i];
    }
    return NULL;
}

static void wait_for_those_inside(struct heddle_team *team, struct slot *slot, unsigned entered)
{
    unsigned left;
    while ((left = atomic_load(&slot->left)) < entered) {
        if (spin(team, &slot->left, left, now_ns(), WAIT_NS)) continue;
        atomic_store(&slot->is_waited_for, true);
        if (atomic_load(&slot->left) == left) sleep_on(&slot->left, left);
    }
}

void heddle__team_run(struct heddle_team *team, int n_threads, heddle_team_work *work,
                      void *argument)
{
    const int limit = n_threads <= heddle__team_size(team) ? n_threads : heddle__team_size(team);
    struct slot *slot = limit > 1 ? claim(team) : NULL;
    if (!slot) {
        work(argument, 0);
        return;
    }
    slot->work = work;
    slot->argument = argument;
    atomic_store_explicit(&slot->gate, OPEN | (unsigned)(limit - 1) << LIMIT_SHIFT,
                          memory_order_release);
    atomic_fetch_add(&team->posted, 1);
    wake_some(team, limit - 1);
    work(argument, 0);
    const unsigned gate = atomic_fetch_and(&slot->gate, ~OPEN);
    wait_for_those_inside(team, slot, gate & COUNT_MASK);
    atomic_store(&slot->is_waited_for, false);
    atomic_store(&slot->left, 0);
    atomic_store_explicit(&slot->gate, 0, memory_order_release);
}

int heddle__team_ready(struct heddle_team *team, int n)
{
    if (!team || n <= 1 || team->n_members == 0) return 1;
    const int asleep = atomic_load_explicit(&team->n_sleeping, memory_order_relaxed);
    const int ready = team->n_members + 1 - asleep;
    if (ready >= n) return n;
    const int64_t now = now_ns();
    const int64_t last = atomic_exchange_explicit(&team->wanted_at, now, memory_order_relaxed);
    if (now - last < OFTEN_NS && !team->crowded && !is_busy(team, now)) wake_some(team, n - 1);
    return ready;
}

/* ---- Lending ------------------------------------------------------------------------------------------ */

static pthread_rwlock_t lending = PTHREAD_RWLOCK_INITIALIZER;
static struct heddle_team *lent;

void heddle__team_lend(struct heddle_team *team)
{
    pthread_rwlock_wrlock(&lending);
    lent = team;
    pthread_rwlock_unlock(&lending);
}

struct heddle_team *heddle__team_borrow(void)
{
    if (pthread_rwlock_tryrdlock(&lending) != 0) return NULL; /* taken back at this moment */
    struct heddle_team *team = lent;
    if (!team) pthread_rwlock_unlock(&lending);
    return team;
}

void heddle__team_give_back(struct heddle_team *team)
{
    if (team) pthread_rwlock_unlock(&lending);
}

/* The team is not here. */
static void in_child(void)
{
    pthread_rwlock_init(&lending, NULL);
    lent = NULL;
}

HEDDLE_AT_FORK(.in_child = in_child)
