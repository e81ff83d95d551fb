/* Notes which parts go to another place before their reader asks for them. A part that another place
 * reads goes to the first such place as soon as it is made. A part that several places read goes from each to the
 * next reader as soon as it has come there; so it leaves its home once, and all links carry it at the
 * same time (a broadcast along a chain: R. van de Geijn, J. Watts, SUMMA, 1997). The plan is finished: its
 * slots say which parts are the same. Entry point: heddle__note_forwarding. */
#include "plan/cut/cut.h"
#include "plan/policy/thresholds.h"

#include <string.h>

/* Whether a task sends what it makes: not one that may run anywhere, nor one of a long stream on GPUs, whose inputs need the
 * links more. */
static bool sends(const struct heddle_planner *p, const struct heddle_plan_task *task)
{
    if (task->place == HEDDLE_ANYWHERE) return false;
    return task->place < HEDDLE_PLACE_GPU ||
           p->plan->steps[task->step].n_tasks <=
               heddle__thresholds.sends_tasks * (int64_t)p->policy->n_places;
}

/* Where a part is read next, and where first at another place than that. */
struct readers {
    heddle_place next, other;
};

/* Goes backwards, to know where each part is read next before it is written again. */
static bool send_made(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    const struct readers none = {HEDDLE_ANYWHERE, HEDDLE_ANYWHERE};
    struct readers *readers =
        heddle__arena_alloc(&p->scratch, (size_t)plan->n_slots * sizeof *readers);
    if (!readers) return false;
    for (int64_t i = 0; i < plan->n_slots; i++) readers[i] = none;
    for (int64_t t = plan->n_tasks - 1; t >= 0; t--) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        for (int32_t i = 0; i < task->n_uses; i++) {
            struct heddle_plan_use *use = &plan->uses[task->first_use + i];
            struct readers *r = &readers[use->slot];
            if (use->mode & HEDDLE_WRITE) {
                if (sends(p, task) && plan->arrays[use->array].role == HEDDLE_ROLE_TEMPORARY)
                    use->send_to = r->next != task->place ? r->next : r->other;
                *r = none;
            } else if (r->next != task->place)
                *r = (struct readers){task->place, r->next};
        }
    }
    return true;
}

/* Where cores that made a part sent it, over a slow link, and the GPUs that have read it since then: all, the first, and the
 * last one's use of it. */
struct reading {
    uint64_t places[(HEDDLE_POLICY_PLACES + 63) / 64];
    heddle_place sent_to, first;
    struct heddle_plan_use *last;
};

static bool send_on(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    const size_t bytes = (size_t)plan->n_slots * sizeof(struct reading);
    struct reading *readings = heddle__arena_alloc(&p->scratch, bytes);
    if (!readings) return false;
    memset(readings, 0, bytes);
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        const int number = heddle__policy_number(p->policy, task->place);
        for (int32_t i = 0; i < task->n_uses; i++) {
            struct heddle_plan_use *use = &plan->uses[task->first_use + i];
            struct reading *r = &readings[use->slot];
            if (use->mode & HEDDLE_WRITE)
                *r = (struct reading){.sent_to = task->place < HEDDLE_PLACE_GPU ? use->send_to
                                                                                : HEDDLE_ANYWHERE};
            if (use->mode != HEDDLE_READ || number < 0 || task->place < HEDDLE_PLACE_GPU) continue;
            if (!r->last) r->first = task->place;
            use->is_sent = r->first != task->place || r->sent_to == task->place;
            plan->waits_for_data |= use->is_sent || plan->arrays[use->array].on_host;
            if (r->places[number / 64] >> number % 64 & 1) continue;
            r->places[number / 64] |= (uint64_t)1 << number % 64;
            if (r->last) r->last->send_to = task->place;
            r->last = use;
        }
    }
    return true;
}

bool heddle__note_forwarding(struct heddle_planner *p)
{
    return p->policy->n_gpus == 0 || (send_made(p) && send_on(p));
}
