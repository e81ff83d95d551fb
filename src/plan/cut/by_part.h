/* The pattern of programs: tasks for one part of the result after the other, in pieces that read one
 * part of each operand. Pieces that wait for other places have tasks of their own. */
#ifndef HEDDLE_PLAN_CUT_BY_PART_H
#define HEDDLE_PLAN_CUT_BY_PART_H

#include "plan/cut/cut.h"

/* Which pieces of a part get calls, if the part has a place. */
enum heddle_which {
    HEDDLE_ALL,
    HEDDLE_NOTED,      /* none: it is noted what they need of other places */
    HEDDLE_LOCAL,      /* those that read nothing of other places */
    HEDDLE_REMOTE,     /* the others */
    HEDDLE_REMOTE_EACH /* the others, each in a task of its own */
};

/* Where the cut of a part stands. */
struct heddle_progress {
    int64_t part;
    heddle_place place;
    enum heddle_which which;
    int64_t n_tasks; /* how many write the part so far */
    int64_t remote;  /* elements that need something of other places */
    uint32_t round;  /* HEDDLE_REMOTE_EACH: pieces of this round get calls; ... */
    uint32_t next;   /* ... the next round that has any */
    bool is_apart;   /* no two pieces write the same element */
};

/* What calls for the pieces of one program need. */
struct heddle_pieces {
    struct heddle_planner *p;
    struct heddle_builder *b;
    const struct heddle_program *program;
    const struct heddle_space *space;
    const uint32_t *constants;
    struct heddle_progress *progress;
    int n_reads;
    int32_t arrays[HEDDLE_MAX_OPERANDS];
    struct heddle_read reads[HEDDLE_MAX_OPERANDS];
};

/* What a step is made of. */
struct heddle_part_step {
    const struct heddle_program *program;
    const char *name;
    int n_nodes;
    bool (*part)(void *context, const struct heddle_box *box); /* adds the calls for one part */
    void *context;
    struct heddle_progress *progress;
    enum heddle_assembly how;
};

/* All give false when memory is gone. */
bool heddle__pieces_start(struct heddle_pieces *s, struct heddle_planner *p,
                          struct heddle_builder *b, const struct heddle_program *program,
                          const struct heddle_space *space);
/* Adds the calls for a box of the part that is being cut. */
bool heddle__pieces_call(struct heddle_pieces *s, const struct heddle_box *box);
/* Makes the tasks of all parts of `grid`. */
bool heddle__cut_by_part(struct heddle_planner *p, const struct heddle_grid *grid,
                         const struct heddle_part_step *step);

#endif
