/* The command `heddle`: chooses the subcommand. Entry point: main. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int usage_error(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("heddle: ", stderr);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nTry 'heddle help%s%s'.\n", command ? " " : "", command ? command : "");
    va_end(args);
    return EXIT_USAGE;
}

int failure(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("heddle: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_EVALUATION;
}

void warn_of_variables(bool all)
{
    int n = 0, room;
    if (heddle_variables(0, NULL, &n) != HEDDLE_OK) return;
    struct heddle_variable *const variables = calloc((size_t)n + 1, sizeof *variables);
    room = variables ? n : 0;
    if (heddle_variables(room, variables, &n) != HEDDLE_OK) n = 0;
    for (int i = 0; i < room && i < n; i++)
        if (!variables[i].is_known && (all || variables[i].meant[0]))
            fprintf(stderr, "heddle: warning: %s\n", variables[i].problem);
    free(variables);
}

/* Makes output that was not written a failure: heddle eval ... > /dev/full. */
static int flushed(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return failure("standard output cannot be written");
}

/* With less the command could end anywhere, by a signal. */
static bool has_stack(void)
{
    enum { LEAST_KB = 64 };
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST_KB * 1024) return true;
    fprintf(stderr, "heddle: a stack of %lld KB (ulimit -s) is too small; 512 KB are enough\n",
            (long long)stack.rlim_cur / 1024);
    return false;
}

int main(int argc, char **argv)
{
    const char *const command = argc > 1 ? argv[1] : NULL;
    if (!has_stack()) return EXIT_FAILURE;
    if (!command) {
        print_help(stderr, NULL);
        return EXIT_USAGE;
    }
    if (!strcmp(command, "eval")) return flushed(command_eval(argc - 1, argv + 1));
    if (!strcmp(command, "info")) return flushed(command_info(argc - 1, argv + 1));
    if (!strcmp(command, "--version") || !strcmp(command, "-V")) {
        printf("heddle %s\n", heddle_version());
        return flushed(0);
    }
    if (!strcmp(command, "help") || !strcmp(command, "--help") || !strcmp(command, "-h")) {
        const char *const topic = argc > 2 ? argv[2] : NULL;
        if (print_help(stdout, topic)) return flushed(0);
        return usage_error(NULL, "there is no command '%s'", topic);
    }
    return usage_error(NULL, "there is no command '%s'", command);
}
