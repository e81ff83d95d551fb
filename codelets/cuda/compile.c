/* NVRTC: a generated source to machine code. It must not touch a device. Entry points: compile.h,
 * heddle__cuda_compile_check. */
#include "cuda/compile.h"

#include "cuda/nvrtc_library.h"
#include "cuda/source.h"
#include "kernels.h"

#include <base/memory.h>
#include <heddle.h>
#include <stdio.h>
#include <string.h>

enum { N_OPTIONS = 4, OPTIONS_MAX = 32 };
static const char *const options[N_OPTIONS] = {
    /* the architecture comes first, see compile */
    "--fmad=false", "--std=c++17", "-default-device", "--extra-device-vectorization"};

enum { LOG_BYTES = 400 };

/* The head of the log, without the warnings before its first error. */
static enum heddle_status fail_with_log(const struct heddle_nvrtc *nvrtc, const char *who,
                                        nvrtcProgram program, nvrtcResult result)
{
    size_t size = 0;
    char *log = NULL;
    if (program && nvrtc->nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 1)
        log = heddle__calloc(1, size + 1);
    if (log && nvrtc->nvrtcGetProgramLog(program, log) != NVRTC_SUCCESS) log[0] = 0;
    const char *text = log ? log : "", *error = strstr(text, ": error");
    while (error && error > text && error[-1] != '\n') error--;
    const enum heddle_status status = heddle__fail(
        result == NVRTC_ERROR_COMPILATION ? HEDDLE_ESYNTAX : HEDDLE_EDEVICE, "%s: %s: %.*s", who,
        nvrtc->nvrtcGetErrorString(result), LOG_BYTES, error ? error : text);
    heddle__free(log);
    return status;
}

struct heddle_compile heddle__compile_generated(const char *source, int arch)
{
    return (struct heddle_compile){.source = source,
                                   .file = "heddle.cu",
                                   .header = heddle__cuda_prelude,
                                   .header_name = "heddle.cuh",
                                   .options = options,
                                   .n_options = N_OPTIONS,
                                   .arch = arch};
}

enum heddle_status heddle__compile(const char *source, int arch, char **cubin, size_t *size)
{
    const struct heddle_compile c = heddle__compile_generated(source, arch);
    return heddle__compile_text(&c, "NVRTC", cubin, size);
}

enum heddle_status heddle__compile_text(const struct heddle_compile *c, const char *who,
                                        char **cubin, size_t *size)
{
    char target[32];
    const char *all[OPTIONS_MAX + 1] = {target};
    const struct heddle_nvrtc *nvrtc;
    nvrtcProgram program = NULL;
    *cubin = NULL;
    enum heddle_status status = heddle__nvrtc_get(&nvrtc);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(c->n_options <= OPTIONS_MAX, HEDDLE_EARG, "%s: more than %d flags", who,
                   OPTIONS_MAX);
    snprintf(target, sizeof target, "-arch=sm_%d", c->arch);
    memcpy(all + 1, c->options, (size_t)c->n_options * sizeof *all);
    nvrtcResult result =
        nvrtc->nvrtcCreateProgram(&program, c->source, c->file, 1, &c->header, &c->header_name);
    if (result == NVRTC_SUCCESS)
        result = nvrtc->nvrtcCompileProgram(program, c->n_options + 1, all);
    if (result == NVRTC_SUCCESS) result = nvrtc->nvrtcGetCUBINSize(program, size);
    if (result == NVRTC_SUCCESS) {
        *cubin = heddle__alloc(*size);
        if (*cubin)
            result = nvrtc->nvrtcGetCUBIN(program, *cubin);
        else
            status = heddle__fail(HEDDLE_ENOMEM, "no memory for a compiled kernel");
    }
    if (result != NVRTC_SUCCESS) {
        status = fail_with_log(nvrtc, who, program, result);
        heddle__free(*cubin);
        *cubin = NULL;
    }
    if (program) nvrtc->nvrtcDestroyProgram(&program);
    return status;
}

/* Two hashes with different seeds and multipliers, over bytes. */
void heddle__compile_key_mix(struct heddle_compile_key *key, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t a = key->hash[0], b = key->hash[1];
    for (size_t i = 0; i < size; i++) {
        a = (a ^ bytes[i]) * 0x100000001b3u;
        b = (b + bytes[i]) * 0x9e3779b97f4a7c15u;
        b ^= b >> 29;
    }
    key->hash[0] = a;
    key->hash[1] = b;
}

static void mix_text(struct heddle_compile_key *key, const char *text)
{
    heddle__compile_key_mix(key, text, strlen(text) + 1);
}

struct heddle_compile_key heddle__compile_key_of(const struct heddle_compile *c)
{
    struct heddle_compile_key key = {{0xcbf29ce484222325u, 0x2545f4914f6cdd1du}};
    const struct heddle_nvrtc *nvrtc;
    int major = 0, minor = 0;
    if (heddle__nvrtc_get(&nvrtc) == HEDDLE_OK) nvrtc->nvrtcVersion(&major, &minor);
    const int versions[] = {
        major, minor, c->arch, HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH};
    heddle__compile_key_mix(&key, versions, sizeof versions);
    for (int k = 0; k < c->n_options; k++) mix_text(&key, c->options[k]);
    mix_text(&key, c->header);
    mix_text(&key, c->source);
    return key;
}

struct heddle_compile_key heddle__compile_key(const char *source, int arch)
{
    const struct heddle_compile c = heddle__compile_generated(source, arch);
    return heddle__compile_key_of(&c);
}

enum heddle_status heddle__cuda_compile_check(const struct heddle_launch *launch, int major,
                                              int minor)
{
    char *cubin = NULL, *source = heddle__cuda_source(launch);
    size_t size = 0;
    if (!source) return heddle__fail(HEDDLE_ENOMEM, "no memory for a kernel's source");
    const enum heddle_status status = heddle__compile(source, major * 10 + minor, &cubin, &size);
    heddle__free(cubin);
    heddle__free(source);
    return status;
}
