/* Lists as arguments: HEDDLE_SHAPE(3, 4) is two arguments, how many and where. Where the list lives: in C
 * until the end of the block, in C++ until the end of the full expression. */
#ifndef HEDDLE_LIST_H
#define HEDDLE_LIST_H

/* HEDDLE_LIST_(type, elements...): `int n, type const *list`. */
#ifndef __cplusplus

#define HEDDLE_LIST_(type, ...)                                                                    \
    (int)(sizeof((type const[]){__VA_ARGS__}) / sizeof(type)), ((type const[]){__VA_ARGS__})
#define HEDDLE_NO_LIST_(type) 0, ((type const *)0)

#else /* C++ has no compound literals: a temporary with an array in it; the elements are evaluated once */

#define HEDDLE_LIST_(type, ...)                                                                    \
    static_cast<int>(sizeof(heddle_count_(__VA_ARGS__))),                                          \
        static_cast<type const *>(heddle_list_of_<type>(__VA_ARGS__).at)
#define HEDDLE_NO_LIST_(type) 0, static_cast<type const *>(nullptr)

template <class... Elements> char (&heddle_count_(const Elements &...))[sizeof...(Elements)];

template <class Type, int n> struct heddle_list_ {
    Type at[n];
};

template <class Type, class... Elements>
constexpr heddle_list_<Type, sizeof...(Elements)> heddle_list_of_(const Elements &...elements)
{
    return {{static_cast<Type>(elements)...}};
}

#endif

#endif
