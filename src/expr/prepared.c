/* Texts that run many times: recorded where inputs are of a new kind, done again where they are not (run/replay.h). Entry
 * points: heddle/prepared.h. */
#include "base/memory.h"
#include "expr/value.h"
#include "graph/node.h"
#include "run/evaluate.h"
#include "run/replay.h"

#include <heddle/expr.h>
#include <heddle/prepared.h>
#include <string.h>

_Static_assert((int)HEDDLE_PREPARED_NAMES <= (int)HEDDLE_REPLAY_ARRAYS, "runs can be kept");

struct heddle_prepared {
    int n_inputs, n_outputs;
    int replaced[HEDDLE_PREPARED_NAMES]; /* the input that has an output's name; -1: none */
    const char *inputs[HEDDLE_PREPARED_NAMES], *outputs[HEDDLE_PREPARED_NAMES];
    struct heddle_replays replays;
    char text[]; /* followed by the names */
};

/* ---- Making ------------------------------------------------------------------------------------------- */

/* The number of bytes of all names, zeros at their ends included; -1: one of them is none, or there are too many. */
static int64_t names_bytes(const char *what, int n, const char *const *names)
{
    int64_t bytes = 0;
    if (n < 0 || n > HEDDLE_PREPARED_NAMES || (n > 0 && !names)) {
        heddle__fail(HEDDLE_EARG, "heddle_prepare: %d %s at %s; at most %d", n, what,
                     names ? "an array" : "NULL", HEDDLE_PREPARED_NAMES);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (!names[i] || !heddle__is_name(names[i])) {
            heddle__fail(HEDDLE_EARG, "heddle_prepare: %s %d: '%.60s' is not a name", what, i,
                         names[i] ? names[i] : "NULL");
            return -1;
        }
        for (int k = 0; k < i; k++)
            if (!strcmp(names[k], names[i])) {
                heddle__fail(HEDDLE_EARG, "heddle_prepare: '%.60s' is twice among the %s", names[i],
                             what);
                return -1;
            }
        bytes += (int64_t)strlen(names[i]) + 1;
    }
    return bytes;
}

static char *copy_names(char *at, int n, const char *const *names, const char **copies)
{
    for (int i = 0; i < n; i++) {
        const size_t bytes = strlen(names[i]) + 1;
        copies[i] = memcpy(at, names[i], bytes);
        at += bytes;
    }
    return at;
}

heddle_prepared *heddle_prepare(const char *text, int n_inputs, const char *const *inputs,
                                int n_outputs, const char *const *outputs)
{
    if (!text) {
        heddle__fail(HEDDLE_EARG, "heddle_prepare: the text is NULL");
        return NULL;
    }
    const int64_t in = names_bytes("inputs", n_inputs, inputs);
    const int64_t out = in < 0 ? -1 : names_bytes("outputs", n_outputs, outputs);
    if (out < 0) return NULL;
    const size_t bytes = strlen(text) + 1;
    struct heddle_prepared *p = heddle__calloc(1, sizeof *p + bytes + (size_t)in + (size_t)out);
    if (!p) {
        heddle__fail(HEDDLE_ENOMEM, "heddle_prepare: out of memory");
        return NULL;
    }
    p->n_inputs = n_inputs;
    p->n_outputs = n_outputs;
    memcpy(p->text, text, bytes);
    copy_names(copy_names(p->text + bytes, n_inputs, inputs, p->inputs), n_outputs, outputs,
               p->outputs);
    for (int k = 0; k < n_outputs; k++) {
        p->replaced[k] = n_inputs - 1;
        while (p->replaced[k] >= 0 && strcmp(p->inputs[p->replaced[k]], p->outputs[k]) != 0)
            p->replaced[k]--;
    }
    return p;
}

void heddle_prepared_release(heddle_prepared *p)
{
    if (!p) return;
    heddle__replays_clear(&p->replays);
    heddle__free(p);
}

/* ---- Running -------------------------------------------------------------------------------------------- */

static enum heddle_status check_inputs(const char *name, const heddle_prepared *p,
                                       heddle_array *const *inputs, const void *outputs)
{
    HEDDLE_REQUIRE(p, HEDDLE_EARG, "heddle_%s: what was prepared is NULL", name);
    HEDDLE_REQUIRE(inputs || p->n_inputs == 0, HEDDLE_EARG, "heddle_%s: the inputs are NULL", name);
    HEDDLE_REQUIRE(outputs || p->n_outputs == 0, HEDDLE_EARG, "heddle_%s: the outputs are NULL",
                   name);
    for (int i = 0; i < p->n_inputs; i++)
        HEDDLE_REQUIRE(inputs[i], HEDDLE_EARG, "heddle_%s: input '%.60s' is NULL", name,
                       p->inputs[i]);
    return HEDDLE_OK;
}

/* Records the text: references for the caller, errors on failure. Drops the draft if elements were asked for. */
static enum heddle_status record(const heddle_prepared *p, struct heddle_replay_call *call)
{
    struct heddle_binding in[HEDDLE_PREPARED_NAMES], out[HEDDLE_PREPARED_NAMES];
    const int64_t asked = heddle__n_asked;
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < p->n_inputs; i++)
        in[i] = (struct heddle_binding){p->inputs[i], call->inputs[i]};
    for (int k = 0; k < p->n_outputs; k++) out[k] = (struct heddle_binding){p->outputs[k], NULL};
    const enum heddle_status status = heddle_expr_run(p->text, p->n_inputs, in, p->n_outputs, out);
    for (int k = 0; k < p->n_outputs; k++)
        call->outputs[k] = heddle_keep(out[k].array ? out[k].array : heddle__error_last());
    heddle_scope_close(scope);
    if (status != HEDDLE_OK || heddle__n_asked != asked) heddle__replay_drop(call);
    return status;
}

enum heddle_status heddle_prepared_run(heddle_prepared *p, heddle_array *const *inputs,
                                       heddle_array **outputs)
{
    static const char name[] = "prepared_run";
    enum heddle_status status = check_inputs(name, p, inputs, outputs);
    if (status != HEDDLE_OK) {
        for (int k = 0; p && outputs && k < p->n_outputs; k++) outputs[k] = heddle__error_last();
        return status;
    }
    struct heddle_replay_call call = {.name = name,
                                      .n_inputs = p->n_inputs,
                                      .n_outputs = p->n_outputs,
                                      .inputs = inputs,
                                      .outputs = outputs};
    if (!heddle__replay(&p->replays, &call, &status)) {
        status = record(p, &call);
        const enum heddle_status evaluated = heddle__replay_evaluate(&p->replays, &call);
        if (status == HEDDLE_OK) status = evaluated;
    }
    for (int k = 0; k < p->n_outputs; k++) outputs[k] = heddle__adopt(outputs[k]);
    return status;
}

enum heddle_status heddle_prepared_advance(heddle_prepared *p, heddle_array **arrays)
{
    static const char name[] = "prepared_advance";
    heddle_array *next[HEDDLE_PREPARED_NAMES], *before[HEDDLE_PREPARED_NAMES];
    enum heddle_status status = check_inputs(name, p, arrays, next);
    if (status != HEDDLE_OK) return status;
    struct heddle_replay_call call = {.name = name,
                                      .n_inputs = p->n_inputs,
                                      .n_outputs = p->n_outputs,
                                      .inputs = before,
                                      .outputs = next};
    for (int k = 0; k < p->n_outputs; k++) {
        HEDDLE_REQUIRE(p->replaced[k] >= 0, HEDDLE_EARG,
                       "heddle_%s: output '%.60s' is not among the inputs", name, p->outputs[k]);
        call.given |= UINT64_C(1) << p->replaced[k];
    }
    for (int i = 0; i < p->n_inputs; i++) before[i] = arrays[i];
    const bool is_done = heddle__replay(&p->replays, &call, &status);
    if (!is_done) {
        status = record(p, &call);
        if (status != HEDDLE_OK) { /* nothing has been computed */
            for (int k = 0; k < p->n_outputs; k++) heddle_release(next[k]);
            return status;
        }
    }
    for (int k = 0; k < p->n_outputs; k++) {
        arrays[p->replaced[k]] = next[k];
        heddle_release(before[p->replaced[k]]);
    }
    return is_done ? status : heddle__replay_evaluate(&p->replays, &call);
}
