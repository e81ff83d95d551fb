/* Settings: struct heddle_config, else the environment, else defaults. And the folder for caches. */
#ifndef HEDDLE_RUN_SETTINGS_H
#define HEDDLE_RUN_SETTINGS_H

#include "base/error.h"

#include <heddle/array.h>
#include <heddle/runtime.h>
#include <stdbool.h>
#include <stdint.h>

struct heddle_settings {
    bool use_cpu, use_gpu;                      /* tasks may run there */
    bool gpu_required;                          /* the user named GPUs, not just "all" */
    uint64_t gpus;                              /* bit i: gpu:i is wanted; all bits: all GPUs */
    int cpu_threads, cpu_workers;               /* 0: default */
    int64_t gpu_memory_bytes, cpu_memory_bytes; /* 0: default */
    int max_tasks;
    int64_t inline_bytes; /* -1: never; 0: default */
    int64_t part_bytes;   /* 0: default */
    int force_n;
    int32_t force[HEDDLE_MAX_NDIM];
    bool fusion, jit, direct;
    enum heddle_movement movement;
    char *cache_dir; /* as the user gave it; it may not exist */
    char *temp_dir;  /* for what does not fit memory */
    bool temp_asked; /* the user named it for that */
};

/* The settings in force. NULL and this thread's error when one is malformed. */
const struct heddle_settings *heddle__settings(void);
/* What is wrong with a variable's value; "": nothing. */
struct heddle_setting_row;
void heddle__check_variable(const struct heddle_setting_row *row, char *problem, size_t room);
/* The number of bytes that "64", "512K" or "1.5G" says; -1: malformed. */
int64_t heddle__parse_bytes(const char *text);

/* The folder for caches, made at the first call; NULL when there is none. It may be read-only or full: what
 * cannot be written is done without. */
const char *heddle__cache_dir(void);
void heddle__cache_dir_forget(void); /* the settings changed */
/* Makes a folder and those above it. Whether it can be written to. */
bool heddle__make_folder(const char *path);

#endif
