/* Proves that the CPU's small systems are right, for each instruction set, by one thread and several (systems_calls.h). */
#include "check.h"
#include "families/systems_calls.h"

#include "base/team.h"

#include <stdlib.h>
#include <string.h>

extern const struct heddle_cpu_kernel heddle__systems_cpu;

static void *blocks[8];
static int n_blocks;

static void *put(const void *from, size_t bytes)
{
    CHECK(n_blocks < (int)(sizeof blocks / sizeof *blocks), "room");
    return blocks[n_blocks++] = memcpy(malloc(bytes), from, bytes);
}

static void get(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void free_all(void)
{
    while (n_blocks > 0) free(blocks[--n_blocks]);
}

int main(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        struct heddle_team *team = heddle__team_open(threads, NULL);
        systems_calls(&(struct systems_machine){.run = heddle__systems_cpu.run,
                                                .put = put,
                                                .get = get,
                                                .free_all = free_all,
                                                .context = {.team = team}});
        heddle__team_close(team);
    }
    return check_done();
}
