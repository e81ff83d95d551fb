/* heddle info: the machine and the environment as Heddle sees them. Entry point: command_info. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>

/* A number with a unit, or "-" when it is not known. */
static void print_rate(double value, double unit, const char *name)
{
    char text[32] = "-";
    if (value > 0) snprintf(text, sizeof text, "%.1f %s", value / unit, name);
    printf("  %14s", text);
}

static void print_device(const struct heddle_device *d)
{
    printf("%-8s  %-4s  %7d", d->name, d->used ? "yes" : "no", d->threads);
    print_rate((double)d->memory_bytes, 1024.0 * 1024 * 1024, "GiB");
    print_rate(d->bandwidth, 1e9, "GB/s");
    print_rate(d->flops, 1e9, "Gflop/s");
    printf("  %s", d->model);
    if (d->why_not[0]) printf(" (%s%s)", d->used ? "" : "not used: ", d->why_not);
    putchar('\n');
}

static int print_devices(void)
{
    int n = 0;
    if (heddle_devices(0, NULL, &n) != HEDDLE_OK) return failure("%s", heddle_last_error());
    struct heddle_device *const devices = calloc((size_t)n + 1, sizeof *devices);
    if (!devices) return failure("out of memory");
    int found = 0;
    if (heddle_devices(n, devices, &found) != HEDDLE_OK) {
        free(devices);
        return failure("%s", heddle_last_error());
    }
    if (found < n) n = found;
    printf("%-8s  %-4s  %7s  %14s  %14s  %14s  %s\n", "device", "used", "threads", "memory",
           "bandwidth", "float64", "model");
    for (int i = 0; i < n; i++) print_device(&devices[i]);
    free(devices);
    return 0;
}

/* All variables with what they mean, or name=value of those that are set. */
static int print_variables(bool all)
{
    int n = 0;
    if (heddle_variables(0, NULL, &n) != HEDDLE_OK) return failure("%s", heddle_last_error());
    struct heddle_variable *const variables = calloc((size_t)n + 1, sizeof *variables);
    if (!variables) return failure("out of memory");
    int room = n, n_set = 0;
    heddle_variables(room, variables, &n);
    for (int i = 0; i < room && i < n; i++) {
        const struct heddle_variable *v = &variables[i];
        if (!v->is_known) continue;
        if (all)
            printf("%-20s %s\n%-20s %s; default: %s\n", v->name, v->meaning, "", v->allowed,
                   v->by_default);
        if (!v->is_set) continue;
        if (all)
            printf("%-20s now: %s%s\n", "", v->value, v->problem[0] ? " (malformed)" : "");
        else
            printf("%s%s=%s\n", n_set++ == 0 ? "\n" : "", v->name, v->value);
    }
    free(variables);
    return 0;
}

int command_info(int argc, char **argv)
{
    static const struct option options[] = {
        {"devices", required_argument, NULL, 'd'},
        {"variables", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct heddle_config config = {.devices = NULL};
    bool variables = false;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (c == 'h') {
            print_help(stdout, "info");
            return 0;
        }
        if (c == ':') return usage_error("info", "%s needs a value", argv[optind - 1]);
        if (c != 'd' && c != 'v')
            return usage_error("info", "there is no option '%s'", argv[optind - 1]);
        if (c == 'd') config.devices = optarg;
        if (c == 'v') variables = true;
    }
    if (optind < argc) return usage_error("info", "'%s' is too much", argv[optind]);
    warn_of_variables(true);
    if (variables) return print_variables(true);
    if (config.devices && heddle_configure(&config) != HEDDLE_OK)
        return usage_error("info", "%s", heddle_last_error());
    printf("heddle %s, StarPU %s, %s CUDA\n\n", heddle_version(), HEDDLE_STARPU_VERSION,
           HEDDLE_HAVE_CUDA ? "with" : "without");
    const int code = print_devices();
    if (code) return code;
    const char *blas = heddle_blas();
    printf("\nBLAS on CPUs: %s\n", blas[0] ? blas : heddle_last_error());
    return print_variables(false);
}
