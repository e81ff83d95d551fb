/* heddle eval: binds files to names, runs the text, saves and prints. Entry point: command_eval. */
#include "cli/cli.h"
#include "expr/lexer/lexer.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct request {
    char *text; /* the expression, owned */
    int n_inputs, n_outputs;
    struct heddle_binding *inputs;  /* names owned */
    struct heddle_binding *outputs; /* [0] is the last value; names owned from 1 on */
    struct heddle_output *files;    /* of the outputs; [0] has no path */
    const char *script, *devices;
    int threshold;
    bool explain, dot, time;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reports an array that failed, with what helps a user of the command. */
static int array_failure(heddle_array *a)
{
    const enum heddle_status status = heddle_status_of(a);
    failure("%s", heddle_error(a));
    if (status == HEDDLE_ENAME) fputs("Inputs are given as NAME=FILE.npy.\n", stderr);
    return EXIT_EVALUATION;
}

/* ---- The command line ------------------------------------------------------------------------ */

static int add_output(struct request *r, char *text)
{
    char *const sign = strchr(text, '=');
    if (sign) *sign = 0;
    const char *const path = sign ? sign + 1 : text;
    if (!*path || (sign && !*text)) return usage_error("eval", "-o needs NAME=OUT.npy");
    r->outputs[++r->n_outputs].name = sign ? text : "_";
    r->files[r->n_outputs].path = path;
    r->files[r->n_outputs].name = sign ? text : NULL;
    return 0;
}

static int parse_options(struct request *r, int argc, char **argv)
{
    enum { EXPLAIN = 256, DOT, DEVICES, THRESHOLD, TIME };
    static const struct option options[] = {
        {"file", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'},
        {"explain", no_argument, NULL, EXPLAIN},
        {"dot", no_argument, NULL, DOT},
        {"devices", required_argument, NULL, DEVICES},
        {"threshold", required_argument, NULL, THRESHOLD},
        {"time", no_argument, NULL, TIME},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":f:o:h", options, NULL)) != -1;) {
        char *end;
        switch (c) {
        case 'f': r->script = optarg; break;
        case 'o':
            if (add_output(r, optarg)) return EXIT_USAGE;
            break;
        case EXPLAIN: r->explain = true; break;
        case DOT: r->dot = true; break;
        case DEVICES: r->devices = optarg; break;
        case THRESHOLD: {
            const long n = strtol(optarg, &end, 10);
            if (*end || end == optarg || n < 1 || n > 1000000000)
                return usage_error("eval", "--threshold needs a positive number, not '%s'", optarg);
            r->threshold = (int)n;
            break;
        }
        case TIME: r->time = true; break;
        case 'h': print_help(stdout, "eval"); return -1;
        case ':': return usage_error("eval", "%s needs a value", argv[optind - 1]);
        default: return usage_error("eval", "there is no option '%s'", argv[optind - 1]);
        }
    }
    return 0;
}

/* The expression and the inputs: what remains after the options. */
static int parse_operands(struct request *r, int n, char **operands)
{
    const char *const file = r->script                            ? r->script
                             : n > 0 && !strcmp(operands[0], "-") ? "-"
                                                                  : NULL;
    if (!r->script && n == 0) return usage_error("eval", "an expression is missing");
    for (int i = r->script ? 0 : 1; i < n; i++) {
        char *const sign = strchr(operands[i], '=');
        if (!sign || sign == operands[i] || !sign[1])
            return usage_error("eval", "'%s' is not an input: write NAME=FILE.npy", operands[i]);
        *sign = 0;
        if (!heddle__is_name(operands[i]))
            return usage_error("eval", "'%s' is not a name that an expression can use",
                               operands[i]);
        for (int k = 0; k < r->n_inputs; k++)
            if (!strcmp(r->inputs[k].name, operands[i]))
                return usage_error("eval", "'%s' is given twice", operands[i]);
        heddle_array *const a = load_input(sign + 1);
        if (!a) return EXIT_EVALUATION;
        r->inputs[r->n_inputs++] = (struct heddle_binding){operands[i], a};
    }
    r->text = file ? read_text(file) : strdup(operands[0]);
    return r->text ? 0 : EXIT_EVALUATION;
}

/* ---- Running ------------------------------------------------------------------------------------ */

static int print_explained(heddle_array *a, enum heddle_explain_form form)
{
    char *text;
    if (heddle_explain(a, form, &text) != HEDDLE_OK) return failure("%s", heddle_last_error());
    fputs(text, stdout);
    heddle_free(text);
    return 0;
}

static int print_usage(void)
{
    char *text;
    if (heddle_usage_text(&text) != HEDDLE_OK) return failure("%s", heddle_last_error());
    fputs(text, stdout);
    heddle_free(text);
    return 0;
}

static int print_value(heddle_array *a, int threshold)
{
    char *text;
    if (heddle_format(a, threshold, &text) != HEDDLE_OK) return failure("%s", heddle_last_error());
    puts(text);
    heddle_free(text);
    return 0;
}

/* Evaluates together what is saved and printed, so that it shares work, and saves it. */
static int evaluate(const struct request *r, bool print)
{
    const int first = print ? 0 : 1;
    for (int i = first; i <= r->n_outputs; i++) r->files[i].array = r->outputs[i].array;
    if (heddle_save_all(r->n_outputs + 1 - first, r->files + first) == HEDDLE_OK) return 0;
    for (int i = first; i <= r->n_outputs; i++)
        if (heddle_status_of(r->outputs[i].array) != HEDDLE_OK)
            return array_failure(r->outputs[i].array);
    return failure("%s", heddle_last_error());
}

static int run(struct request *r, double start)
{
    int code = 0;
    char *printed = NULL;
    heddle_expr_show(r->text, r->n_inputs, r->inputs, r->n_outputs + 1, r->outputs, r->threshold,
                     &printed);
    if (printed) fputs(printed, stdout);
    heddle_free(printed);
    for (int i = 0; i <= r->n_outputs; i++)
        if (r->outputs[i].array && heddle_status_of(r->outputs[i].array) != HEDDLE_OK)
            return array_failure(r->outputs[i].array);
    const bool print =
        r->outputs[0].array && (r->n_outputs == 0 || !heddle__text_ends_assigning(r->text));
    heddle_array *const shown = print || r->n_outputs ? r->outputs[print ? 0 : 1].array : NULL;
    if (!shown) return 0; /* a tuple, or nothing after the last print(...) */
    if (r->dot) return print_explained(shown, HEDDLE_EXPLAIN_DOT);
    if (r->explain) {
        code = print_explained(shown, HEDDLE_EXPLAIN_PLAN);
        if (code) return code;
    }
    heddle_statistics_reset();
    const double built = now();
    code = evaluate(r, print);
    if (!code && r->explain) code = print_usage();
    if (code) return code;
    const double evaluated = now();
    if (print) code = print_value(shown, r->threshold);
    if (r->time)
        fprintf(stderr, "read %.6f s, evaluate%s %.6f s\n", built - start,
                r->n_outputs > 0 ? " and write" : "", evaluated - built);
    return code;
}

int command_eval(int argc, char **argv)
{
    const double start = now();
    struct request r = {.threshold = 0};
    int code = EXIT_EVALUATION;
    r.inputs = calloc((size_t)argc + 1, sizeof *r.inputs);
    r.outputs = calloc((size_t)argc + 1, sizeof *r.outputs);
    r.files = calloc((size_t)argc + 1, sizeof *r.files);
    heddle_scope scope = heddle_scope_open();
    if (!r.inputs || !r.outputs || !r.files || !scope) {
        failure("out of memory");
        goto done;
    }
    r.outputs[0].name = "_";
    code = parse_options(&r, argc, argv);
    if (code) goto done;
    warn_of_variables(false);
    if (r.devices && heddle_configure(&(struct heddle_config){.devices = r.devices}) != HEDDLE_OK) {
        code = usage_error("eval", "%s", heddle_last_error());
        goto done;
    }
    code = parse_operands(&r, argc - optind, argv + optind);
    if (!code) code = run(&r, start);
done:
    heddle_scope_close(scope);
    free(r.text);
    free(r.inputs);
    free(r.outputs);
    free(r.files);
    return code < 0 ? 0 : code;
}
