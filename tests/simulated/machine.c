/* Invented machines and their files: the platform for SimGrid, bandwidths and latencies for StarPU.
 * Entry points: machine.h. */
#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The table --------------------------------------------------------------------------------- */

#define GPU(bytes_, flops_, link_)                                                                 \
    {                                                                                              \
        .is_gpu = true, .bytes = (bytes_), .flops = (flops_), .link = (link_)                      \
    }
#define CPU(bytes_, flops_)                                                                        \
    {                                                                                              \
        .bytes = (bytes_), .flops = (flops_)                                                       \
    }
#define FAST GPU(4e12, 50e12, 54e9)
#define SLOW GPU(1.3e12, 12e12, 25e9)

const struct machine machines[] = {
    {.name = "equal",
     .what = "eight equal GPUs",
     .host = 150e9,
     .peer = 325e9,
     .latency_us = 8,
     .gpu_memory = 140e9,
     .launch_us = {2, 5},
     .places = {FAST, FAST, FAST, FAST, FAST, FAST, FAST, FAST, CPU(200e9, 2e12)}},
    {.name = "unlike",
     .what = "two fast and two slow GPUs and a CPU",
     .host = 100e9,
     .peer = 40e9,
     .latency_us = 10,
     .gpu_memory = 80e9,
     .launch_us = {2, 5},
     .places = {FAST, FAST, SLOW, SLOW, CPU(300e9, 3e12)}},
    {.name = "slow_link",
     .what = "four equal GPUs, the last behind a slow link, and a CPU",
     .host = 100e9,
     .latency_us = 10,
     .gpu_memory = 80e9,
     .launch_us = {2, 5},
     .places = {GPU(2e12, 20e12, 25e9), GPU(2e12, 20e12, 25e9), GPU(2e12, 20e12, 25e9),
                GPU(2e12, 20e12, 4e9), CPU(100e9, 1e12)}},
    {.name = "one",
     .what = "a GPU and a CPU",
     .host = 100e9,
     .latency_us = 10,
     .gpu_memory = 80e9,
     .launch_us = {2, 5},
     .places = {FAST, CPU(300e9, 3e12)}},
    {.name = "small",
     .what = "a GPU with memory for half a matrix, and a CPU",
     .host = 100e9,
     .latency_us = 10,
     .gpu_memory = 1.2e9,
     .launch_us = {2, 5},
     .places = {FAST, CPU(300e9, 3e12)},
     .alone = true},
    {.name = "teams",
     .what = "two CPU teams, one of half the speed",
     .host = 300e9,
     .latency_us = 1,
     .launch_us = {2, 5},
     .places = {CPU(200e9, 2e12), CPU(100e9, 1e12)}},
    {.name = NULL},
};

const struct machine *machine_named(const char *name)
{
    for (const struct machine *m = machines; m->name; m++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

int machine_n_places(const struct machine *machine)
{
    int n = 0;
    while (n < MACHINE_MAX_PLACES && machine->places[n].bytes > 0) n++;
    return n;
}

int machine_n_gpus(const struct machine *machine)
{
    int n = 0;
    while (n < MACHINE_MAX_PLACES && machine->places[n].is_gpu) n++;
    return n;
}

/* ---- The platform ------------------------------------------------------------------------------ */

static void write_link(FILE *f, const char *name, double bytes, double latency_us)
{
    fprintf(f, "  <link id=\"%s\" bandwidth=\"%.0fBps\" latency=\"%gus\"/>\n", name, bytes,
            latency_us);
}

static void write_route(FILE *f, const char *from, const char *to, const char *link1,
                        const char *link2, const char *link3)
{
    fprintf(f, "  <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">", from, to);
    const char *const links[] = {link1, link2, link3};
    for (int i = 0; i < 3; i++)
        if (links[i]) fprintf(f, "<link_ctn id=\"%s\"/>", links[i]);
    fprintf(f, "</route>\n");
}

/* Names as StarPU looks for them. "Host" is what all transfers of host memory go through. */
static void write_platform(FILE *f, const struct machine *m)
{
    enum { ROOM = 24 };
    const int n = machine_n_places(m), n_gpus = machine_n_gpus(m);
    char a[ROOM], b[ROOM], up[ROOM], down[ROOM], across[2 * ROOM];
    fprintf(
        f,
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n"
        " <config>\n"
        "  <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n"
        "  <prop id=\"network/latency-factor\" value=\"1\"/>\n"
        "  <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
        "  <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
        "  <prop id=\"network/weight-S\" value=\"0\"/>\n"
        " </config>\n"
        " <zone id=\"AS0\" routing=\"Full\">\n"
        "  <host id=\"MAIN\" speed=\"1f\"/>\n"
        "  <host id=\"RAM\" speed=\"1f\"/>\n");
    for (int i = 0; i < n; i++) /* a core for each GPU's driver too */
        fprintf(f, "  <host id=\"CPU%d\" speed=\"1Gf\"/>\n", i);
    for (int i = 0; i < n_gpus; i++)
        fprintf(f,
                "  <host id=\"CUDA%d\" speed=\"1Gf\"><prop id=\"model\" value=\"invented\"/>"
                "<prop id=\"memsize\" value=\"%.0f\"/>"
                "<prop id=\"memcpy_peer\" value=\"1\"/></host>\n",
                i, m->gpu_memory);

    write_link(f, "Host", m->host, 0);
    for (int i = 0; i < n_gpus; i++) {
        snprintf(up, ROOM, "RAM-CUDA%d", i);
        snprintf(down, ROOM, "CUDA%d-RAM", i);
        write_link(f, up, m->places[i].link, m->latency_us);
        write_link(f, down, m->places[i].link, m->latency_us);
        for (int j = 0; j < n_gpus && m->peer > 0; j++) {
            snprintf(across, sizeof across, "CUDA%d-CUDA%d", i, j);
            if (j != i) write_link(f, across, m->peer, m->latency_us);
        }
    }
    for (int i = 0; i < n_gpus; i++) {
        snprintf(a, ROOM, "CUDA%d", i);
        snprintf(up, ROOM, "RAM-CUDA%d", i);
        snprintf(down, ROOM, "CUDA%d-RAM", i);
        write_route(f, "RAM", a, "Host", up, NULL);
        write_route(f, a, "RAM", down, "Host", NULL);
        for (int j = 0; j < n_gpus; j++) {
            if (j == i) continue;
            snprintf(b, ROOM, "CUDA%d", j);
            snprintf(across, sizeof across, "CUDA%d-CUDA%d", i, j);
            snprintf(up, ROOM, "RAM-CUDA%d", j);
            if (m->peer > 0)
                write_route(f, a, b, across, NULL, NULL);
            else
                write_route(f, a, b, down, "Host", up);
        }
    }
    fprintf(f, " </zone>\n</platform>\n");
}

/* ---- What StarPU's scheduler believes ------------------------------------------------------------- */

static double bandwidth_between(const struct machine *m, int from, int to) /* -1: host memory */
{
    if (from < 0) return m->places[to].link;
    if (to < 0) return m->places[from].link;
    if (m->peer > 0) return m->peer;
    const double a = m->places[from].link, b = m->places[to].link;
    return a < b ? a : b;
}

/* A row for each memory, host memory first; MB/s or us. One row and column more than there are:
 * StarPU forgets the last ones of a matrix that is smaller than it could be. */
static void write_matrix(FILE *f, const struct machine *m, bool latency)
{
    const int n_gpus = machine_n_gpus(m);
    for (int i = -1; i <= n_gpus; i++) {
        for (int j = -1; j <= n_gpus; j++) {
            const bool is_link = i != j && i < n_gpus && j < n_gpus;
            const double value = !is_link  ? NAN
                                 : latency ? m->latency_us
                                           : bandwidth_between(m, i, j) * 1e-6;
            fprintf(f, "%e\t", value);
        }
        fprintf(f, "\n");
    }
}

static FILE *create(const struct machine *m, const char *folder, const char *what)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/bus/%s.%s", folder, m->name, what) >= (int)sizeof path)
        return NULL;
    FILE *f = fopen(path, "w");
    if (!f) perror(path);
    return f;
}

bool machine_write(const struct machine *m, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bus", folder);
    if (mkdir(path, 0777) != 0) {
        perror(path);
        return false;
    }
    static const char *const files[] = {"platform.v4.xml", "bandwidth", "latency", "config"};
    bool ok = true;
    for (int i = 0; i < 4; i++) {
        FILE *f = create(m, folder, files[i]);
        if (!f) return false;
        if (i == 0) write_platform(f, m);
        if (i == 1 || i == 2) write_matrix(f, m, i == 2);
        if (i == 3)
            fprintf(f, "%d # CPUs\n1 # memories\n%d # GPUs\n", machine_n_places(m),
                    machine_n_gpus(m));
        if (fclose(f) != 0) ok = false;
    }
    return ok;
}
