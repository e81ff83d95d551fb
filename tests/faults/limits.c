/* Proves that limits of memory are found: those of control groups along the process's path, in folders as
 * the kernel makes them, and RLIMIT_AS; and that threads that cannot be made are counted. */
#include "base/limits.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define MB ((int64_t)1 << 20)

static char root[] = "/tmp/heddle-test-XXXXXX";

/* Writes a file below the root; makes its folders. */
static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        mkdir(whole, 0700);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    CHECK(file && fputs(text, file) >= 0, "%s", whole);
    if (file) fclose(file);
}

/* Another machine: nothing is there. */
static void clear(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s/*", root);
    CHECK_EQ(system(command), 0);
}

static void test_unified(void)
{
    CHECK_EQ(heddle__cgroup_memory(root), INT64_MAX);
    put("/proc/self/cgroup", "0::/system.slice/job.scope/step\n");
    CHECK_EQ(heddle__cgroup_memory(root), INT64_MAX);
    put("/sys/fs/cgroup/system.slice/job.scope/step/memory.max", "max\n");
    put("/sys/fs/cgroup/system.slice/job.scope/memory.max", "1073741824\n");
    put("/sys/fs/cgroup/system.slice/memory.max", "8589934592\n");
    CHECK_EQ(heddle__cgroup_memory(root), 1024 * MB); /* the one in the middle */
    put("/sys/fs/cgroup/system.slice/job.scope/step/memory.high", "536870912\n");
    CHECK_EQ(heddle__cgroup_memory(root), 512 * MB); /* above it the process is slowed down */
    put("/sys/fs/cgroup/memory.max", "268435456\n");
    CHECK_EQ(heddle__cgroup_memory(root), 256 * MB);
    clear();
    put("/proc/self/cgroup", "0::/\n"); /* in a container that has a view of its own */
    put("/sys/fs/cgroup/memory.max", "4096\n");
    CHECK_EQ(heddle__cgroup_memory(root), 4096);
    put("/proc/self/cgroup", "0::/../other\n"); /* moved out of its view */
    CHECK_EQ(heddle__cgroup_memory(root), 4096);
    put("/proc/self/cgroup", "0::/docker/0123/below\n"); /* the host's path, which is not there */
    CHECK_EQ(heddle__cgroup_memory(root), 4096);
    put("/sys/fs/cgroup/memory.max", "garbage\n");
    CHECK_EQ(heddle__cgroup_memory(root), INT64_MAX);
    clear();
}

static void test_legacy(void)
{
    put("/proc/self/cgroup", "12:cpu,cpuacct:/cpus\n"
                             "11:hugetlb,memory:/slurm/uid_7/job_9/step_0\n"
                             "10:memory_not:/elsewhere\n"
                             "1:name=systemd:/user.slice\n"
                             "0::/user.slice\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    put("/sys/fs/cgroup/memory/slurm/uid_7/job_9/step_0/memory.limit_in_bytes",
        "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/slurm/uid_7/job_9/memory.limit_in_bytes", "2147483648\n");
    put("/sys/fs/cgroup/memory/elsewhere/memory.limit_in_bytes", "1\n");
    CHECK_EQ(heddle__cgroup_memory(root), 2048 * MB);
    put("/sys/fs/cgroup/unified/user.slice/memory.max", "1073741824\n"); /* both at once */
    CHECK_EQ(heddle__cgroup_memory(root), 1024 * MB);
    put("/proc/self/cgroup", "nonsense\n::\n0:\n");
    CHECK_EQ(heddle__cgroup_memory(root), INT64_MAX);
    clear();
}

static void limit_to(int resource, rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = bytes;
    CHECK_EQ(setrlimit(resource, &limit), 0);
}

static void test_address_space(void)
{
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    if (before.rlim_cur != RLIM_INFINITY) return;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* a sanitizer has mapped more than any limit, and ends the process without memory */
#endif
    const bool unlimited = heddle__memory_left() == INT64_MAX;
    CHECK(!unlimited || heddle__memory_has_room((size_t)1 << 46));
    limit_to(RLIMIT_AS, (rlim_t)1 << 43); /* 8 TB */
    const int64_t left = heddle__memory_left();
    CHECK(left > 0 && left < (int64_t)1 << 43, "%lld", (long long)left);
    void *at = mmap(NULL, (size_t)64 * MB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_EQ((left - heddle__memory_left()) / MB, 64);
    munmap(at, (size_t)64 * MB);
    CHECK(heddle__memory_has_room((size_t)left / 2));
    CHECK(!heddle__memory_has_room((size_t)1 << 43));
    limit_to(RLIMIT_AS, (rlim_t)4 * MB); /* less than there is */
    CHECK_EQ(heddle__memory_left(), 0);
    CHECK(!heddle__memory_has_room(0));
    CHECK_EQ(heddle__threads_available(2), 0);
    limit_to(RLIMIT_AS, before.rlim_cur);
    CHECK_EQ(heddle__threads_available(0), 0);
    CHECK_EQ(heddle__threads_available(7), 7);
}

int main(void)
{
    int64_t left;
    CHECK(mkdtemp(root) != NULL);
    test_unified();
    test_legacy();
    test_address_space();
    CHECK(heddle__stack_has_room(&left) && left > 1 << 18);
    remove(root);
    return check_done();
}
