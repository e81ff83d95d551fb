/* What becomes of a program while its form is compiled on another thread: it is interpreted meanwhile, and runs compiled
 * afterwards, whoever remembers what of it; with compilers that are not there, fail or hang; over fork and exit. Each case is a
 * process of its own, which leaves no file and no process. */
#include "build.h"
#include "check.h"
#include "cpu/compiled/forms.h"
#include "cpu/compiled/object.h"

#include <base/memory.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 5000 };

static double x[N], out[N];
static char folder[] = "/tmp/heddle-life-XXXXXX", script[64];

/* y = (x + 1) * 2 - x, by a form of number `hash`. */
static void build(struct build *b, uint64_t hash)
{
    const int64_t n = N;
    build_begin(b, 1, 1, &n);
    const int v = build_load(b, HEDDLE_FLOAT64, x, NULL, 0);
    const int sum = build_op(b, HEDDLE_OP_ADD, HEDDLE_FLOAT64, v, build_f64(b, 1));
    const int product = build_op(b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT64, sum, build_f64(b, 2));
    build_store(b, build_op(b, HEDDLE_OP_SUBTRACT, HEDDLE_FLOAT64, product, v), HEDDLE_FLOAT64, out,
                NULL, 0);
    b->program.hash = hash;
}

static void check_out(double added)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += out[i] != (x[i] + added) * 2 - x[i];
    CHECK_EQ(wrong, 0);
}

static void run(struct build *b, struct heddle_cpu_memo **memo, double added)
{
    memset(out, 0, sizeof out);
    CHECK_EQ(memo ? build_run_again(b, 1, memo) : build_run(b, 1), HEDDLE_OK);
    check_out(added);
}

static void write_script(const char *text)
{
    FILE *const file = fopen(script, "w");
    CHECK(file != NULL);
    if (!file) exit(1);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    fclose(file);
    chmod(script, 0700);
    setenv("HEDDLE_CC", script, 1);
    heddle__forms_allow(true);
}

/* ---- Cases ------------------------------------------------------------------------------------- */

/* This compiler subtracts where it should add, which shows who computes. It waits until it may go on, so that nothing is
 * compiled sooner than it is asked about. */
static void compiled_later(void)
{
    struct build b;
    struct heddle_cpu_memo *memo = NULL;
    char go[80], begun[80];
    snprintf(go, sizeof go, "%s.go", script);
    snprintf(begun, sizeof begun, "%s.begun", script);
    write_script(": >$0.begun; while [ ! -e $0.go ]; do sleep 0.01; done; "
                 "for a; do case $a in *.c) sed -i 's/hd_float64_add(x, y)/(x - y)/' $a;; esac; "
                 "done; exec cc \"$@\"");
    build(&b, 1);
    for (int ms = 0; ms < 10000 && access(begun, F_OK) != 0; ms++) { /* remembered as interpreted */
        run(&b, &memo, 1);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    FILE *const file = fopen(go, "w");
    CHECK(file != NULL);
    if (file) fclose(file);
    heddle__forms_wait();
    unlink(go);
    unlink(begun);
    CHECK_EQ(heddle__forms_counters().ready, 1);
    run(&b, &memo, -1);
    run(&b, NULL, -1);
    heddle__forms_allow(false);
    run(&b, NULL, 1);
    heddle__free(memo);
    CHECK_EQ(heddle__alloc_live(), 0);
}

static void no_compiler(const char *compiler)
{
    struct build b;
    struct heddle_cpu_memo *memo = NULL;
    setenv("HEDDLE_CC", compiler, 1);
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    build(&b, 1);
    for (int k = 0; k < 3; k++) run(&b, &memo, 1);
    CHECK_EQ(heddle__forms_counters().failed, 1);
    heddle__free(memo);
    CHECK_EQ(heddle__alloc_live(), 0);
}

static void empty_name(void)
{
    no_compiler("");
}

static void not_there(void)
{
    no_compiler("no-such-compiler");
}

static void fails(void)
{
    no_compiler("false");
}

static void makes_nothing(void)
{
    no_compiler("true");
}

/* Runs it until the compiler has begun, which then names what it waits for. */
static void await_begin(struct build *b)
{
    char path[80];
    snprintf(path, sizeof path, "%s.pid", script);
    for (int ms = 0; ms < 5000 && access(path, F_OK) != 0; ms++) {
        run(b, NULL, 1);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    CHECK_EQ(access(path, F_OK), 0);
}

static void begin_hanging(struct build *b)
{
    write_script("sleep 1000 & echo $! >$0.new; mv $0.new $0.pid; wait");
    build(b, 1);
    await_begin(b);
    run(b, NULL, 1);
}

static void exits(void)
{
    struct build b;
    begin_hanging(&b);
}

/* A child begins again what its parent's thread was about. */
static void forks(void)
{
    struct build b;
    begin_hanging(&b);
    const pid_t child = fork();
    if (child == 0) {
        run(&b, NULL, 1);
        write_script("exec cc \"$@\""); /* of the same name */
        build(&b, 2);
        heddle__forms_hurry(true);
        run(&b, NULL, 1); /* has a thread of its own now, which began with that of the parent's */
        CHECK_EQ(heddle__forms_counters().ready, 2);
        exit(check_done());
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    run(&b, NULL, 1);
}

/* ---- Processes --------------------------------------------------------------------------------- */

static int files_left(void)
{
    DIR *const dir = opendir(folder);
    int n = 0;
    for (const struct dirent *e; dir && (e = readdir(dir));)
        n += e->d_name[0] != '.' && strcmp(e->d_name, "cc.sh") != 0;
    if (dir) closedir(dir);
    return n;
}

/* Whether what the compiler waited for has ended, too. */
static bool has_ended(void)
{
    char path[80];
    int pid = 0;
    snprintf(path, sizeof path, "%s.pid", script);
    FILE *const file = fopen(path, "r");
    if (!file) return true;
    const bool named = fscanf(file, "%d", &pid) == 1;
    fclose(file);
    unlink(path);
    for (int ms = 0; named && ms < 20000 && kill(pid, 0) == 0; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return named && kill(pid, 0) != 0;
}

static void process(const char *name, void (*test)(void))
{
    int status = 0;
    const time_t begin = time(NULL);
    const pid_t child = fork();
    if (child == 0) {
        heddle__forms_hurry(false);
        test();
        exit(check_done());
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %d", name, status);
    CHECK(time(NULL) - begin < 15, "%s: it hung", name);
    CHECK(has_ended(), "%s: a process is left", name);
    CHECK(files_left() == 0, "%s: %d files are left", name, files_left());
}

int main(void)
{
    for (int i = 0; i < N; i++) x[i] = i * 0.25;
    if (!mkdtemp(folder)) return 1;
    snprintf(script, sizeof script, "%s/cc.sh", folder);
    setenv("TMPDIR", folder, 1);
    heddle__object_folder = NULL;
    process("later", compiled_later);
    process("empty", empty_name);
    process("not there", not_there);
    process("fails", fails);
    process("nothing", makes_nothing);
    process("exit", exits);
    process("fork", forks);
    unlink(script);
    rmdir(folder);
    return check_done();
}
