/* Reports of kernels on GPUs, recycled. A kernel may still write one after its array is gone. So the report
 * that was put back first is given out next, which is late, and each time with another tag, so that what
 * an old kernel writes is not taken for the new array's. Entry points: reports.h, heddle__fault_report,
 * heddle__reports_close. */
#include "array/reports.h"

#include "array/devices.h"
#include "base/at_fork.h"
#include "base/memory.h"

#include <pthread.h>

enum { PAGE = 1024 }; /* reports in one block of memory */

struct page {
    struct page *next;
    volatile int64_t *words; /* [PAGE][HEDDLE_REPORT_WORDS] */
    struct heddle_fault *of[PAGE];
    int free[PAGE];        /* a ring of those that are not in use */
    int64_t n_out, n_back; /* since the page was made */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
HEDDLE_AT_FORK(.mutex = &mutex)
static struct page *pages;
static int64_t last_tag;

static struct page *new_page(void)
{
    struct page *p = heddle__devices ? heddle__calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->words = heddle__devices->shared_get(PAGE * HEDDLE_REPORT_WORDS * sizeof(int64_t));
    if (!p->words) {
        heddle__free(p);
        return NULL;
    }
    for (int i = 0; i < PAGE; i++) p->free[i] = i;
    p->n_back = PAGE;
    p->next = pages;
    return pages = p;
}

/* get, take and put run under the mutex. */
static void get(struct heddle_fault *fault)
{
    struct page *p = pages;
    while (p && p->n_back == p->n_out) p = p->next;
    if (!p && !(p = new_page())) return;
    const int i = p->free[p->n_out++ % PAGE];
    p->of[i] = fault;
    fault->report = (struct heddle_report){p->words + i * HEDDLE_REPORT_WORDS, ++last_tag};
    fault->report.words[0] = 0;
    atomic_store_explicit(&fault->has_report, true, memory_order_release);
}

static void take(struct heddle_fault *fault)
{
    const struct heddle_report *report = &fault->report;
    if (!atomic_load(&fault->has_report) || report->words[0] != report->tag) return;
    int64_t words[HEDDLE_REPORT_WORDS];
    char text[sizeof fault->text] = "";
    for (int i = 0; i < HEDDLE_REPORT_WORDS; i++) words[i] = report->words[i];
    const enum heddle_status code = fault->describe(words, text, sizeof text);
    heddle__fault_set(fault, code, text);
}

static void put(struct page *p, int i)
{
    atomic_store(&p->of[i]->has_report, false);
    p->of[i] = NULL;
    p->free[p->n_back++ % PAGE] = i;
}

bool heddle__fault_report(struct heddle_fault *fault, heddle_describe *describe,
                          struct heddle_report *report)
{
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&fault->has_report)) {
        fault->describe = describe;
        get(fault);
    }
    const bool has = atomic_load(&fault->has_report);
    if (has) *report = fault->report;
    pthread_mutex_unlock(&mutex);
    return has;
}

void heddle__report_take(struct heddle_fault *fault)
{
    pthread_mutex_lock(&mutex);
    take(fault);
    pthread_mutex_unlock(&mutex);
}

void heddle__report_put(struct heddle_fault *fault)
{
    const volatile int64_t *words = fault->report.words;
    pthread_mutex_lock(&mutex);
    for (struct page *p = pages; p && atomic_load(&fault->has_report); p = p->next)
        if (words >= p->words && words < p->words + PAGE * HEDDLE_REPORT_WORDS)
            put(p, (int)((words - p->words) / HEDDLE_REPORT_WORDS));
    pthread_mutex_unlock(&mutex);
}

void heddle__reports_close(void)
{
    pthread_mutex_lock(&mutex);
    while (pages) {
        struct page *p = pages;
        pages = p->next;
        for (int i = 0; i < PAGE; i++) {
            if (!p->of[i]) continue;
            take(p->of[i]);
            put(p, i);
        }
        heddle__devices->shared_put((void *)(uintptr_t)p->words);
        heddle__free(p);
    }
    pthread_mutex_unlock(&mutex);
}
