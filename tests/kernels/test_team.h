/* Teams of 1 to 64 threads for tests of kernels; test_teams_close ends them. */
#ifndef HEDDLE_TESTS_KERNELS_TEST_TEAM_H
#define HEDDLE_TESTS_KERNELS_TEST_TEAM_H

#include "base/team.h"

static struct heddle_team *test_teams[65];

static inline struct heddle_team *test_team(int n_threads)
{
    if (n_threads > 1 && !test_teams[n_threads])
        test_teams[n_threads] = heddle__team_open(n_threads, NULL);
    return n_threads > 1 ? test_teams[n_threads] : NULL;
}

static inline void test_teams_close(void)
{
    for (int n = 0; n <= 64; n++) {
        heddle__team_close(test_teams[n]);
        test_teams[n] = NULL;
    }
}

#endif
