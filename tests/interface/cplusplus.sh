#!/usr/bin/env bash
# Compiles cplusplus.cpp without a warning, links it with the library and runs it.
# Usage: cplusplus.sh COMPILER STANDARD INCLUDE_FOLDER LIBRARY PROGRAM FLAGS...

set -eu
compiler=$1 standard=$2 include=$3 library=$4 program=$5
shift 5
mkdir -p "$(dirname "$program")"
"$compiler" "-std=$standard" "$@" "-I$include" -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -pedantic \
    -Werror "$(dirname "$0")/cplusplus.cpp" -o "$program" "$library" "-Wl,-rpath,$(dirname "$library")"
"$program"
