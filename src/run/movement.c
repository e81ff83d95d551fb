/* Movement that nobody asked for: parts that tasks read at another place than where they live. Finds it
 * from the plan alone, before anything is submitted, and reports it on standard error, or refuses it, as
 * the settings say. Entry point: heddle__check_movement. */
#include "base/memory.h"
#include "base/text.h"
#include "run/counters/counters.h"
#include "run/execute.h"
#include "run/settings.h"

#include <stdio.h>
#include <stdlib.h>

/* A part that is read at `to`. */
struct move {
    heddle_place from, to;
    int32_t array, part;
    int64_t bytes;
};

struct moves {
    struct move *at;
    int64_t n, room;
};

/* ---- Finding ----------------------------------------------------------------------------------------- */

enum { N_PLACES = HEDDLE_MAX_TEAMS + HEDDLE_MAX_GPUS };

static int number_of(heddle_place place)
{
    const bool is_gpu = place >= HEDDLE_PLACE_GPU;
    const int number = place - (is_gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU);
    if (number < 0 || number >= (is_gpu ? (int)HEDDLE_MAX_GPUS : (int)HEDDLE_MAX_TEAMS)) return -1;
    return number + (is_gpu ? (int)HEDDLE_MAX_TEAMS : 0);
}

static bool is_read(const struct heddle_plan *plan, const struct heddle_plan_use *use)
{
    return use->mode == HEDDLE_READ && use->place != HEDDLE_ANYWHERE &&
           !plan->arrays[use->array].partial && !plan->arrays[use->array].fresh;
}

/* Where a task runs; for one that may run anywhere, where most of what it reads lives. */
static heddle_place place_of(const struct heddle_plan *plan, const struct heddle_plan_task *task)
{
    if (task->place != HEDDLE_ANYWHERE) return task->place;
    int64_t bytes[N_PLACES] = {0}, most = 0;
    heddle_place place = HEDDLE_ANYWHERE;
    for (int32_t i = 0; i < task->n_uses; i++) {
        const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        const int at = is_read(plan, use) ? number_of(use->place) : -1;
        if (at < 0 || (bytes[at] += heddle__use_bytes(plan, use)) <= most) continue;
        most = bytes[at];
        place = use->place;
    }
    return place;
}

/* Adds what a task moves. False when memory is gone. */
static bool add_moves(struct moves *moves, const struct heddle_plan *plan,
                      const struct heddle_plan_task *task)
{
    const heddle_place to = place_of(plan, task);
    for (int32_t i = 0; i < task->n_uses && to != HEDDLE_ANYWHERE; i++) {
        const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        if (!is_read(plan, use) || use->place == to) continue;
        if (!heddle__grow(&moves->at, sizeof *moves->at, moves->n + 1, &moves->room)) return false;
        moves->at[moves->n++] =
            (struct move){use->place, to, use->array, use->part, heddle__use_bytes(plan, use)};
    }
    return true;
}

static int compare(const void *x, const void *y)
{
    const struct move *a = x, *b = y;
    const int32_t keys[][2] = {
        {a->from, b->from}, {a->to, b->to}, {a->array, b->array}, {a->part, b->part}};
    for (int i = 0; i < 4; i++)
        if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Counts each part once, then makes one move of all of a link. */
static void sum_up(struct moves *moves)
{
    if (moves->n > 1) qsort(moves->at, (size_t)moves->n, sizeof *moves->at, compare);
    int64_t n = 0;
    for (int64_t i = 0; i < moves->n; i++) {
        const struct move m = moves->at[i];
        if (n > 0 && compare(&m, &moves->at[n - 1]) == 0) continue;
        moves->at[n++] = m;
    }
    moves->n = n;
    n = 0;
    for (int64_t i = 0; i < moves->n; i++) {
        const struct move m = moves->at[i];
        if (n > 0 && moves->at[n - 1].from == m.from && moves->at[n - 1].to == m.to)
            moves->at[n - 1].bytes += m.bytes;
        else
            moves->at[n++] = m;
    }
    moves->n = n;
}

/* ---- Reporting ---------------------------------------------------------------------------------------- */

/* "512 kB from cpu:0 to cpu:1, 1 MB from ..." */
static void put_moves(struct heddle_text *t, const struct moves *moves)
{
    enum { MOST = 4 };
    char from[HEDDLE_PLACE_NAME_MAX], to[HEDDLE_PLACE_NAME_MAX];
    for (int64_t i = 0; i < moves->n && i < MOST; i++) {
        const struct move *m = &moves->at[i];
        heddle__text_put_all(t, i > 0 ? ", " : "");
        heddle__text_put_bytes(t, (double)m->bytes);
        heddle__text_put(t, " from %s to %s", heddle_place_name(m->from, from),
                         heddle_place_name(m->to, to));
    }
    if (moves->n > MOST)
        heddle__text_put(t, " and over %lld more links", (long long)(moves->n - MOST));
}

int64_t heddle__n_refused;

static enum heddle_status say(const struct moves *moves, enum heddle_movement movement)
{
    struct heddle_text t = {0};
    char *text;
    put_moves(&t, moves);
    enum heddle_status status = heddle__text_end(&t, "heddle_eval", &text);
    if (status != HEDDLE_OK) return status;
    if (movement == HEDDLE_MOVE_FORBIDDEN) {
        heddle__n_refused++;
        status = heddle__fail(HEDDLE_EARG,
                              "heddle_eval: movement is forbidden, and %s would move; "
                              "heddle_distribute says what may",
                              text);
    } else {
        for (int64_t i = 0; i < moves->n; i++)
            heddle__count(&heddle__counters.implicit_bytes, moves->at[i].bytes);
        fprintf(stderr, "heddle: implicit movement: %s\n", text);
    }
    heddle__free(text);
    return status;
}

enum heddle_status heddle__check_movement(const struct heddle_plan *plan)
{
    const struct heddle_settings *settings = heddle__settings();
    if (!settings || settings->movement == HEDDLE_MOVE_FREELY) return HEDDLE_OK;
    struct moves moves = {0};
    enum heddle_status status = HEDDLE_OK;
    for (int64_t t = 0; t < plan->n_tasks && status == HEDDLE_OK; t++)
        if (!plan->steps[plan->tasks[t].step].asked && !add_moves(&moves, plan, &plan->tasks[t]))
            status = heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for what moves");
    if (status == HEDDLE_OK && moves.n > 0) {
        sum_up(&moves);
        status = say(&moves, settings->movement);
    }
    heddle__free(moves.at);
    return status;
}
