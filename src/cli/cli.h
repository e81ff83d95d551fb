/* The parts of the command `heddle`. Only src/cli prints and exits; it uses the public API. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include <heddle.h>

#include <stdio.h>

enum { EXIT_EVALUATION = 1, EXIT_USAGE = 2 };

/* Commands: argv[0] is the command's name. They return the exit code. */
int command_eval(int argc, char **argv);
int command_info(int argc, char **argv);

/* The help of a command, or of heddle when `command` is NULL or unknown (then false). */
bool print_help(FILE *to, const char *command);

/* Reports wrong usage; returns EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports a failure; returns EXIT_EVALUATION. */
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Warns of environment variables that Heddle does not know: those that are probably mistyped, or all. */
void warn_of_variables(bool all);

/* The array in FILE.npy, FILE.npz:member, or FILE.npz of one member. NULL after a report. */
heddle_array *load_input(const char *path);
/* Reads a whole file, or standard input for "-"; free it. NULL after a report. */
char *read_text(const char *path);

#endif
