#!/usr/bin/env bash
# The command line from outside: output, messages, exit codes. Golden text stands in the test.
# Usage: cli.sh HEDDLE (the binary). Needs nothing but the binary: inputs are made with it.

set -u
heddle=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 run=0

# check NAME EXIT OUT ERR COMMAND...: exit code and both outputs; ERR is the beginning of stderr.
check() {
    local name=$1 code=$2 out=$3 err=$4 got_out got_err got
    shift 4
    got_out=$("$@" 2>stderr)
    got=$?
    got_err=$(cat stderr)
    run=$((run + 1))
    if [ "$got" != "$code" ] || [ "$got_out" != "$out" ] || [ "${got_err#"$err"}" = "$got_err" -a -n "$err" ] ||
        [ -z "$err" -a -n "$got_err" ]; then
        printf 'FAILED %s: %s\nexit %s, expected %s\n--- out\n%s\n--- expected\n%s\n--- err\n%s\n--- expected\n%s\n' \
            "$name" "$*" "$got" "$code" "$got_out" "$out" "$got_err" "$err" >&2
        failed=$((failed + 1))
    fi
}

# --- values
check scalar 0 7.416198487095663 '' "$heddle" eval 'sqrt(sum(abs(arange(6.))**2))'
check integer 0 3 '' "$heddle" eval '1 + 2'
check array 0 '[[0. 1. 2.]
 [3. 4. 5.]]' '' "$heddle" eval 'arange(6.).reshape(2, 3)'
check lines 0 '[1 2]' '' "$heddle" eval 'y = array([0, 1])
y + 1'
check summary 0 '[  0   1   2 ... 997 998 999]' '' "$heddle" eval --threshold 10 'arange(1000)'
check tuple 0 '(2, 3)' '' "$heddle" eval 'a = zeros((2, 3)); a.shape'
check list 0 "[1, 2.5, (True,), array([0, 1])]" '' "$heddle" eval '[1, 2.5, (True,), arange(2)]'
check dtype 0 float32 '' "$heddle" eval 'zeros(2, dtype="f4").dtype'
check print 0 'x [0 1] int64
(1,)
3' '' "$heddle" eval 'a = arange(2); print("x", a, a.dtype); print((1,)); 3'
check print_alone 0 '[dtype('"'int8'"'), None, '"'s'"']' '' "$heddle" eval 'print([ones(2, int8).dtype, None, "s"])'
check print_classes 0 "<class 'numpy.float32'> <class 'float'> <class 'numpy.ndarray'> <class 'list'>
<class 'numpy.bool'> slice(1, None, 2) True" '' "$heddle" eval 'a = zeros(2); print(float32, float, type(a), type([])); print(type(a[0] > 1), np.s_[1::2], a is a)'
check changed_printed 0 'None 9
[1 3]' '' "$heddle" eval 'a = array([3, 1]); print(a.sort(), sum(range(5), -1)); print(a)'
check changed_last 0 '[1 3]' '' "$heddle" eval 'a = array([3, 1]); a.sort()'
check changed_saved 0 '' '' "$heddle" eval 'a = array([3, 1]); a.sort()' -o a=sorted.npy
check sorted_is_printed 0 '[1 3]' '' "$heddle" eval 'a = array([3, 1]); np.sort(a)' -o a=sorted.npy
check print_twice 1 1 'heddle: line 1, column 18: 3 values for 2 names' "$heddle" eval 'print(1); a, b = 1, 2, 3'
check tuple_saved 0 '(1, 2)' '' "$heddle" eval '(1, 2)' -o tuple.npy
check tuple_read 0 '[1 2]' '' "$heddle" eval a a=tuple.npy
check minus 0 -3 '' "$heddle" eval -- '-1 - 2'

# --- files
check save 0 '' '' "$heddle" eval 'd = arange(6.).reshape(2, 3)' -o d=d.npy
check load 0 '[[0. 1. 2.]
 [3. 4. 5.]]' '' "$heddle" eval d d=d.npy
check several 0 15.0 '' "$heddle" eval 't = d.T; s = sum(d); s' d=d.npy -o t=t.npy --output=s=s.npy
check saved 0 '[[0. 3.]
 [1. 4.]
 [2. 5.]]' '' "$heddle" eval t t=t.npy
check last 0 30.0 '' "$heddle" eval 's * 2' s=s.npy -o last.npy
check last_saved 0 30.0 '' "$heddle" eval a a=last.npy
check assigned 0 16.0 '' "$heddle" eval 'y = s + 1' s=s.npy
echo 'd.sum(axis=0) # totals' >script.txt
check script 0 '[3. 5. 7.]' '' "$heddle" eval -f script.txt d=d.npy
check script_long 0 '[3. 5. 7.]' '' "$heddle" eval d=d.npy --file=script.txt
check stdin 0 '[3. 5. 7.]' '' bash -c '"$0" eval - d=d.npy <script.txt' "$heddle"
check no_space 1 '' 'heddle: standard output cannot be written' \
    bash -c '"$0" eval "zeros(100)" >/dev/full' "$heddle"
check save_npz 0 '' '' "$heddle" eval 's = sum(d); t = d.T' d=d.npy -o two.npz -o s=some.npz -o t=some.npz
check saved_npz 0 '[[0. 3.]
 [1. 4.]
 [2. 5.]]' '' "$heddle" eval a a=two.npz:arr_0
check saved_members 0 16.0 '' "$heddle" eval 's + sum(t[0]) - 2' s=some.npz:s t=some.npz:t
check bad_npz 1 '' "heddle: heddle_save_all: 'x.npz': member 's' is given twice" \
    "$heddle" eval 's = 1' -o s=x.npz -o s=x.npz
check same_file 0 '' '' "$heddle" eval 'd = d * 2' d=d.npy -o d=d.npy
check same_file_after 0 30.0 '' "$heddle" eval 'sum(d)' d=d.npy

# --- errors of evaluation
check unbound 1 '' "heddle: line 1, column 5: unknown name 'a'
  1 + a
      ^
Inputs are given as NAME=FILE.npy." "$heddle" eval '1 + a'
check syntax 1 '' 'heddle: line 1, column 9: expected a value, found the end of the text
  sum(abs(
          ^' "$heddle" eval 'sum(abs('
check shapes 1 '' 'heddle: line 1, column 3: heddle_add: shapes (2, 3) and (4,) do not broadcast
  d + arange(4)
    ^' "$heddle" eval 'd + arange(4)' d=d.npy
check no_file 1 '' "heddle: heddle_load: 'nope.npy': No such file" "$heddle" eval a a=nope.npy
check bad_file 1 '' 'heddle: heddle_load' "$heddle" eval a a=script.txt
check no_folder 1 '' 'heddle: heddle_save' "$heddle" eval 'a = 1' -o a=nope/a.npy
check no_output 1 '' 'heddle: ' "$heddle" eval 'a = 1' -o b=b.npy
check no_script 1 '' 'heddle: nope.txt: No such file' "$heddle" eval -f nope.txt
check empty 1 '' 'heddle: line 1, column 1: there is no expression' "$heddle" eval ''

# --- usage
check nothing 2 '' 'usage: heddle COMMAND' "$heddle"
check no_command 2 '' "heddle: there is no command 'foo'
Try 'heddle help'." "$heddle" foo
check no_expression 2 '' 'heddle: an expression is missing' "$heddle" eval
check no_option 2 '' "heddle: there is no option '--bogus'" "$heddle" eval --bogus 1
check no_value 2 '' 'heddle: --threshold needs a value' "$heddle" eval 1 --threshold
check bad_threshold 2 '' "heddle: --threshold needs a positive number, not 'x'" "$heddle" eval 1 --threshold x
check bad_input 2 '' "heddle: 'd.npy' is not an input" "$heddle" eval d d.npy
check bad_name 2 '' "heddle: '1d' is not a name" "$heddle" eval d 1d=d.npy
check twice 2 '' "heddle: 'd' is given twice" "$heddle" eval d d=d.npy d=d.npy
check bad_output 2 '' 'heddle: -o needs NAME=OUT.npy' "$heddle" eval 1 -o =x
check bad_devices 2 '' 'heddle: ' "$heddle" eval 1 --devices=abacus
check info_extra 2 '' "heddle: 'x' is too much" "$heddle" info x

# --- the rest: what matters of it
check version 0 "$("$heddle" --version)" '' "$heddle" -V
contains() {
    local name=$1 text=$2 out
    shift 2
    run=$((run + 1))
    out=$("$@" 2>&1) && [ "${out#*"$text"}" != "$out" ] && return
    printf 'FAILED %s: %s\nno "%s" in\n%s\n' "$name" "$*" "$text" "$out" >&2
    failed=$((failed + 1))
}
contains version_text 'heddle 0.' "$heddle" --version
contains help 'heddle eval EXPR' "$heddle" help
contains help_eval '--threshold N' "$heddle" eval --help
contains help_info 'usage: heddle info' "$heddle" help info
contains dot 'digraph' "$heddle" eval --dot 'd + 1' d=d.npy
contains explain 'plan' "$heddle" eval --explain 'sum(d + 1)' d=d.npy
contains explain_value '36.0' "$heddle" eval --explain 'sum(d + 1)' d=d.npy
contains time 'evaluate' "$heddle" eval --time 'sum(d)' d=d.npy
contains devices '30.0' "$heddle" eval --devices cpu 'sum(d)' d=d.npy
contains info 'cpu:0' "$heddle" info
contains info_devices 'StarPU' "$heddle" info --devices cpu
contains info_blas 'BLAS on CPUs: OpenBLAS' "$heddle" info
contains info_blas_core ', kernels of ' "$heddle" info


# --- environment variables
contains variables HEDDLE_CPU_THREADS "$heddle" info --variables
for name in $("$heddle" info --variables | grep -o '^HEDDLE_[A-Z_]*'); do
    case $name in HEDDLE_CACHE | HEDDLE_TMP) continue ;; esac # a path may be anything
    check "malformed $name" 1 '' "heddle: environment variable $name: \"?!\" is not " \
        env "$name=?!" "$heddle" eval 'sum(ones(3))'
done
check mistyped 0 3 'heddle: warning: environment variable HEDDLE_THREADS: this version of Heddle knows none of that name; did you mean HEDDLE_CPU_THREADS?' \
    env HEDDLE_THREADS=1 "$heddle" eval '1 + 2'
check not_mistyped 0 3 '' env HEDDLE_QUANTUM=1 "$heddle" eval '1 + 2'
contains info_unknown 'HEDDLE_QUANTUM' env HEDDLE_QUANTUM=1 "$heddle" info
contains info_set 'HEDDLE_MAX_TASKS=77' env HEDDLE_MAX_TASKS=77 "$heddle" info
check info_malformed 1 'heddle 0.1.0, *' 'heddle: environment variable HEDDLE_JIT: "2" is not 0 or 1' \
    bash -c 'HEDDLE_JIT=2 "$0" info | sed "1s/, .*/, */;2d"; exit ${PIPESTATUS[0]}' "$heddle"

echo "$run checks, $failed failed" >&2
[ "$failed" = 0 ]
