# Shared by the scripts of this folder; source it, don't run it.
# Gives: $root, $jobs, say, die, phase (timed step), cuda_home, cuda_version.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${HEDDLE_JOBS:-$(nproc 2>/dev/null || echo 2)}

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# phase NAME COMMAND...: run a step, print how long it took, keep going on failure.
# The names of failed phases collect in $failed_phases.
failed_phases=()
phase() {
    local name=$1 rc=0
    local start=$EPOCHREALTIME
    shift
    printf -- '--- %s\n' "$name"
    "$@" || rc=$?
    local us=$(((${EPOCHREALTIME/[.,]/} - ${start/[.,]/})))
    printf -- '--- %s: %s in %d.%d s\n' "$name" "$([ $rc = 0 ] && echo ok || echo FAILED)" \
        $((us / 1000000)) $((us / 100000 % 10))
    [ $rc = 0 ] || failed_phases+=("$name")
    return 0
}

# The folder of the CUDA toolkit, or nothing. HEDDLE_CUDA=OFF hides it.
cuda_home() {
    [ "${HEDDLE_CUDA:-AUTO}" != OFF ] || return 0
    local dir nvcc
    nvcc=$(command -v nvcc || true)
    for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${nvcc:+$(dirname "$(dirname "$nvcc")")}" \
        /usr/local/cuda; do
        if [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ] && [ -f "$dir/include/cuda_runtime_api.h" ]; then
            printf '%s\n' "$dir"
            return 0
        fi
    done
}

# MAJOR.MINOR of the toolkit in folder $1.
cuda_version() {
    awk '$1 == "#define" && $2 == "CUDART_VERSION" {
             printf "%d.%d\n", $3 / 1000, $3 % 1000 / 10; exit }' "$1/include/cuda_runtime_api.h"
}

heddle_cache_dir() { printf '%s\n' "${HEDDLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/heddle}"; }
heddle_deps_dir() { printf '%s\n' "$(heddle_cache_dir)/deps"; }
