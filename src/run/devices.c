/* The list of devices, used or not, and why not; the BLAS. Entry points: heddle_devices, heddle_blas. */
#include "base/user_function.h"
#include "kernels.h"
#include "run/life.h"
#include "run/settings.h"
#include "run/workers.h"

#include <stdio.h>
#include <string.h>

static void describe_worker(const struct heddle_worker *w, struct heddle_device *d)
{
    *d = (struct heddle_device){.used = true};
    snprintf(d->name, sizeof d->name, "%s:%d", w->is_gpu ? "gpu" : "cpu", w->team);
    snprintf(d->model, sizeof d->model, "%s", w->model);
    d->threads = w->is_gpu ? 0 : w->n_threads;
    d->memory_bytes = w->memory_bytes;
    d->bandwidth = w->bandwidth;
    d->flops = w->flops;
    if (HEDDLE_HAVE_CUDA && w->is_gpu && heddle__settings()->jit) {
        const char *why = heddle__cuda_no_compiler();
        if (why) snprintf(d->why_not, sizeof d->why_not, "expressions are interpreted: %s", why);
    }
}

static void describe_unused(const char *name, const char *model, const char *why,
                            struct heddle_device *d)
{
    *d = (struct heddle_device){.used = false};
    snprintf(d->name, sizeof d->name, "%s", name);
    snprintf(d->model, sizeof d->model, "%s", model);
    snprintf(d->why_not, sizeof d->why_not, "%s", why);
}

static bool gpu_is_used(int number)
{
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu && heddle__worker(i)->team == number) return true;
    return false;
}

struct list {
    int room, n;
    struct heddle_device *devices;
};

static struct heddle_device *next(struct list *list, struct heddle_device *spare)
{
    return list->n++ < list->room ? &list->devices[list->n - 1] : spare;
}

static void list_all(struct list *list)
{
    struct heddle_device spare;
    const struct heddle_settings *settings = heddle__settings();
    for (int gpu = 0; gpu < 2; gpu++) /* CPUs first */
        for (int i = 0; i < heddle__n_workers(); i++)
            if (heddle__worker(i)->is_gpu == (gpu == 1))
                describe_worker(heddle__worker(i), next(list, &spare));
    if (!settings->use_cpu)
        describe_unused("cpu:0", heddle__machine()->cpu_model,
                        "not among the devices asked for; small work runs there all the same",
                        next(list, &spare));

    const char *why;
    const int n_gpus = heddle__count_gpus(&why);
    if (n_gpus == 0) {
        describe_unused("gpu:0", "", why, next(list, &spare));
        return;
    }
    for (int i = 0; i < n_gpus; i++) {
        if (gpu_is_used(i)) continue;
        char name[32];
        snprintf(name, sizeof name, "gpu:%d", i);
        const bool wanted = settings->use_gpu && (settings->gpus >> i & 1);
        const char *trouble = heddle__gpu_trouble(i, NULL, NULL);
        describe_unused(name, "NVIDIA GPU",
                        !wanted   ? "not among the devices asked for"
                        : trouble ? trouble
                                  : "StarPU does not drive it",
                        next(list, &spare));
    }
}

const char *heddle_blas(void)
{
    return heddle__cpu_blas_text();
}

enum heddle_status heddle_devices(int room, struct heddle_device *devices, int *n)
{
    HEDDLE_REQUIRE(n && room >= 0 && (devices || room == 0), HEDDLE_EARG,
                   "heddle_devices: n is NULL, or room = %d devices at NULL", room);
    *n = 0;
    enum heddle_status status = heddle__refuse_in_function("devices");
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock();
    status = heddle__need_runtime();
    if (status == HEDDLE_OK) {
        struct list list = {room, 0, devices};
        list_all(&list);
        *n = list.n;
    }
    heddle__evaluation_unlock();
    return status;
}
