/* Help texts. Entry point: print_help. docs/heddle.1 says the same at length. */
#include "cli/cli.h"

#include <string.h>

static const char overview[] =
    "usage: heddle COMMAND ...\n"
    "\n"
    "Evaluates NumPy-like array expressions on the CPU cores and GPUs of this machine.\n"
    "\n"
    "  heddle eval EXPR [NAME=FILE ...]   evaluate an expression over .npy files\n"
    "  heddle info                        processors, memories, and what is used\n"
    "  heddle help [COMMAND]              this text, or a command's\n"
    "  heddle --version\n"
    "\n"
    "Exit status: 0 success, 1 the evaluation failed, 2 wrong usage.\n";

static const char eval[] =
    "usage: heddle eval [OPTION ...] EXPR [NAME=FILE ...]\n"
    "       heddle eval [OPTION ...] -f SCRIPT [NAME=FILE ...]\n"
    "\n"
    "Evaluates EXPR, an expression or statements in NumPy's syntax, and prints the value of\n"
    "the last statement. EXPR '-' reads it from standard input; -- before an EXPR that\n"
    "begins with '-'.\n"
    "\n"
    "  NAME=FILE.npy          an input\n"
    "  NAME=FILE.npz:MEMBER   an input out of an archive\n"
    "  -f, --file SCRIPT      read the expression from a file\n"
    "  -o, --output NAME=OUT.npy\n"
    "                         save a variable; OUT.npy alone saves the last value.\n"
    "                         OUT.npz: the same as member NAME, or arr_0, of an archive\n"
    "  --explain              print the plan first: programs, partition, tasks; then what each\n"
    "                         device did and what moved\n"
    "  --dot                  print the expression's graph for Graphviz; compute nothing\n"
    "  --devices LIST         what to use: cpu, gpu, gpu:0, cpu,gpu:1, all\n"
    "  --threshold N          print arrays of up to N elements in full (1000)\n"
    "  --time                 print the times of reading, and of evaluating and writing, to "
    "stderr\n"
    "\n"
    "  heddle eval 'sqrt(sum(abs(a)**2))' a=a.npy\n"
    "  heddle eval 'd = a - b; d / maximum(abs(a), abs(b))' a=a.npy b=x.npz:b -o d=diff.npy\n";

static const char info[] =
    "usage: heddle info [OPTION ...]\n"
    "\n"
    "Lists the processors of this machine: their memory, their speed as measured, whether\n"
    "Heddle uses them, and if not, why; then the environment variables of Heddle that are set.\n"
    "\n"
    "  --devices LIST         what to use: cpu, gpu, gpu:0, cpu,gpu:1, all\n"
    "  --variables            all environment variables that Heddle reads, and what they mean\n";

bool print_help(FILE *to, const char *command)
{
    const char *text = NULL;
    if (!command || !strcmp(command, "help"))
        text = overview;
    else if (!strcmp(command, "eval"))
        text = eval;
    else if (!strcmp(command, "info"))
        text = info;
    if (text) fputs(text, to);
    return text != NULL;
}
