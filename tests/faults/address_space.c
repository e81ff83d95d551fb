/* Proves that under any limit of the address space a program ends in time with the right answer or with
 * HEDDLE_ENOMEM and a text. Runs itself as a child with (limit, MB beside what is mapped, MB of data). */
#include "check.h"

#include <heddle.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB ((size_t)1 << 20)
enum { TIME_LIMIT_S = 60, RIGHT = 0, NO_MEMORY = 3, WRONG = 4 };

/* Bytes that are mapped (field 0 of statm), or data (field 5). */
static size_t mapped(bool data)
{
    long long pages[6] = {0};
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    for (int i = 0; i < 6; i++)
        if (fscanf(file, "%lld", &pages[i]) != 1) break;
    fclose(file);
    return (size_t)pages[data ? 5 : 0] * (size_t)sysconf(_SC_PAGESIZE);
}

static int no_memory(const char *text)
{
    printf("%.160s\n", text);
    return *text ? NO_MEMORY : WRONG;
}

static int child(bool data, size_t left, size_t size)
{
    const int which = data ? RLIMIT_DATA : RLIMIT_AS;
    struct rlimit limit;
    getrlimit(which, &limit);
    limit.rlim_cur = mapped(data) + left * MB;
    alarm(TIME_LIMIT_S); /* a hang is a signal */
    if (setrlimit(which, &limit) != 0) return 77;
    if (heddle_configure(&(struct heddle_config){
            .devices = "cpu", .inline_bytes = -1, .part_bytes = (int64_t)MB}) != HEDDLE_OK)
        return no_memory(heddle_last_error());

    const int64_t n = (int64_t)(size * MB / 8), shape[] = {n};
    double total = 0;
    heddle_array *ones = heddle_ones_with(1, shape, NULL);
    heddle_array *twos = heddle_add(ones, ones);
    enum heddle_status status = heddle_eval(twos); /* kept: as large as `size` */
    heddle_array *sum = heddle_sum(heddle_multiply(twos, twos));
    if (status == HEDDLE_OK) status = heddle_read(sum, &total, sizeof total);
    const int code = status == HEDDLE_ENOMEM    ? no_memory(heddle_last_error())
                     : status != HEDDLE_OK      ? WRONG
                     : total == 4.0 * (double)n ? RIGHT
                                                : WRONG;
    heddle_release(sum);
    heddle_release(twos);
    heddle_release(ones);
    status = heddle_shutdown(); /* moves what is kept, one array at a time */
    if (status == HEDDLE_ENOMEM) return code == WRONG ? WRONG : no_memory(heddle_last_error());
    return status == HEDDLE_OK ? code : WRONG;
}

/* Runs the child; expected -1: either outcome is right. */
static void expect(const char *self, bool data, int left, int size, int expected)
{
    char name[8], room[16], bytes[16];
    snprintf(name, sizeof name, "%s", data ? "data" : "space");
    snprintf(room, sizeof room, "%d", left);
    snprintf(bytes, sizeof bytes, "%d", size);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        execl(self, self, name, room, bytes, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    CHECK(expected < 0 ? code == RIGHT || code == NO_MEMORY : code == expected,
          "%s: %d MB left for %d MB: %d (negative: a signal)", name, left, size, code);
}

int main(int argc, char **argv)
{
    if (argc > 3) return child(argv[1][0] == 'd', (size_t)atoi(argv[2]), (size_t)atoi(argv[3]));
    static const int left[] = {0, 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        expect(argv[0], false, left[i], 64, -1);
        if (i % 3 == 2) expect(argv[0], true, left[i], 64, -1);
    }
    expect(argv[0], false, 2048, 64, RIGHT);
    expect(argv[0], true, 2048, 64, RIGHT);
    expect(argv[0], false, 512, 2048, NO_MEMORY);
    expect(argv[0], true, 512, 2048, NO_MEMORY);
    return check_done();
}
