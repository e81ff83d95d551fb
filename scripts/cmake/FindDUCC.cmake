# Finds the headers of DUCC's FFT where scripts/get-ducc puts them, below CMAKE_PREFIX_PATH, or where the compiler looks.
# Gives DUCC_INCLUDE_DIR, and DUCC_LICENCE if its text is there.

if(DEFINED ENV{HEDDLE_CACHE})
    set(heddle_cache "$ENV{HEDDLE_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(heddle_cache "$ENV{XDG_CACHE_HOME}/heddle")
else()
    set(heddle_cache "$ENV{HOME}/.cache/heddle")
endif()
file(GLOB heddle_ducc_prefixes "${heddle_cache}/deps/ducc0-*")
list(SORT heddle_ducc_prefixes COMPARE NATURAL ORDER DESCENDING)

find_path(DUCC_INCLUDE_DIR ducc0/fft/fft1d_impl.h PATHS ${heddle_ducc_prefixes} PATH_SUFFIXES include)
find_file(DUCC_LICENCE NAMES LICENCE share/doc/ducc0/LICENCE
    HINTS "${DUCC_INCLUDE_DIR}/.." NO_DEFAULT_PATH)
mark_as_advanced(DUCC_INCLUDE_DIR DUCC_LICENCE)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DUCC REQUIRED_VARS DUCC_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "Run scripts/setup, or scripts/get-ducc alone, and configure again.")
