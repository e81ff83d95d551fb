/* Where the data of arrays are, for DLPack. Entry points: heddle_dlpack_device, tensor.h. */
#include "array/place.h"
#include "graph/infer.h"
#include "run/dlpack/tensor.h"
#include "run/evaluate.h"
#include "run/parts.h"

enum heddle_status heddle__dl_find(const char *name, heddle_array *a,
                                   struct heddle_dl_whereabouts *w)
{
    struct heddle_data data;
    enum heddle_status status = heddle__data_open(name, a, &data);
    if (status != HEDDLE_OK) return status;
    const struct heddle_storage *root = heddle__storage_root(data.storage);
    *w = (struct heddle_dl_whereabouts){.n_parts = 1, .current = HEDDLE_PLACE_CPU};
    if (root->data) {
        w->host = heddle__storage_retain(data.storage);
        w->data = root->data;
    }
    heddle__data_close(&data);
    if (heddle_size(a) == 0) return HEDDLE_OK;
    struct heddle_part_info part = {.place = HEDDLE_ANYWHERE};
    status = heddle_count_parts(a, &w->n_parts);
    if (status == HEDDLE_OK && w->n_parts == 1) status = heddle_part(a, 0, &part);
    /* What heddle_to sends to a GPU goes there when it is needed, as now, though the host has it, too. */
    const bool sent = w->n_parts == 1 && heddle__place_is_gpu(part.place);
    if (status != HEDDLE_OK || sent) {
        heddle__storage_release(w->host);
        w->host = NULL;
        w->current = part.place;
    } else if (w->host) {
        w->n_parts = 1;
    } else if (w->n_parts == 1 && part.place == HEDDLE_ANYWHERE) {
        /* what heddle_to has in host memory is there, whoever else has a copy */
        w->current = part.current;
    }
    return status;
}

struct heddle_dl_device heddle__dl_device_of(heddle_place place)
{
    const bool gpu = heddle__place_is_gpu(place);
    return (struct heddle_dl_device){.type = gpu ? HEDDLE_DL_CUDA : HEDDLE_DL_CPU,
                                     .id = gpu ? place - HEDDLE_PLACE_GPU : 0};
}

enum heddle_status heddle_dlpack_device(heddle_array *a, struct heddle_dl_device *out)
{
    struct heddle_dl_whereabouts w;
    HEDDLE_REQUIRE(a && out, HEDDLE_EARG, "heddle_dlpack_device: %s is NULL",
                   a ? "out" : "the array");
    const enum heddle_status status = heddle__dl_find("dlpack_device", a, &w);
    if (status != HEDDLE_OK) return status;
    heddle__storage_release(w.host);
    *out = heddle__dl_device_of(w.n_parts == 1 ? w.current : HEDDLE_PLACE_CPU);
    return HEDDLE_OK;
}
