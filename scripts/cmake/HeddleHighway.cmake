# Highway's sort by vectors (libhwy-dev), if it is there: HEDDLE_HAVE_HIGHWAY, HIGHWAY_INCLUDE_DIR. Its headers are
# compiled for each instruction set, so that no library of it, nor of C++, is needed at run time.

set(HEDDLE_HAVE_HIGHWAY 0)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_HIGHWAY QUIET libhwy)
endif()
find_path(HIGHWAY_INCLUDE_DIR hwy/contrib/sort/vqsort-inl.h HINTS ${PC_HIGHWAY_INCLUDE_DIRS})
mark_as_advanced(HIGHWAY_INCLUDE_DIR)
if(HIGHWAY_INCLUDE_DIR AND HEDDLE_CPU_DISPATCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    file(STRINGS "${HIGHWAY_INCLUDE_DIR}/hwy/highway.h" lines REGEX "define HWY_(MAJOR|MINOR) ")
    if(lines MATCHES "MAJOR 1;.*MINOR 0$") # the interface that cpu_highway.cpp knows
        set(HIGHWAY_INCLUDE_OPTION)
        if(NOT HIGHWAY_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
            set(HIGHWAY_INCLUDE_OPTION -isystem "${HIGHWAY_INCLUDE_DIR}")
        endif()
        set(HEDDLE_HAVE_HIGHWAY 1)
    endif()
endif()
