#include "machine/machine.h"

#include "run/execute.h"

#include <stdlib.h>

enum heddle_status machine_configure(const struct heddle_config *config)
{
    /* GPUs so slow that small products and arrays are worth sharing among them. */
    struct heddle_policy policy = {.n_gpus = 3,
                                   .n_places = 4,
                                   .n_teams = 1,
                                   .places = {{HEDDLE_PLACE_GPU, 3e3, 3e4, 1e3, 0},
                                              {HEDDLE_PLACE_GPU + 1, 2e3, 1e4, 1e3, 0},
                                              {HEDDLE_PLACE_GPU + 2, 3e3, 3e4, 4e2, 0},
                                              {HEDDLE_PLACE_CPU, 1e3, 1e4, 0, 0}},
                                   .part_bytes = config->part_bytes ? config->part_bytes : 1 << 20,
                                   .inline_bytes = config->inline_bytes,
                                   .fusion = !config->no_fusion};
    heddle__policy_finish(&policy);
    for (const char *at = config->partition; at && *at; at += *at == 'x')
        policy.force[policy.force_n++] = (int32_t)strtol(at, (char **)(uintptr_t)&at, 10);
    heddle__invent_machine(&policy);
    return HEDDLE_OK;
}
