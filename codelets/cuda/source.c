/* What the sources of maps and reductions share, and which of them a program has. It depends on a program and a class
 * alone, so that equal text means equal kernels. Entry points: source.h, heddle__cuda_source. */
#include "cuda/source.h"

#include "cuda/tiles/tiles.h"

#include <base/memory.h>
#include <kernels.h>
#include <stdio.h>
#include <string.h>

const char *heddle__source_type(unsigned dtype)
{
    static const char *const names[HEDDLE_N_DTYPES] = {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) [HEDDLE_##ID] = "hd_" #name,
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
    };
    return names[dtype];
}

void heddle__source_expression(const struct heddle_source *s, const char *expression, const char *a,
                               const char *b, const char *c)
{
    const char *const by[3] = {a, b, c};
    int in_word = 0;
    for (const char *e = expression; *e; e++) {
        const char next = e[1];
        const int next_in_word =
            (next >= 'a' && next <= 'z') || next == '_' || (next >= '0' && next <= '9');
        if (!in_word && !next_in_word && *e >= 'x' && *e <= 'z')
            heddle__text_put(s->text, "%s", by[*e - 'x']);
        else
            heddle__text_put(s->text, "%c", *e);
        in_word = (*e >= 'a' && *e <= 'z') || *e == '_' || (*e >= '0' && *e <= '9');
    }
}

static int can_be_quick(const struct heddle_instr *in)
{
    const int of_both = in->code == HEDDLE_OP_DIVIDE || in->code == HEDDLE_OP_RECIPROCAL ||
                        in->code == HEDDLE_OP_SQRT;
    return (in->dtype == HEDDLE_FLOAT32 && of_both) ||
           (in->dtype == HEDDLE_FLOAT64 && (of_both || in->code == HEDDLE_OP_EXP));
}

/* Whether it gives 32 bits or fewer of a float32. */
static int is_quick_cast(const struct heddle_instr *in)
{
    return in->code == HEDDLE_CODE_CAST && in->dtype == HEDDLE_FLOAT32 &&
           strchr("IU", heddle_dtype_kind((enum heddle_dtype)in->result)) &&
           heddle_dtype_size((enum heddle_dtype)in->result) <= 4;
}

/* What instructions 0..n-1 ask for: how many there are that can be quick, and arithmetic of an element, in flops. */
struct quick_count {
    int singles, doubles;
    double flops, of_doubles;
};

static struct quick_count count_quick(const struct heddle_program *p, int n)
{
    struct quick_count count = {0};
    for (int i = 0; i < n; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        count.singles += is_quick_cast(in);
        if (in->code >= HEDDLE_N_OPS) continue;
        const int is_double = in->dtype == HEDDLE_FLOAT64;
        const double flops = (double)heddle__ops[in->code].flops;
        count.flops += flops;
        count.of_doubles += is_double ? flops : 0;
        if (can_be_quick(in)) (*(is_double ? &count.doubles : &count.singles))++;
    }
    return count;
}

enum { MOST_FLOPS = 100 }; /* of an element, which a kernel then has twice */

int heddle__source_has_quick_doubles(const struct heddle_program *p, int n)
{
    enum { ENOUGH_OF_REDUCTION = 8, ENOUGH_OF_BYTE = 3 };
    const struct quick_count count = count_quick(p, n);
    size_t bytes = 0;
    for (int k = 0; k < p->n_operands; k++)
        bytes += heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
    const double enough =
        p->n_reductions > 0 ? ENOUGH_OF_REDUCTION : ENOUGH_OF_BYTE * (double)bytes;
    return count.doubles > 0 && count.of_doubles >= enough && count.flops <= MOST_FLOPS;
}

int heddle__source_is_quick(const struct heddle_program *p, int n)
{
    const struct quick_count count = count_quick(p, n);
    return (count.singles > 0 && count.flops <= MOST_FLOPS) ||
           heddle__source_has_quick_doubles(p, n);
}

int heddle__source_packs(const struct heddle_source *s, int k, int n)
{
    const int size = (int)heddle_dtype_size((enum heddle_dtype)s->p->operand_dtype[k]);
    return size < 4 && n * size % 4 == 0;
}

/* The quotient of the same numbers as remainder i, which is computed before it in the same part of the program; -1: there is none. */
static int quotient_before(const struct heddle_program *p, int i)
{
    const struct heddle_instr *const in = &p->instrs[i];
    if (in->code != HEDDLE_OP_REMAINDER || !heddle__cuda_divides_by(p, in)) return -1;
    for (int j = i >= p->n_before ? p->n_before : 0; j < i; j++) {
        const struct heddle_instr *const of = &p->instrs[j];
        if (of->code == HEDDLE_OP_FLOOR_DIVIDE && of->dtype == in->dtype && of->a == in->a &&
            of->b == in->b)
            return j;
    }
    return -1;
}

void heddle__source_instr(const struct heddle_source *s, int i,
                          const struct heddle_source_names *names)
{
    const struct heddle_instr *in = &s->p->instrs[i];
    const char *type = heddle__source_type(in->result);
    char a[16], b[16], c[16];
    snprintf(a, sizeof a, "v%d", in->a);
    snprintf(b, sizeof b, "v%d", in->b);
    snprintf(c, sizeof c, "v%d", in->c);
    heddle__text_put(s->text, "const %s v%d = ", type, i);
    switch (in->code) {
    case HEDDLE_CODE_LOAD: names->load(s, in->a); break;
    case HEDDLE_CODE_CONSTANT: heddle__text_put(s->text, "c%d", in->a); break;
    case HEDDLE_CODE_INDEX:
        heddle__text_put(s->text, "args.v[%d]", HEDDLE_SLOT_ORIGIN + in->a);
        if (s->c->axis[in->a] >= 0) {
            heddle__text_put(s->text, " + ");
            names->index(s, s->c->axis[in->a]);
        }
        break;
    case HEDDLE_CODE_CHECKED:
        heddle__text_put(
            s->text, "hd_%s<%s>(v%d, v%d, %s, ", names->only_good ? "in_range_if" : "checked",
            in->near ? "int" : "hd_int64", in->a, in->b, names->live ? names->live : "true");
        if (names->only_good)
            heddle__text_put(s->text, "good)");
        else
            heddle__text_put(s->text, "%d, bad)", in->c);
        break;
    case HEDDLE_CODE_LOAD_AT: /* int: so the compiler computes the place in 32 bits */
        heddle__text_put(s->text, in->near ? "p%d[(int)v%d]" : "p%d[v%d]", in->b, in->a);
        break;
    case HEDDLE_CODE_CAST:
        heddle__text_put(s->text, "hd_cast<%s>(v%d%s)", type, in->a,
                         names->in_compute && is_quick_cast(in) ? ", quick" : "");
        break;
    case HEDDLE_CODE_REDUCED:
        if (s->c->near && heddle__is_arg(&s->p->reductions[in->a]))
            heddle__text_put(s->text, "args.v[%d] + ", HEDDLE_SLOT_FLAT);
        heddle__text_put(s->text, heddle__is_arg(&s->p->reductions[in->a]) ? "a%d.index" : "a%d",
                         in->a);
        break;
    default: {
        const char *e = heddle__ops[in->code].expression;
        char with_quick[64];
        const int quotient = quotient_before(s->p, i);
        if (quotient >= 0) {
            heddle__text_put(s->text, "hd_rest_by(v%d, v%d, d%d)", in->a, quotient,
                             s->p->instrs[in->b].a);
            break;
        }
        if (heddle__cuda_divides_by(s->p, in)) { /* a multiplication */
            heddle__text_put(s->text, "hd_%s_by(v%d, d%d)", heddle__ops[in->code].name, in->a,
                             s->p->instrs[in->b].a);
            break;
        }
        if (names->in_compute && can_be_quick(in)) { /* one more argument */
            snprintf(with_quick, sizeof with_quick, "%.*s, quick)", (int)strlen(e) - 1, e);
            e = with_quick;
        }
        heddle__text_put(s->text, "(%s)(", type);
        heddle__source_expression(s, strcmp(e, "x - y") == 0 ? "hd_sub(x, y)" : e, a, b, c);
        heddle__text_put(s->text, ")");
        break;
    }
    }
    heddle__text_put(s->text, ";\n");
}

void heddle__source_constant(const struct heddle_source *s, int k, int slot)
{
    const char *type = heddle__source_type(s->p->constant_dtype[k]);
    heddle__text_put(s->text, "const %s c%d = hd_slot<%s>(args.v + %d);\n", type, k, type, slot);
    if (heddle__cuda_has_divisor(s->p, k))
        heddle__text_put(s->text, "const hd_divisor<%s> d%d(c%d, args.v[%d]);\n", type, k, k,
                         slot + 1);
}

void heddle__source_operands(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    for (int k = 0; k < p->n_operands; k++) {
        const char *type = heddle__source_type(p->operand_dtype[k]);
        heddle__text_put(s->text, "%s *const p%d = (%s *)args.v[%d];\n", type, k, type,
                         heddle__cuda_operand_slot(s->c, k));
    }
    for (int k = 0; k < p->n_constants; k++)
        heddle__source_constant(s, k, heddle__cuda_constant_slot(p, s->c, k));
    if (p->n_checked > 0)
        heddle__text_put(s->text, "hd_bad_index bad(args.v + %d);\n", HEDDLE_SLOT_REPORT);
}

void heddle__source_indices(const struct heddle_source *s, const char *from, int first, int n,
                            const char *prefix, const char *suffix, const char *declare)
{
    struct heddle_text *t = s->text;
    if (n == 1) heddle__text_put(t, "%s%s%d%s = %s;\n", declare, prefix, first, suffix, from);
    if (n <= 1) return;
    heddle__text_put(t, "I q = %s, d;\n", from);
    for (int a = first + n - 1; a > first; a--) {
        const int extent = HEDDLE_SLOT_EXTENT + a;
        heddle__text_put(t, "d = hd_quotient(q, (I)args.v[%d], args.v[%d]);\n", extent,
                         HEDDLE_SLOT_MAGIC + a);
        heddle__text_put(t, "%s%s%d%s = q - d * (I)args.v[%d];\nq = d;\n", declare, prefix, a,
                         suffix, extent);
    }
    heddle__text_put(t, "%s%s%d%s = q;\n", declare, prefix, first, suffix);
}

void heddle__source_loaded(const struct heddle_program *p, uint8_t loaded[HEDDLE_MAX_OPERANDS])
{
    memset(loaded, 0, HEDDLE_MAX_OPERANDS);
    for (int i = 0; i < p->n_instrs; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) loaded[p->instrs[i].a] = 1;
}

static int draws(const struct heddle_program *p)
{
    for (int i = 0; i < p->n_instrs; i++)
        if (p->instrs[i].code < HEDDLE_N_OPS &&
            heddle__ops[p->instrs[i].code].accepts >= HEDDLE_ACCEPTS_I64)
            return 1;
    return 0;
}

char *heddle__cuda_class_source(const struct heddle_program *p, const struct heddle_cuda_class *c)
{
    struct heddle_text text = {0};
    const struct heddle_source s = {.text = &text, .p = p, .c = c};
    if (draws(p)) heddle__text_put(&text, "#define HD_DRAWS\n");
    heddle__text_put(&text,
                     "#include \"heddle.cuh\"\ntypedef %s I;\n"
                     "struct hd_args {\nhd_int64 v[%d];\n};\n",
                     c->wide ? "hd_int64" : "int", heddle__cuda_n_slots(p, c));
    if (p->n_reductions > 0)
        heddle__source_reduction(&s);
    else if (c->form == HEDDLE_FORM_TILES)
        heddle__tiles_source(&s);
    else
        heddle__source_map(&s);
    return heddle__text_take(&text);
}

char *heddle__cuda_source(const struct heddle_launch *launch)
{
    struct heddle_cuda_layout layout;
    heddle__cuda_layout(launch, NULL, &layout);
    return heddle__cuda_class_source(launch->program, &layout.class);
}
