/* Named options: heddle_sum(a, .axis = 0, .keepdims = true).
 *
 * A function with options is exported as f_with(arguments..., const struct f_options *); NULL and a
 * struct of zeros mean the defaults. The macro f(arguments..., .name = value, ...) fills the struct by
 * assignments, so that a value without a name does not compile. The options are evaluated from left to
 * right, then the arguments in any order, each once; there are at most eight options, after five
 * arguments seven.
 *
 * Every struct of options begins with `size`: how many bytes of it the caller knows, as structs grow
 * at their end. The macros set it. 0 stands for the fields of version 0.1. Fields that the library
 * does not know must be zero, else the call is HEDDLE_EARG.
 *
 * An axis is two fields, `axis` and `has_axis`, so that no axis and axis 0 differ. The macros set
 * has_axis when .axis is named; an `axis` other than 0 without has_axis is HEDDLE_EARG. */
#ifndef HEDDLE_CALL_H
#define HEDDLE_CALL_H

/* HEDDLE_CALLn(f_with, f_options, arguments..., options...), where f has n arguments, is the body of the
 * macro f(...). HEDDLE_CALLn_AXIS: its options have an axis. */
#define HEDDLE_CALL1(f, type, ...)                                                                 \
    HEDDLE_CALL1_(f, type, HEDDLE_BEGIN_PLAIN_, HEDDLE_END_PLAIN_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER1_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL1_AXIS(f, type, ...)                                                            \
    HEDDLE_CALL1_(f, type, HEDDLE_BEGIN_AXIS_, HEDDLE_END_AXIS_,                                   \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER1_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL2(f, type, ...)                                                                 \
    HEDDLE_CALL2_(f, type, HEDDLE_BEGIN_PLAIN_, HEDDLE_END_PLAIN_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER2_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL2_AXIS(f, type, ...)                                                            \
    HEDDLE_CALL2_(f, type, HEDDLE_BEGIN_AXIS_, HEDDLE_END_AXIS_,                                   \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER2_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL3(f, type, ...)                                                                 \
    HEDDLE_CALL3_(f, type, HEDDLE_BEGIN_PLAIN_, HEDDLE_END_PLAIN_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER3_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL3_AXIS(f, type, ...)                                                            \
    HEDDLE_CALL3_(f, type, HEDDLE_BEGIN_AXIS_, HEDDLE_END_AXIS_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER3_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL4(f, type, ...)                                                                 \
    HEDDLE_CALL4_(f, type, HEDDLE_BEGIN_PLAIN_, HEDDLE_END_PLAIN_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER4_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL5(f, type, ...)                                                                 \
    HEDDLE_CALL5_(f, type, HEDDLE_BEGIN_PLAIN_, HEDDLE_END_PLAIN_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER5_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL5_AXIS(f, type, ...)                                                            \
    HEDDLE_CALL5_(f, type, HEDDLE_BEGIN_AXIS_, HEDDLE_END_AXIS_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER5_(__VA_ARGS__), __VA_ARGS__, ~)
#define HEDDLE_CALL4_AXIS(f, type, ...)                                                            \
    HEDDLE_CALL4_(f, type, HEDDLE_BEGIN_AXIS_, HEDDLE_END_AXIS_,                                 \
                  HEDDLE_NAME_(__COUNTER__), HEDDLE_SETTER4_(__VA_ARGS__), __VA_ARGS__, ~)

/* ---- How ------------------------------------------------------------------------------------------
 *
 * heddle_sum(a, .axis = 0) is an expression of GNU C, which GCC and Clang have in C and in C++:
 *     ({ struct heddle_reduce_options o = {0}; o.size = sizeof o, ..., o .axis = 0, ...,
 *        heddle_sum_with(a, &o); })
 * where `o` is a name of its own in each call, as calls nest. One full expression assigns and calls, so
 * that what a value of an option points to lives long enough, also in C++. */
#define HEDDLE_CALL1_(f, type, begin, end, o, set, a, ...)                                         \
    __extension__({                                                                                \
        struct type o = HEDDLE_ZEROED_;                                                            \
        begin(o), set(o, __VA_ARGS__) end(o) f(a, &o);                                             \
    })
#define HEDDLE_CALL2_(f, type, begin, end, o, set, a, b, ...)                                      \
    __extension__({                                                                                \
        struct type o = HEDDLE_ZEROED_;                                                            \
        begin(o), set(o, __VA_ARGS__) end(o) f(a, b, &o);                                          \
    })
#define HEDDLE_CALL3_(f, type, begin, end, o, set, a, b, c, ...)                                   \
    __extension__({                                                                                \
        struct type o = HEDDLE_ZEROED_;                                                            \
        begin(o), set(o, __VA_ARGS__) end(o) f(a, b, c, &o);                                       \
    })
#define HEDDLE_CALL4_(f, type, begin, end, o, set, a, b, c, d, ...)                                \
    __extension__({                                                                                \
        struct type o = HEDDLE_ZEROED_;                                                            \
        begin(o), set(o, __VA_ARGS__) end(o) f(a, b, c, d, &o);                                    \
    })
#define HEDDLE_CALL5_(f, type, begin, end, o, set, a, b, c, d, e, ...)                             \
    __extension__({                                                                                \
        struct type o = HEDDLE_ZEROED_;                                                            \
        begin(o), set(o, __VA_ARGS__) end(o) f(a, b, c, d, e, &o);                                 \
    })

#define HEDDLE_BEGIN_PLAIN_(o) o.size = sizeof o
#define HEDDLE_END_PLAIN_(o)
#define HEDDLE_BEGIN_AXIS_(o) o.size = sizeof o, o.axis = HEDDLE_NOT_NAMED_
#define HEDDLE_END_AXIS_(o)                                                                        \
    o.has_axis = o.has_axis || o.axis != HEDDLE_NOT_NAMED_,                                        \
    o.axis = o.axis == HEDDLE_NOT_NAMED_ ? 0 : o.axis,
#define HEDDLE_NOT_NAMED_ (-0x7fffffff - 1)

#ifdef __cplusplus
#define HEDDLE_ZEROED_ {}
#else
#define HEDDLE_ZEROED_ {0}
#endif

#define HEDDLE_NAME_(number) HEDDLE_NAME2_(number)
#define HEDDLE_NAME2_(number) heddle_options_##number

/* The HEDDLE_SETk_ for k options after n arguments. */
#define HEDDLE_SETTER1_(...)                                                                       \
    HEDDLE_PICK_(__VA_ARGS__, HEDDLE_TOO_MANY_OPTIONS_, HEDDLE_TOO_MANY_OPTIONS_,                  \
                 HEDDLE_TOO_MANY_OPTIONS_, HEDDLE_SET8_, HEDDLE_SET7_, HEDDLE_SET6_,               \
                 HEDDLE_SET5_, HEDDLE_SET4_, HEDDLE_SET3_, HEDDLE_SET2_, HEDDLE_SET1_,             \
                 HEDDLE_SET0_, 0)
#define HEDDLE_SETTER2_(...)                                                                       \
    HEDDLE_PICK_(__VA_ARGS__, HEDDLE_TOO_MANY_OPTIONS_, HEDDLE_TOO_MANY_OPTIONS_,                  \
                 HEDDLE_SET8_, HEDDLE_SET7_, HEDDLE_SET6_, HEDDLE_SET5_, HEDDLE_SET4_,             \
                 HEDDLE_SET3_, HEDDLE_SET2_, HEDDLE_SET1_, HEDDLE_SET0_, HEDDLE_SET0_, 0)
#define HEDDLE_SETTER3_(...)                                                                       \
    HEDDLE_PICK_(__VA_ARGS__, HEDDLE_TOO_MANY_OPTIONS_, HEDDLE_SET8_, HEDDLE_SET7_,                \
                 HEDDLE_SET6_, HEDDLE_SET5_, HEDDLE_SET4_, HEDDLE_SET3_, HEDDLE_SET2_,             \
                 HEDDLE_SET1_, HEDDLE_SET0_, HEDDLE_SET0_, HEDDLE_SET0_, 0)
#define HEDDLE_SETTER4_(...)                                                                       \
    HEDDLE_PICK_(__VA_ARGS__, HEDDLE_SET8_, HEDDLE_SET7_, HEDDLE_SET6_, HEDDLE_SET5_,              \
                 HEDDLE_SET4_, HEDDLE_SET3_, HEDDLE_SET2_, HEDDLE_SET1_, HEDDLE_SET0_,             \
                 HEDDLE_SET0_, HEDDLE_SET0_, HEDDLE_SET0_, 0)
#define HEDDLE_SETTER5_(...)                                                                       \
    HEDDLE_PICK_(__VA_ARGS__, HEDDLE_SET7_, HEDDLE_SET6_, HEDDLE_SET5_, HEDDLE_SET4_,              \
                 HEDDLE_SET3_, HEDDLE_SET2_, HEDDLE_SET1_, HEDDLE_SET0_, HEDDLE_SET0_,             \
                 HEDDLE_SET0_, HEDDLE_SET0_, HEDDLE_SET0_, 0)
#define HEDDLE_PICK_(n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, name, ...) name

#define HEDDLE_SET0_(o, end)
#define HEDDLE_SET1_(o, x1, end) o x1,
#define HEDDLE_SET2_(o, x1, x2, end) o x1, o x2,
#define HEDDLE_SET3_(o, x1, x2, x3, end) o x1, o x2, o x3,
#define HEDDLE_SET4_(o, x1, x2, x3, x4, end) o x1, o x2, o x3, o x4,
#define HEDDLE_SET5_(o, x1, x2, x3, x4, x5, end) o x1, o x2, o x3, o x4, o x5,
#define HEDDLE_SET6_(o, x1, x2, x3, x4, x5, x6, end) o x1, o x2, o x3, o x4, o x5, o x6,
#define HEDDLE_SET7_(o, x1, x2, x3, x4, x5, x6, x7, end) o x1, o x2, o x3, o x4, o x5, o x6, o x7,
#define HEDDLE_SET8_(o, x1, x2, x3, x4, x5, x6, x7, x8, end)                                       \
    o x1, o x2, o x3, o x4, o x5, o x6, o x7, o x8,

#endif
