#!/usr/bin/env bash
# StarPU looks below its prefix for models of machines, by a path that was compiled in. Where the prefix was
# moved or packed there are none, and that must not be worth a line on standard error. A copy of the library
# with another path stands for a moved one. Skipped (77) with a StarPU that scripts/build-starpu did not
# build: what it prints is not ours to say.
#
#     moved_starpu.sh HEDDLE LIBRARY FOLDER    the binary, StarPU's library, a folder for the copy

set -eu
heddle=$1 library=$2 folder=$3
compiled_in=share/starpu/perfmodels/sampling
elsewhere=share/starpu/perfmodels/SAMPLING

fail() {
    printf 'FAILED: %s\n' "$1" >&2
    [ ! -s "$folder/err" ] || cat "$folder/err" >&2
    exit 1
}

[ -f "$(dirname "$library")/../share/heddle-recipe" ] || exit 77
rm -rf "$folder"
mkdir -p "$folder"
soname=$(basename "$(readlink -f "$library")" | sed -E 's/(\.so\.[0-9]+).*/\1/')
sed "s#$compiled_in#$elsewhere#g" "$library" >"$folder/$soname"
grep -q "$elsewhere" "$folder/$soname" || fail "the library does not have the path $compiled_in"

# evaluate [VARIABLE=VALUE]: through StarPU's workers; standard error to a file.
evaluate() {
    local sum
    sum=$(env -u STARPU_SILENT HEDDLE_INLINE_BYTES=-1 LD_LIBRARY_PATH="$folder" "$@" \
        "$heddle" eval 'sum(arange(1000.))' 2>"$folder/err") || fail "the command failed"
    [ "$sum" = 499500.0 ] || fail "the sum is $sum"
}

evaluate
[ ! -s "$folder/err" ] || fail "something was printed"
# StarPU was started, and it was the copy: it tells who wants to know.
evaluate STARPU_SILENT=0
grep -q "$elsewhere" "$folder/err" || fail "the copy of the library was not used"
