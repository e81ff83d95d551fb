/* A kernel as the source of a loop. Entry point: heddle__kernel_source. */
#include "kernel_text/print.h"

/* What CUDA's templates (codelets/cuda) have not. */
static const char cuda_head[] =
    "#include \"heddle.cuh\"\n"
    "template <class T> HD T hd_quotient(T x, T y)\n"
    "{\n"
    "    if (y == 0) return 0;\n"
    "    if (hd_kind<T> == 'I' && y == (T)-1) return hd_neg(x);\n"
    "    return x / y;\n"
    "}\n"
    "template <class T> HD T hd_round_away(T x) { return round(x); }\n"
    "template <class T> HD T hd_rsqrt(T x) { return 1 / hd_sqrt(x); }\n"
    "template <class T> HD typename hd_traits<T>::real hd_norm(T x)\n"
    "{\n"
    "    if constexpr (hd_kind<T> == 'C')\n"
    "        return x.re * x.re + x.im * x.im;\n"
    "    else\n"
    "        return hd_mul(x, x);\n"
    "}\n"
    "HD hd_complex64 hd_make_complex64(float re, float im) { return {re, im}; }\n"
    "HD hd_complex128 hd_make_complex128(double re, double im) { return {re, im}; }\n"
    "HD float hd_fma(float x, float y, float z) { return __fmaf_rn(x, y, z); }\n"
    "HD double hd_fma(double x, double y, double z) { return __fma_rn(x, y, z); }\n"
    "HD hd_int64 hd_step(hd_int64 extent, hd_int64 at, hd_int64 i)\n"
    "{\n"
    "    return at < 0 || i < 0 || i >= extent ? -1 : at * extent + i;\n"
    "}\n"
    "template <class T> HD T hd_element(const T *p, hd_int64 n, hd_int64 i)\n"
    "{\n"
    "    return (hd_uint64)i < (hd_uint64)n ? p[i] : T{};\n"
    "}\n"
    "template <class T> HD void hd_set_element(T *p, hd_int64 n, hd_int64 i, T x)\n"
    "{\n"
    "    if ((hd_uint64)i < (hd_uint64)n) p[i] = x;\n"
    "}\n";

static const char head[] = "HD hd_int64 hd_extent(const hd_int64 *e, int n, hd_int64 d)\n"
                           "{\n"
                           "    return d >= 0 && d < n ? e[d] : 1;\n"
                           "}\n";

static void put(struct print *p, const char *text)
{
    heddle__text_put_all(&p->text, text);
}

static const char *type_name(const struct print *p, int symbol)
{
    return heddle_dtype_name((enum heddle_dtype)p->form->types->symbols[symbol]);
}

/* ---- Statements --------------------------------------------------------------------------------------- */

static void statements(struct print *p, const struct kernel_node *n);

/* Without its end, so that steps of a loop may stand with commas between them. */
static void assignment(struct print *p, const struct kernel_node *n)
{
    const struct kernel_node *const to = n->a;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->form->types->nodes[to->number];
    if (to->kind == KERNEL_ELEMENT) {
        heddle__text_put(&p->text, "hd_set_element");
        if (!p->cuda) heddle__text_put(&p->text, "_%s", heddle_dtype_name(dtype));
        put(p, "(");
        heddle__print_place(p, to);
        put(p, ", ");
        heddle__print_as(p, n->b, dtype);
        put(p, ")");
    } else {
        heddle__text_put(&p->text, "x%d = ", to->symbol);
        heddle__print_as(p, n->b, dtype);
    }
}

static void declaration(struct print *p, const struct kernel_node *n)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)p->form->types->symbols[n->symbol];
    const int extent = p->form->tree->symbols[n->symbol].extent;
    if (extent) {
        heddle__text_put(&p->text, "hd_%s x%d[%d] = {", heddle_dtype_name(dtype), n->symbol,
                         extent);
        for (const struct kernel_node *x = n->a; x; x = x->next) {
            heddle__print_as(p, x, dtype);
            if (x->next) put(p, ", ");
        }
        put(p, n->a || p->cuda ? "};\n" : "0};\n");
        return;
    }
    heddle__text_put(&p->text, "hd_%s x%d = ", heddle_dtype_name(dtype), n->symbol);
    if (n->a)
        heddle__print_as(p, n->a, dtype);
    else
        put(p, heddle_dtype_kind(dtype) == 'C' ? "{0, 0}" : "0");
    put(p, ";\n");
}

static void condition(struct print *p, const struct kernel_node *n)
{
    heddle__print_as(p, n, HEDDLE_BOOL);
}

static void loop(struct print *p, const struct kernel_node *n)
{
    const struct kernel_node *const steps = n->c ? n->c->a : NULL;
    put(p, n->op ? "do " : "for (; ");
    if (!n->op) {
        condition(p, n->a);
        put(p, "; ");
        for (const struct kernel_node *s = steps; s; s = s->next) {
            assignment(p, s);
            if (s->next) put(p, ", ");
        }
        put(p, ")\n");
    }
    statements(p, n->b);
    if (!n->op) return;
    put(p, "while (");
    condition(p, n->a);
    put(p, ");\n");
}

static void if_else(struct print *p, const struct kernel_node *n)
{
    put(p, "if (");
    condition(p, n->a);
    put(p, ")\n");
    statements(p, n->b);
    if (!n->c) return;
    put(p, "else\n");
    statements(p, n->c);
}

static void statement(struct print *p, const struct kernel_node *n)
{
    switch ((enum kernel_kind)n->kind) {
    case KERNEL_BLOCK:
        put(p, "{\n");
        statements(p, n->a);
        put(p, "}\n");
        break;
    case KERNEL_DECLARE: declaration(p, n); break;
    case KERNEL_ASSIGN:
        assignment(p, n);
        put(p, ";\n");
        break;
    case KERNEL_IF: if_else(p, n); break;
    case KERNEL_LOOP: loop(p, n); break;
    case KERNEL_RETURN:
        put(p, "return ");
        heddle__print_as(p, n->a, (enum heddle_dtype)p->form->types->symbols[p->helper->result]);
        put(p, ";\n");
        break;
    case KERNEL_BREAK: put(p, "break;\n"); break;
    case KERNEL_CONTINUE: put(p, "continue;\n"); break;
    default: break;
    }
}

static void statements(struct print *p, const struct kernel_node *n)
{
    for (; n; n = n->next) statement(p, n);
}

/* The functions of the preamble, f0, f1, ...: 0 where none returns. */
static void helpers(struct print *p)
{
    const struct kernel_tree *const tree = p->form->tree;
    for (int i = 0; i < tree->n_helpers; i++) {
        const struct kernel_helper *const h = p->helper = &tree->helpers[i];
        heddle__text_put(&p->text, "%s hd_%s f%d(", p->cuda ? "static __device__" : "HD",
                         type_name(p, h->result), i);
        for (int k = 0; k < h->n; k++)
            heddle__text_put(&p->text, "%shd_%s x%d", k ? ", " : "", type_name(p, h->first + k),
                             h->first + k);
        put(p, h->n ? ")\n{\n" : "void)\n{\n");
        put(p, "const double hd_zero = 0; (void)hd_zero;\n");
        statements(p, h->body);
        heddle__text_put(&p->text, "const hd_%s none = {0};\nreturn none;\n}\n",
                         type_name(p, h->result));
    }
    p->helper = NULL;
}

/* ---- Parameters ------------------------------------------------------------------------------------- */

static bool is_output(const struct print *p, int parameter)
{
    return parameter >= p->form->tree->n_in;
}

/* Before the loop: addresses and sizes. */
static void addresses(struct print *p)
{
    const struct kernel_form *const f = p->form;
    for (int i = 0; i < f->tree->n_in + f->tree->n_out; i++) {
        const int slot = heddle__kernel_slot(f, i);
        const char *const constant = is_output(p, i) ? "" : "const ";
        heddle__text_put(&p->text, "%shd_%s *%s p%d = (%shd_%s *)s[%d];\n", constant,
                         type_name(p, i),
                         heddle__kernel_by_index(f->mode[i]) || p->cuda ? "const" : "restrict", i,
                         constant, type_name(p, i), slot);
        if (heddle__kernel_by_index(f->mode[i]))
            heddle__text_put(&p->text,
                             "const hd_int64 n%d = s[%d], *const e%d = s + %d; (void)e%d;\n", i,
                             slot + 1, i, slot + 2, i);
    }
}

/* Indices along the axes in c0, c1, ...; x<i> is i. */
static void indices(struct print *p)
{
    const struct kernel_form *const f = p->form;
    const int i = f->tree->n_in + f->tree->n_out;
    heddle__text_put(&p->text, "hd_int64 rest = k, x%d = 0;\n", i);
    for (int d = f->ndim - 1; d >= 0; d--) {
        const int slot = KERNEL_SLOT_AXES + 3 * d;
        heddle__text_put(
            &p->text,
            "const hd_int64 c%d = s[%d] + (hd_int64)((hd_uint64)rest %% (hd_uint64)s[%d]);\n"
            "rest = (hd_int64)((hd_uint64)rest / (hd_uint64)s[%d]);\n"
            "x%d += c%d * s[%d];\n",
            d, slot, slot + 1, slot + 1, i, d, slot + 2);
    }
    put(p, "const hd_int64 c[] = {");
    for (int d = 0; d < f->ndim; d++) heddle__text_put(&p->text, "c%d, ", d);
    heddle__text_put(&p->text, "0};\n(void)c, (void)x%d;\n", i);
}

static void loads(struct print *p)
{
    const struct kernel_form *const f = p->form;
    for (int i = 0; i < f->tree->n_in + f->tree->n_out; i++) {
        const bool zero = is_output(p, i);
        if (heddle__kernel_by_index(f->mode[i])) continue;
        heddle__text_put(&p->text, "hd_%s x%d = ", type_name(p, i), i);
        if (zero) {
            put(p,
                heddle_dtype_kind((enum heddle_dtype)f->types->symbols[i]) == 'C' ? "{0, 0}" : "0");
        } else if (f->mode[i] == KERNEL_ALIGNED) {
            heddle__text_put(&p->text, "p%d[k]", i);
        } else {
            heddle__text_put(&p->text, "p%d[0", i);
            for (int d = 0; d < f->ndim; d++)
                heddle__text_put(&p->text, " + c%d * s[%d]", d, heddle__kernel_slot(f, i) + 1 + d);
            put(p, "]");
        }
        heddle__text_put(&p->text, ";\n(void)x%d;\n", i);
    }
}

static void stores(struct print *p)
{
    const struct kernel_form *const f = p->form;
    for (int i = f->tree->n_in; i < f->tree->n_in + f->tree->n_out; i++)
        if (!heddle__kernel_by_index(f->mode[i]))
            heddle__text_put(&p->text, "p%d[k] = x%d;\n", i, i);
}

/* Accumulators of elements that go together, which are arrays: into names, or back. */
static void accumulators(struct print *p, const char *format)
{
    const struct kernel_tree *const tree = p->form->tree;
    for (int i = tree->n_in; i < tree->n_in + tree->n_out; i++)
        heddle__text_put(&p->text, format, type_name(p, i), i);
}

/* Elements of a result that share a block of a row go through it together, as lanes of vectors: compilers do not find that
 * in loops of one element after the other, each of which is a chain. */
static void by_lanes(struct print *p)
{
    const struct kernel_tree *const tree = p->form->tree;
    const struct kernel_lanes *const w = &tree->lanes;
    heddle__text_put(&p->text, "while (e%d[2] > 1 && k < end) {\n", w->x);
    indices(p);
    loads(p);
    for (const struct kernel_node *n = tree->statements->a; n != w->first; n = n->next)
        statement(p, n);
    heddle__text_put(&p->text,
                     "hd_int64 n = x%d - x%d %% x%d, at = x%d;\n"
                     "if (n > end - k) n = end - k;\n"
                     "if (n > 32) n = 32;\n",
                     w->step, tree->n_in + tree->n_out, w->step, w->at);
    accumulators(p, "hd_%s a%d[32];\n");
    heddle__text_put(&p->text, "for (hd_int64 l = 0; l < n; l++) {\nhd_int64 x%d = at + l;\n",
                     w->at);
    accumulators(p, "hd_%s x%d;\n");
    statement(p, w->first);
    for (int i = tree->n_in; i < tree->n_in + tree->n_out; i++)
        heddle__text_put(&p->text, "a%d[l] = x%d;\n", i, i);
    heddle__text_put(&p->text,
                     "}\n"
                     "for (at += x%d; at < x%d; at += x%d) {\n"
                     "const hd_int64 m = x%d - at < n ? x%d - at : n;\n"
                     "for (hd_int64 l = 0; l < m; l++) {\n"
                     "hd_int64 x%d = at + l;\n",
                     w->step, w->end, w->step, w->end, w->end, w->at);
    for (int i = tree->n_in; i < tree->n_in + tree->n_out; i++)
        heddle__text_put(&p->text, "hd_%s x%d = a%d[l];\n", type_name(p, i), i, i);
    statements(p, w->loop->b);
    for (int i = tree->n_in; i < tree->n_in + tree->n_out; i++)
        heddle__text_put(&p->text, "a%d[l] = x%d;\n", i, i);
    put(p, "}\n}\nfor (hd_int64 l = 0; l < n; l++) {\n");
    for (int i = tree->n_in; i < tree->n_in + tree->n_out; i++)
        heddle__text_put(&p->text, "p%d[k + l] = a%d[l];\n", i, i);
    put(p, "}\nk += n;\n}\n");
}

static void body(struct print *p)
{
    const struct kernel_form *const f = p->form;
    addresses(p);
    heddle__text_put(&p->text, "const hd_int64 x%d = s[%d]; (void)x%d;\n",
                     f->tree->n_in + f->tree->n_out + 1, KERNEL_SLOT_SIZE,
                     f->tree->n_in + f->tree->n_out + 1);
    if (f->tree->lanes.first && !p->cuda) by_lanes(p);
    put(p, p->cuda ? "for (; k < end; k += (hd_int64)gridDim.x * blockDim.x) {\n"
                   : "for (; k < end; k++) {\n");
    if (heddle__kernel_needs_indices(f)) indices(p);
    loads(p);
    statements(p, f->tree->statements);
    stores(p);
    put(p, "}\n}\n");
}

char *heddle__kernel_source(const struct kernel_form *form, bool cuda)
{
    struct print p = {.form = form, .cuda = cuda};
    if (cuda) put(&p, cuda_head);
    put(&p, head);
    helpers(&p);
    if (cuda)
        heddle__text_put(
            &p.text,
            "struct slots { hd_int64 at[%d]; };\n"
            "extern \"C\" __global__ void heddle_kernel(const slots given, hd_int64 end)\n"
            "{\n"
            "const hd_int64 *const s = given.at;\n"
            "hd_int64 k = (hd_int64)blockIdx.x * blockDim.x + threadIdx.x;\n"
            "const double hd_zero = 0; (void)hd_zero;\n",
            heddle__kernel_n_slots(form));
    else
        put(&p, "void heddle_kernel(const hd_int64 *s, hd_int64 k, hd_int64 end)\n"
                "{\n"
                "const double hd_zero = 0; (void)hd_zero;\n");
    body(&p);
    return heddle__text_take(&p.text);
}
