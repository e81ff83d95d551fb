/* Statistics, made of reductions: shapes, axes, dtypes, order of operations and errors as in reduce.h.
 * Functions of deviations from the mean go over the data twice. */
#ifndef HEDDLE_STATISTICS_H
#define HEDDLE_STATISTICS_H

#include <heddle/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_var_options {
    size_t size;             /* call.h */
    int axis;                /* one axis */
    bool has_axis;           /* whether it is given; set by the macros */
    bool keepdims;           /* reduced axes stay, with extent 1 */
    struct heddle_axes axes; /* several, instead of `axis` */
    enum heddle_dtype dtype; /* floating: of the result and of what is accumulated */
    double correction;       /* the divisor is their number less this, and at least 0 (NumPy's ddof) */
};

/** Variance: the mean square of the deviations from the mean; real. Of integers in float64. */
HEDDLE_API heddle_array *heddle_var_with(heddle_array *a, const struct heddle_var_options *o);
/** Standard deviation: its square root. */
HEDDLE_API heddle_array *heddle_std_with(heddle_array *a, const struct heddle_var_options *o);
/** Of what is not NaN; NaN of too few (NumPy names). */
HEDDLE_API heddle_array *heddle_nanvar_with(heddle_array *a, const struct heddle_var_options *o);
HEDDLE_API heddle_array *heddle_nanstd_with(heddle_array *a, const struct heddle_var_options *o);

/* NumPy's names: */

/** Sum of what is not NaN; 0 if there is nothing else. */
HEDDLE_API heddle_array *heddle_nansum_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Product of what is not NaN. */
HEDDLE_API heddle_array *heddle_nanprod_with(heddle_array *a,
                                             const struct heddle_reduce_options *o);
/** Mean of what is not NaN; NaN if there is nothing else. */
HEDDLE_API heddle_array *heddle_nanmean_with(heddle_array *a,
                                             const struct heddle_reduce_options *o);
/** Where the largest, the smallest is of what is not NaN, int64; if all are NaN it is 0. Complex: HEDDLE_EDTYPE. */
HEDDLE_API heddle_array *heddle_nanargmax_with(heddle_array *a,
                                               const struct heddle_reduce_options *o);
HEDDLE_API heddle_array *heddle_nanargmin_with(heddle_array *a,
                                               const struct heddle_reduce_options *o);
/** Maximum less minimum. */
HEDDLE_API heddle_array *heddle_ptp_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Mean with weights, of a's shape or, with .axis, of that axis; NULL: the mean. */
HEDDLE_API heddle_array *heddle_average_with(heddle_array *a, heddle_array *weights,
                                             const struct heddle_reduce_options *o);

#define heddle_var(...) HEDDLE_CALL1_AXIS(heddle_var_with, heddle_var_options, __VA_ARGS__)
#define heddle_std(...) HEDDLE_CALL1_AXIS(heddle_std_with, heddle_var_options, __VA_ARGS__)
#define heddle_nanvar(...) HEDDLE_CALL1_AXIS(heddle_nanvar_with, heddle_var_options, __VA_ARGS__)
#define heddle_nanstd(...) HEDDLE_CALL1_AXIS(heddle_nanstd_with, heddle_var_options, __VA_ARGS__)
#define heddle_nansum(...) HEDDLE_CALL1_AXIS(heddle_nansum_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanprod(...)                                                                        \
    HEDDLE_CALL1_AXIS(heddle_nanprod_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanmean(...)                                                                        \
    HEDDLE_CALL1_AXIS(heddle_nanmean_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanargmax(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_nanargmax_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanargmin(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_nanargmin_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_ptp(...) HEDDLE_CALL1_AXIS(heddle_ptp_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_average(...)                                                                        \
    HEDDLE_CALL2_AXIS(heddle_average_with, heddle_reduce_options, __VA_ARGS__)

struct heddle_cov_options {
    size_t size;         /* call.h */
    heddle_array *more;  /* more variables, of the same form; NULL: none */
    bool by_columns;     /* variables are columns (NumPy's rowvar=False) */
    bool biased;         /* divide by n, not n - 1 */
    double correction;   /* divide by n less this, if has_correction (NumPy's ddof) */
    bool has_correction;
};

/** Covariance of the rows of a, a matrix or one variable. */
HEDDLE_API heddle_array *heddle_cov_with(heddle_array *a, const struct heddle_cov_options *o);
/** Their correlation: covariance over both standard deviations. */
HEDDLE_API heddle_array *heddle_corrcoef_with(heddle_array *a, const struct heddle_cov_options *o);
#define heddle_cov(...) HEDDLE_CALL1(heddle_cov_with, heddle_cov_options, __VA_ARGS__)
#define heddle_corrcoef(...) HEDDLE_CALL1(heddle_corrcoef_with, heddle_cov_options, __VA_ARGS__)

/* ---- Order statistics ----------------------------------------------------------------------------
 * They sort (sort.h). Shapes and axes are as in reduce.h. A NaN among the elements gives NaN; the functions whose names
 * begin with nan leave them out. Complex numbers have no order: HEDDLE_EDTYPE. */

/** The middle element, or the mean of the two in the middle; of integers in float64. NaN of nothing. */
HEDDLE_API heddle_array *heddle_median_with(heddle_array *a, const struct heddle_reduce_options *o);
HEDDLE_API heddle_array *heddle_nanmedian_with(heddle_array *a,
                                               const struct heddle_reduce_options *o);
#define heddle_median(...) HEDDLE_CALL1_AXIS(heddle_median_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanmedian(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_nanmedian_with, heddle_reduce_options, __VA_ARGS__)

/* Which number stands for a place between two elements in order. */
enum heddle_quantile_method {
    HEDDLE_QUANTILE_LINEAR,   /* on the line between them */
    HEDDLE_QUANTILE_LOWER,    /* the lower one */
    HEDDLE_QUANTILE_HIGHER,   /* the higher one */
    HEDDLE_QUANTILE_MIDPOINT, /* their mean */
    HEDDLE_QUANTILE_NEAREST,  /* the nearer one; in the middle that of even position */
};

struct heddle_quantile_options {
    size_t size;             /* call.h */
    int axis;                /* one axis */
    bool has_axis;           /* whether it is given; set by the macros */
    bool keepdims;           /* reduced axes stay, with extent 1 */
    struct heddle_axes axes; /* several, instead of `axis` */
    enum heddle_quantile_method method;
};

/** The number below which a part `q` of the elements is: q (n - 1) places after the least. `q`: numbers from 0 to 1,
 *  whose axes are the first ones of the result; they are evaluated at the call, unless they are constants. Dtype: a's
 *  with the methods that choose an element; else floating. Beside an infinity, where NumPy gives NaN, an element that
 *  is met exactly is itself. Errors: HEDDLE_ERANGE for q, HEDDLE_ESHAPE of no elements. */
HEDDLE_API heddle_array *heddle_quantile_with(heddle_array *a, heddle_array *q,
                                              const struct heddle_quantile_options *o);
HEDDLE_API heddle_array *heddle_nanquantile_with(heddle_array *a, heddle_array *q,
                                                 const struct heddle_quantile_options *o);
/** The same of q / 100. */
HEDDLE_API heddle_array *heddle_percentile_with(heddle_array *a, heddle_array *q,
                                                const struct heddle_quantile_options *o);
HEDDLE_API heddle_array *heddle_nanpercentile_with(heddle_array *a, heddle_array *q,
                                                   const struct heddle_quantile_options *o);
#define heddle_quantile(...)                                                                       \
    HEDDLE_CALL2_AXIS(heddle_quantile_with, heddle_quantile_options, __VA_ARGS__)
#define heddle_nanquantile(...)                                                                    \
    HEDDLE_CALL2_AXIS(heddle_nanquantile_with, heddle_quantile_options, __VA_ARGS__)
#define heddle_percentile(...)                                                                     \
    HEDDLE_CALL2_AXIS(heddle_percentile_with, heddle_quantile_options, __VA_ARGS__)
#define heddle_nanpercentile(...)                                                                  \
    HEDDLE_CALL2_AXIS(heddle_nanpercentile_with, heddle_quantile_options, __VA_ARGS__)

/* ---- Differences along an axis ------------------------------------------------------------------ */

struct heddle_diff_options {
    size_t size;           /* call.h */
    int axis;              /* default: the last */
    bool has_axis;         /* whether it is given; set by the macro */
    int n;                 /* how many times; 0: once */
    heddle_array *prepend; /* before the first element along the axis; NULL: nothing */
    heddle_array *append;  /* after the last one */
};

/** Differences of neighbours, a[1:] - a[:-1]; of bool whether they differ. */
HEDDLE_API heddle_array *heddle_diff_with(heddle_array *a, const struct heddle_diff_options *o);
#define heddle_diff(...) HEDDLE_CALL1_AXIS(heddle_diff_with, heddle_diff_options, __VA_ARGS__)

struct heddle_gradient_options {
    size_t size;   /* call.h */
    int axis;      /* default: the only one */
    bool has_axis; /* whether it is given; set by the macro */
    double step;   /* between elements; 0: 1 */
};

/** The derivative along an axis by central differences, one-sided at the ends (NumPy name). */
HEDDLE_API heddle_array *heddle_gradient_with(heddle_array *a,
                                              const struct heddle_gradient_options *o);
#define heddle_gradient(...)                                                                       \
    HEDDLE_CALL1_AXIS(heddle_gradient_with, heddle_gradient_options, __VA_ARGS__)

struct heddle_trapezoid_options {
    size_t size;     /* call.h */
    int axis;        /* default: the last */
    bool has_axis;   /* whether it is given; set by the macro */
    heddle_array *x; /* where the elements are: of one axis, or of y's shape; NULL: .dx apart */
    double dx;       /* 0: 1 */
};

/** The integral along an axis by the trapezoidal rule (NumPy name). */
HEDDLE_API heddle_array *heddle_trapezoid_with(heddle_array *y,
                                               const struct heddle_trapezoid_options *o);
#define heddle_trapezoid(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_trapezoid_with, heddle_trapezoid_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
