#!/usr/bin/env bash
# What the public headers accept, and what they must not: calls.c compiles without a warning; a value
# without its name, or with one that the function has not, does not compile.
# Usage: headers.sh COMPILER LANGUAGE INCLUDE_FOLDER HOW_MUCH; LANGUAGE as in -std: c11, c++17, ...;
# HOW_MUCH: all, most, or only what is accepted.

set -u
compiler=$1 standard=$2 include=$3 how_much=$4
case $standard in c++*) language=(-x c++ -Wold-style-cast) ;; *) language=(-x c) ;; esac
compile=("$compiler" -std=$standard -fsyntax-only "-I$include" "${language[@]}")
case $compiler in *clang*) all_errors=(-ferror-limit=0) ;; *) all_errors=(-fmax-errors=0) ;; esac
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 run=0

fail() {
    printf 'FAILED: %s\n' "$@" >&2
    failed=$((failed + 1))
}

run=$((run + 1))
"${compile[@]}" -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror "$here/calls.c" || fail 'calls.c does not compile'

if [ "$how_much" = accepted ]; then
    printf '%d cases, %d failed\n' $run $failed
    exit $failed
fi

# refused CALL: what must not compile.
calls=()
refused() { calls+=("${1//$'\n'/ }"); }

put() {
    printf 'void f%s(heddle_array *a, heddle_array *i, heddle_part_function *g, void *d);
void f%s(heddle_array *a, heddle_array *i, heddle_part_function *g, void *d) { (void)a, (void)i, (void)g, (void)d; %s; }\n' \
        "$1" "$1" "$2"
}

# All of them in one file, each followed by a call that is right: what has an error in its own line is refused; where right
# calls have errors, or a wrong one seems to have none, calls are compiled one by one. Without warnings as errors, so that only
# errors count.
check_refused() {
    local n found
    {
        echo '#include <heddle.h>'
        for n in "${!calls[@]}"; do
            put "$n" "${calls[n]}"
            put "_right_$n" 'heddle_sum(a, .axis = 0)'
        done
    } >"$work/calls.c"
    "${compile[@]}" -w "${all_errors[@]}" "$work/calls.c" 2>"$work/errors"
    found=" $(sed -nE "s|^$work/calls\.c:([0-9]+):[0-9]+: error: .*|\1|p" "$work/errors" | sort -un | tr '\n' ' ')"
    for n in "${!calls[@]}"; do
        run=$((run + 1))
        case $found in *" $((4 * n + 5)) "*) found= ;; esac # a right call has an error: nothing is known
    done
    for n in "${!calls[@]}"; do
        case $found in *" $((4 * n + 3)) "*) continue ;; esac
        { echo "#include <heddle.h>"; put "" "${calls[n]}"; } >"$work/call.c"
        ! "${compile[@]}" -w "$work/call.c" 2>"$work/errors" || fail "this compiles: ${calls[n]}"
    done
}

arguments=(
    'asarray d, HEDDLE_INT8, HEDDLE_SHAPE(3)'
    'empty HEDDLE_SHAPE(3)'
    'zeros HEDDLE_SHAPE(3)'
    'ones HEDDLE_SHAPE(3)'
    'full HEDDLE_SHAPE(3), a'
    'empty_like a'
    'zeros_like a'
    'ones_like a'
    'full_like a, a'
    'arange a, a, a'
    'linspace a, a, 5'
    'eye 3, 3'
    'sum a'
    'prod a'
    'max a'
    'min a'
    'mean a'
    'any a'
    'all a'
    'count_nonzero a'
    'argmax a'
    'argmin a'
    'cumulative_sum a'
    'cumulative_prod a'
    'flip a'
    'sort a'
    'argsort a'
    'searchsorted a, i'
    'logspace a, i, 3'
    'geomspace a, i, 3'
    'interp a, i, i'
    'convolve a, i'
    'correlate a, i'
    'vander a, 3'
    'unwrap a'
    'delete a, HEDDLE_SHAPE(1)'
    'insert a, 1, i'
    'lexsort 1, &a'
    'topk a, 3, &a, &i'
    'median a'
    'nanmedian a'
    'quantile a, i'
    'nanquantile a, i'
    'percentile a, i'
    'nanpercentile a, i'
    'isin a, i'
    'unique_values a'
    'unique_counts a, &a, &i'
    'unique_inverse a, &a, &i'
    'bincount a'
    'histogram a, &a, &i'
    'histogram_bin_edges a'
    'digitize a, i'
    'fft_fft a'
    'fft_ifft a'
    'fft_rfft a'
    'fft_irfft a'
    'fft_hfft a'
    'fft_ihfft a'
    'fft_fftn a'
    'kernel_apply 0, HEDDLE_ARRAYS(a, a)'
    'kernel_reduction 0, 0, 0, 0, 0'
    'kernel_reduce 0, HEDDLE_ARRAYS(a, a)'
    'kernel_reduce_call 0, HEDDLE_ARRAYS(a, a), 1, &a'
    'fft_ifftn a'
    'fft_rfftn a'
    'fft_irfftn a'
    'fft_fft2 a'
    'fft_ifft2 a'
    'fft_rfft2 a'
    'fft_irfft2 a'
    'fft_fftfreq 3'
    'fft_rfftfreq 3'
    'fft_fftshift a'
    'fft_ifftshift a'
    'take a, i'
    'random_uniform d, HEDDLE_SHAPE(3)'
    'random_normal d, HEDDLE_SHAPE(3)'
    'random_standard_normal d, HEDDLE_SHAPE(3)'
    'random_lognormal d, HEDDLE_SHAPE(3)'
    'random_exponential d, HEDDLE_SHAPE(3)'
    'random_gamma d, HEDDLE_SHAPE(3), a'
    'random_beta d, HEDDLE_SHAPE(3), a, i'
    'random_integers d, HEDDLE_SHAPE(3), a, i'
    'random_bits d, HEDDLE_SHAPE(3)'
    'random_poisson d, HEDDLE_SHAPE(3), a'
    'random_binomial d, HEDDLE_SHAPE(3), a, i'
    'random_multinomial d, HEDDLE_SHAPE(3), a, i'
    'random_permutation d, a'
    'random_choice d, HEDDLE_SHAPE(3), a'
    'take_along_axis a, i'
    'compress a, i'
    'put_along_axis a, i, a'
    'nanmax a'
    'nanmin a'
    'nansum a'
    'nanargmax a'
    'nanargmin a'
    'cumulative_max a'
    'cumulative_min a'
    'nancumsum a'
    'nancumprod a'
    'nanprod a'
    'nanmean a'
    'ptp a'
    'var a'
    'std a'
    'nanvar a'
    'nanstd a'
    'cov a'
    'corrcoef a'
    'diff a'
    'gradient a'
    'trapezoid a'
    'nan_to_num a'
    'diagonal a'
    'trace a'
    'linalg_cholesky a'
    'linalg_qr a, &a, &a'
    'linalg_solve_triangular a, i'
    'average a, i'
    'isclose a, i'
    'allclose a, i'
    'repeat a, i'
    'vecdot a, i'
    'matmul a, i'
    'cross a, i'
    'roll a, 1'
    'pad a, HEDDLE_SHAPE(1, 1)'
    'unstack a, 1, &a'
    'split a, 1, &a'
    'array_split a, 1, &a'
    'split_at a, HEDDLE_SHAPE(1), &a'
    'meshgrid 1, &a, &a'
    'linalg_eigh a, &a, &i'
    'linalg_eigvalsh a'
    'linalg_svd a, &a, &i, &i'
    'linalg_vector_norm a'
    'linalg_matrix_norm a'
    'linalg_norm a'
    'linalg_cond a'
    'linalg_matrix_rank a'
    'linalg_pinv a'
    'linalg_lstsq a, i, d'
    'map_parts a, HEDDLE_INT8, g'
    'raw_kernel_from_functions 0'
    'raw_kernel_from_source d, d'
    'raw_kernel_from_module d, 3, d'
    'raw_kernel_from_file d, d'
    'raw_call 0, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(a, &i))'
    'gufunc_make d, 0'
)
values=(0)
[ "$how_much" != all ] || values+=(HEDDLE_FLOAT32 '.no_such_option = 1')
for call in "${arguments[@]}"; do
    for value in "${values[@]}"; do
        refused "heddle_${call%% *}(${call#* }, $value)"
    done
done

# Everything else that could be taken for an operator or a call after a name.
for value in -1 '+1' '(0)' '&a' '*i' '"x"' '{0}' '[0]' a true '!1' '~0' NULL 'axis = 0' \
    '(struct heddle_reduce_options){0}' 'HEDDLE_AXES(0)' '.axis = 0, 1' '0, .axis = 0' \
    '.keepdims = true, .keepdims = true, .keepdims = true, .keepdims = true, .keepdims = true,
     .keepdims = true, .keepdims = true, .keepdims = true, .keepdims = true'; do
    refused "heddle_sum(a, $value)"
done
refused 'heddle_sum()'
refused 'heddle_take(a)'
refused 'heddle_zeros(3)'
refused 'heddle_eye(3, 3, 3)'

check_refused
printf '%d cases, %d failed\n' $run $failed
[ $failed = 0 ]
