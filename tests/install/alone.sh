#!/usr/bin/env bash
# The installed tree needs the system and nothing else: installed, stripped and moved, it names neither the build
# tree nor the folder of StarPU, every library comes from the tree or from the system, and the command runs with an
# environment that leads to neither.
#
#     alone.sh CMAKE BUILD_DIR STARPU_LIBRARY FOLDER

set -euo pipefail
cmake=$1 build=$2 starpu=$(dirname "$(dirname "$3")") folder=$4
prefix=$folder/moved
failed=false
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failed=true
}

rm -rf "$folder"
"$cmake" --install "$build" --prefix "$folder/prefix" --strip >/dev/null
mv "$folder/prefix" "$prefix"

# A StarPU that scripts/build-starpu did not build may say where it comes from.
names=(-e "$build")
[ ! -f "$starpu/share/heddle-recipe" ] || names+=(-e "$starpu" -e "$(dirname "$starpu")")
while read -r file; do fail "$file names a folder of this build"; done < <(
    grep -rlaF "${names[@]}" "$prefix" || true)

mapfile -t binaries < <(find "$prefix/bin" "$prefix"/lib* -type f \( -name '*.so*' -o -name heddle \))
[ ${#binaries[@]} -ge 2 ] || fail "there are no binaries"
clean=(env -u LD_LIBRARY_PATH -u XDG_CACHE_HOME -u CUDA_HOME -u CUDA_PATH HOME=/dev/null HEDDLE_CACHE=)
for binary in "${binaries[@]}"; do
    while read -r entry; do
        case $entry in
        '$ORIGIN' | '$ORIGIN/'*) ;;
        *) fail "$binary looks for libraries in $entry" ;;
        esac
    done < <(readelf -d "$binary" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p' | tr ':' '\n')
    while read -r line; do
        case $line in
        *'=> '"$prefix"/* | *'=> /lib/'* | *'=> /lib64/'* | *'=> /usr/lib'* | /lib* | linux-vdso* | statically*) ;;
        *) fail "$binary: $line" ;;
        esac
    done < <("${clean[@]}" ldd "$binary" | sed 's/^[[:space:]]*//')
done

if [ -x "$prefix/bin/heddle" ]; then
    sum=$("${clean[@]}" HEDDLE_INLINE_BYTES=-1 "$prefix/bin/heddle" eval 'sum(arange(1000.))' 2>&1) || true
    [ "$sum" = 499500.0 ] || fail "the command says $sum"
fi
! $failed
