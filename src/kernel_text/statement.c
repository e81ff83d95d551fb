/* Statements: declarations, assignments, if, switch, for, while, do, break, continue, return. Entry points:
 * heddle__kernel_statements, heddle__kernel_block. */
#include "kernel_text/reader.h"

#include <string.h>

typedef struct kernel_node *node;

static node statement(struct kernel_reader *r);

/* A list of statements in the making. */
struct list {
    node block, last;
};

static void append(struct list *list, node n)
{
    if (list->last)
        list->last->next = n;
    else
        list->block->a = n;
    list->last = n;
}

static bool begin(struct kernel_reader *r, struct list *list)
{
    *list = (struct list){.block = heddle__kernel_node(r, KERNEL_BLOCK, r->token.at)};
    r->blocks++;
    return list->block;
}

/* Names of the block end with it. */
static node end(struct kernel_reader *r, struct list *list)
{
    for (int i = r->tree->n_symbols - 1; i >= 0; i--)
        if (r->tree->symbols[i].depth == r->blocks) r->tree->symbols[i].depth = -1;
    r->blocks--;
    return list->block;
}

/* ---- Assignments ------------------------------------------------------------------------------------- */

/* The operator of += and its kin. */
static bool compound(const struct kernel_reader *r, enum kernel_operator *op)
{
    static const struct {
        const char *text;
        enum kernel_operator op;
    } signs[] = {
        {"+=", KERNEL_ADD},          {"-=", KERNEL_SUBTRACT}, {"*=", KERNEL_MULTIPLY},
        {"/=", KERNEL_DIVIDE},       {"%=", KERNEL_MODULO},   {"&=", KERNEL_BIT_AND},
        {"|=", KERNEL_BIT_OR},       {"^=", KERNEL_BIT_XOR},  {"<<=", KERNEL_SHIFT_LEFT},
        {">>=", KERNEL_SHIFT_RIGHT},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs && r->token.kind == TOKEN_SIGN; i++)
        if ((size_t)r->token.length == strlen(signs[i].text) &&
            !memcmp(r->text + r->token.at, signs[i].text, (size_t)r->token.length)) {
            *op = signs[i].op;
            return true;
        }
    return false;
}

/* target = target op value */
static node updated(struct kernel_reader *r, node target, enum kernel_operator op, node value,
                    size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_BINARY, at);
    if (!n || !value) return NULL;
    n->op = (unsigned char)op;
    n->a = target;
    n->b = value;
    return n;
}

static node one(struct kernel_reader *r, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_NUMBER, at);
    if (!n) return NULL;
    n->type = HEDDLE_INT32;
    n->value.i32 = 1;
    return n;
}

static node assignment(struct kernel_reader *r)
{
    const size_t start = r->token.at;
    const bool up = heddle__kernel_take(r, SIGN2('+', '+'));
    const bool down = !up && heddle__kernel_take(r, SIGN2('-', '-'));
    node n = heddle__kernel_node(r, KERNEL_ASSIGN, start);
    if (!n || !(n->a = heddle__kernel_target(r))) return NULL;
    const size_t at = r->token.at;
    enum kernel_operator op = up ? KERNEL_ADD : KERNEL_SUBTRACT;
    if (up || down) {
        n->b = updated(r, n->a, op, one(r, at), start);
    } else if (heddle__kernel_take(r, SIGN2('+', '+'))) {
        n->b = updated(r, n->a, KERNEL_ADD, one(r, at), at);
    } else if (heddle__kernel_take(r, SIGN2('-', '-'))) {
        n->b = updated(r, n->a, KERNEL_SUBTRACT, one(r, at), at);
    } else if (heddle__kernel_take(r, SIGN1('='))) {
        n->b = heddle__kernel_expression(r);
    } else if (compound(r, &op)) {
        heddle__kernel_lex(r);
        n->b = updated(r, n->a, op, heddle__kernel_expression(r), at);
    } else {
        heddle__kernel_unexpected(r, "an assignment");
    }
    return n->b ? n : NULL;
}

/* ---- Declarations ---------------------------------------------------------------------------------- */

static bool declarations(struct kernel_reader *r, struct list *list)
{
    kernel_type type;
    const bool constant = heddle__kernel_is_word(r, "const");
    if (!heddle__kernel_take_type(r, false, &type)) return false;
    do {
        if (r->token.kind != TOKEN_NAME) return heddle__kernel_unexpected(r, "a name");
        const struct kernel_token named = r->token;
        node n = heddle__kernel_node(r, KERNEL_DECLARE, named.at);
        if (!n) return false;
        int extent = 0;
        heddle__kernel_lex(r);
        if (heddle__kernel_take(r, SIGN1('['))) {
            if (!heddle__kernel_array(r, n, type, &extent)) return false;
        } else if (heddle__kernel_take(r, SIGN1('='))) {
            if (!(n->a = heddle__kernel_expression(r))) return false;
        } else if (type == HEDDLE_DTYPE_NONE) {
            return heddle__kernel_fail(r, HEDDLE_ESYNTAX, named.at, "auto needs a value");
        }
        const struct kernel_token after = r->token;
        r->token = named; /* the value may not name it */
        n->symbol = heddle__kernel_symbol(r, KERNEL_LOCAL, type);
        r->token = after;
        if (n->symbol < 0 || (extent && !heddle__kernel_extend(r, n->symbol, extent))) return false;
        r->tree->symbols[n->symbol].constant = constant;
        append(list, n);
    } while (heddle__kernel_take(r, SIGN1(',')));
    return true;
}

/* Declarations, or assignments with commas between them. */
static bool simple(struct kernel_reader *r, struct list *list)
{
    if (heddle__kernel_at_type(r)) return declarations(r, list);
    do {
        node n = assignment(r);
        if (!n) return false;
        append(list, n);
    } while (heddle__kernel_take(r, SIGN1(',')));
    return true;
}

/* ---- Control ------------------------------------------------------------------------------------------ */

static node condition(struct kernel_reader *r)
{
    if (!heddle__kernel_expect(r, SIGN1('('), "before a condition")) return NULL;
    node n = heddle__kernel_expression(r);
    return n && heddle__kernel_expect(r, SIGN1(')'), "after a condition") ? n : NULL;
}

/* A statement as a block of its own. */
static node body(struct kernel_reader *r)
{
    struct list list;
    if (!begin(r, &list)) return NULL;
    node n = statement(r);
    if (!n) return NULL;
    append(&list, n);
    return end(r, &list);
}

static node if_else(struct kernel_reader *r, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_IF, at);
    if (!n || !(n->a = condition(r)) || !(n->b = body(r))) return NULL;
    if (heddle__kernel_take_word(r, "else") && !(n->c = body(r))) return NULL;
    return n;
}

static node loop_body(struct kernel_reader *r)
{
    r->loops++;
    r->breaks++;
    node n = body(r);
    r->loops--;
    r->breaks--;
    return n;
}

static node truth(struct kernel_reader *r)
{
    node n = heddle__kernel_node(r, KERNEL_NUMBER, r->token.at);
    if (!n) return NULL;
    n->type = HEDDLE_BOOL;
    n->value.b = true;
    return n;
}

/* The three parts of a for, in a block of their own. */
static node for_loop(struct kernel_reader *r, size_t at)
{
    struct list outer, steps;
    node loop = heddle__kernel_node(r, KERNEL_LOOP, at);
    if (!loop || !begin(r, &outer) || !heddle__kernel_expect(r, SIGN1('('), "after for"))
        return NULL;
    if (!heddle__kernel_take(r, SIGN1(';')) &&
        (!simple(r, &outer) || !heddle__kernel_expect(r, SIGN1(';'), "after the start of for")))
        return NULL;
    const bool endless = heddle__kernel_take(r, SIGN1(';'));
    loop->a = endless ? truth(r) : heddle__kernel_expression(r);
    if (!loop->a ||
        (!endless && !heddle__kernel_expect(r, SIGN1(';'), "after the condition of for")) ||
        !begin(r, &steps))
        return NULL;
    if (!heddle__kernel_take(r, SIGN1(')'))) {
        if (heddle__kernel_at_type(r)) {
            heddle__kernel_unexpected(r, "an assignment");
            return NULL;
        }
        if (!simple(r, &steps) || !heddle__kernel_expect(r, SIGN1(')'), "after the step of for"))
            return NULL;
    }
    loop->c = end(r, &steps);
    if (!(loop->b = loop_body(r))) return NULL;
    append(&outer, loop);
    return end(r, &outer);
}

static node while_loop(struct kernel_reader *r, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_LOOP, at);
    return n && (n->a = condition(r)) && (n->b = loop_body(r)) ? n : NULL;
}

static node do_loop(struct kernel_reader *r, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_LOOP, at);
    if (!n || !(n->b = loop_body(r))) return NULL;
    n->op = 1;
    if (!heddle__kernel_take_word(r, "while")) {
        heddle__kernel_unexpected(r, "while after the body of do");
        return NULL;
    }
    return (n->a = condition(r)) ? n : NULL;
}

static node jump(struct kernel_reader *r, enum kernel_kind kind, size_t at)
{
    if (kind == KERNEL_BREAK ? !r->breaks : !r->loops) {
        heddle__kernel_fail(r, HEDDLE_ESYNTAX, at,
                            r->loops ? "inside a case break stands at its end"
                                     : "there is no loop around it");
        return NULL;
    }
    return heddle__kernel_node(r, kind, at);
}

/* After a statement that ends with ';', which the last one of the text may lack. */
static node ended(struct kernel_reader *r, node n)
{
    if (!n || r->token.kind == TOKEN_END) return n;
    return heddle__kernel_expect(r, SIGN1(';'), "after a statement") ? n : NULL;
}

/* return e; */
static node returned(struct kernel_reader *r, size_t at)
{
    node n = heddle__kernel_node(r, KERNEL_RETURN, at);
    if (!r->helper) {
        heddle__kernel_fail(r, HEDDLE_ESYNTAX, at, "only functions of the preamble return");
        return NULL;
    }
    return n && (n->a = heddle__kernel_expression(r)) ? n : NULL;
}

static node last_of(node block)
{
    node last = block ? block->a : NULL;
    while (last && last->next) last = last->next;
    return last && last->kind == KERNEL_BLOCK ? last_of(last) : last;
}

/* What stands after `if (c) return a;` is its else, so that both branches have their value and can be followed together. */
static bool go_on_in_else(struct kernel_reader *r, struct list *list, node n, int *n_inside)
{
    enum { MOST = 40 }; /* as what is inside is nested */
    while (n && n->kind == KERNEL_IF && last_of(n->b) && last_of(n->b)->kind == KERNEL_RETURN) {
        if (n->c) {
            n = last_of(n->c);
            continue;
        }
        if (++*n_inside > MOST) return true;
        *list = (struct list){.block = n->c = heddle__kernel_node(r, KERNEL_BLOCK, r->token.at)};
        return n->c;
    }
    return true;
}

/* A declaration or a statement, at the end of a list; NULL in *n: it was a declaration. */
static bool item(struct kernel_reader *r, struct list *list, node *n)
{
    *n = NULL;
    if (heddle__kernel_at_type(r)) return declarations(r, list) && ended(r, list->block);
    *n = statement(r);
    if (*n) append(list, *n);
    return *n;
}

node heddle__kernel_block(struct kernel_reader *r)
{
    struct list list;
    int n_inside = 0;
    if (!begin(r, &list)) return NULL;
    struct kernel_node *const outer = list.block;
    while (!heddle__kernel_take(r, SIGN1('}'))) {
        if (r->token.kind == TOKEN_END) {
            heddle__kernel_unexpected(r, "'}'");
            return NULL;
        }
        node n;
        if (!item(r, &list, &n) || !go_on_in_else(r, &list, n, &n_inside)) return NULL;
    }
    list.block = outer;
    return end(r, &list);
}

/* ---- Choices ------------------------------------------------------------------------------------------ */

/* case a: case b: as the condition `what == a || what == b`; default: as true, *is_last. */
static node labels(struct kernel_reader *r, int what, bool *is_last)
{
    node all = NULL;
    for (;;) {
        const size_t at = r->token.at;
        if (heddle__kernel_take_word(r, "default")) {
            *is_last = true;
            if (!heddle__kernel_expect(r, SIGN1(':'), "after default")) return NULL;
            continue;
        }
        if (!heddle__kernel_take_word(r, "case")) break;
        node equal = heddle__kernel_node(r, KERNEL_BINARY, at);
        if (!equal || !(equal->a = heddle__kernel_node(r, KERNEL_SYMBOL, at))) return NULL;
        equal->op = KERNEL_EQUAL;
        equal->a->symbol = what;
        if (!(equal->b = heddle__kernel_expression(r)) ||
            !heddle__kernel_expect(r, SIGN1(':'), "after the value of a case"))
            return NULL;
        node either = all ? updated(r, all, KERNEL_OR, equal, at) : equal;
        if (!(all = either)) return NULL;
    }
    return *is_last ? truth(r) : all;
}

static bool at_label(const struct kernel_reader *r)
{
    return heddle__kernel_is_word(r, "case") || heddle__kernel_is_word(r, "default");
}

/* The statements of a case, up to its break. */
static node case_body(struct kernel_reader *r)
{
    struct list list;
    if (!begin(r, &list)) return NULL;
    node n = NULL;
    bool ends = false;
    while (!ends && !at_label(r) && r->token.sign != SIGN1('}') && r->token.kind != TOKEN_END) {
        ends = heddle__kernel_is_word(r, "break");
        if (ends) {
            heddle__kernel_lex(r);
            if (!heddle__kernel_expect(r, SIGN1(';'), "after break")) return NULL;
            break;
        }
        if (heddle__kernel_at_type(r)) {
            if (!declarations(r, &list) || !ended(r, list.block)) return NULL;
            continue;
        }
        if (!(n = statement(r))) return NULL;
        append(&list, n);
        ends = n->kind == KERNEL_RETURN || n->kind == KERNEL_CONTINUE;
    }
    if (!ends && at_label(r)) {
        heddle__kernel_unexpected(r, "break, continue or return at the end of a case");
        return NULL;
    }
    return end(r, &list);
}

/* A switch as a chain of ifs. */
static node choices(struct kernel_reader *r, size_t at)
{
    struct list list;
    const int breaks = r->breaks;
    if (!begin(r, &list)) return NULL;
    node what = heddle__kernel_node(r, KERNEL_DECLARE, at), *into = NULL, n = NULL;
    if (!what || !(what->a = condition(r)) ||
        (what->symbol = heddle__kernel_hidden(r, HEDDLE_DTYPE_NONE)) < 0 ||
        !heddle__kernel_expect(r, SIGN1('{'), "after a switch"))
        return NULL;
    append(&list, what);
    r->breaks = 0;
    for (bool is_last = false; !heddle__kernel_take(r, SIGN1('}'));) {
        if (is_last || !at_label(r)) {
            heddle__kernel_unexpected(r, is_last ? "'}' after default" : "case, default or '}'");
            return NULL;
        }
        if (!(n = heddle__kernel_node(r, KERNEL_IF, r->token.at)) ||
            !(n->a = labels(r, what->symbol, &is_last)) || !(n->b = case_body(r)))
            return NULL;
        if (into)
            *into = n;
        else
            append(&list, n);
        into = &n->c;
    }
    r->breaks = breaks;
    return end(r, &list);
}

static node plain(struct kernel_reader *r)
{
    struct list list;
    if (heddle__kernel_at_type(r)) {
        heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at,
                            "a declaration stands in a block of its own");
        return NULL;
    }
    list.block = heddle__kernel_node(r, KERNEL_BLOCK, r->token.at);
    list.last = NULL;
    return list.block && simple(r, &list) ? ended(r, list.block) : NULL;
}

static node statement_inside(struct kernel_reader *r)
{
    const size_t at = r->token.at;
    if (heddle__kernel_take(r, SIGN1(';'))) return heddle__kernel_node(r, KERNEL_BLOCK, at);
    if (heddle__kernel_take(r, SIGN1('{'))) return heddle__kernel_block(r);
    if (heddle__kernel_take_word(r, "if")) return if_else(r, at);
    if (heddle__kernel_take_word(r, "switch")) return choices(r, at);
    if (heddle__kernel_take_word(r, "return")) return ended(r, returned(r, at));
    if (heddle__kernel_take_word(r, "for")) return for_loop(r, at);
    if (heddle__kernel_take_word(r, "while")) return while_loop(r, at);
    if (heddle__kernel_take_word(r, "do")) return ended(r, do_loop(r, at));
    if (heddle__kernel_take_word(r, "break")) return ended(r, jump(r, KERNEL_BREAK, at));
    if (heddle__kernel_take_word(r, "continue")) return ended(r, jump(r, KERNEL_CONTINUE, at));
    return plain(r);
}

static node statement(struct kernel_reader *r)
{
    if (!heddle__kernel_enter(r)) return NULL;
    node n = statement_inside(r);
    r->depth--;
    return n;
}

node heddle__kernel_statements(struct kernel_reader *r)
{
    struct list list;
    list.block = heddle__kernel_node(r, KERNEL_BLOCK, 0);
    list.last = NULL;
    while (list.block && r->token.kind != TOKEN_END) {
        node n;
        if (!item(r, &list, &n)) return NULL;
    }
    return list.block;
}
