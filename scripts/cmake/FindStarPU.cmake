# Finds StarPU 1.4 by pkg-config, below CMAKE_PREFIX_PATH, or where scripts/setup puts it.
# Gives the target StarPU::StarPU; its headers count as the system's.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_STARPU QUIET starpu-1.4)
endif()

if(DEFINED ENV{HEDDLE_CACHE})
    set(heddle_cache "$ENV{HEDDLE_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(heddle_cache "$ENV{XDG_CACHE_HOME}/heddle")
else()
    set(heddle_cache "$ENV{HOME}/.cache/heddle")
endif()
file(GLOB heddle_starpu_prefixes "${heddle_cache}/deps/starpu-1.4.*")
list(FILTER heddle_starpu_prefixes EXCLUDE REGEX "-simgrid$") # runs nothing: HeddleSimGrid.cmake
list(SORT heddle_starpu_prefixes COMPARE NATURAL ORDER DESCENDING) # cuda before cpu

find_path(StarPU_INCLUDE_DIR starpu.h
    HINTS ${PC_STARPU_INCLUDE_DIRS}
    PATHS ${heddle_starpu_prefixes}
    PATH_SUFFIXES include/starpu/1.4 starpu/1.4)
find_library(StarPU_LIBRARY starpu-1.4
    HINTS ${PC_STARPU_LIBRARY_DIRS}
    PATHS ${heddle_starpu_prefixes}
    PATH_SUFFIXES lib)
mark_as_advanced(StarPU_INCLUDE_DIR StarPU_LIBRARY)

if(StarPU_INCLUDE_DIR AND EXISTS "${StarPU_INCLUDE_DIR}/starpu_config.h")
    set(StarPU_VERSION "")
    foreach(part MAJOR MINOR RELEASE)
        file(STRINGS "${StarPU_INCLUDE_DIR}/starpu_config.h" line
            REGEX "^#define STARPU_${part}_VERSION ")
        string(REGEX MATCH "[0-9]+$" number "${line}")
        list(APPEND StarPU_VERSION "${number}")
    endforeach()
    list(JOIN StarPU_VERSION "." StarPU_VERSION)
    file(STRINGS "${StarPU_INCLUDE_DIR}/starpu_config.h" StarPU_USE_CUDA
        REGEX "^#define STARPU_USE_CUDA 1")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StarPU
    REQUIRED_VARS StarPU_LIBRARY StarPU_INCLUDE_DIR
    VERSION_VAR StarPU_VERSION
    REASON_FAILURE_MESSAGE
        "Run scripts/setup, then eval \"$(scripts/setup --env)\", and configure again.")

if(StarPU_FOUND AND NOT TARGET StarPU::StarPU)
    add_library(StarPU::StarPU UNKNOWN IMPORTED)
    set_target_properties(StarPU::StarPU PROPERTIES
        IMPORTED_LOCATION "${StarPU_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${StarPU_INCLUDE_DIR}")
    # StarPU's headers include CUDA's and hwloc's.
    if(StarPU_USE_CUDA)
        find_path(StarPU_CUDA_INCLUDE_DIR cuda_runtime.h
            HINTS ${PC_STARPU_INCLUDE_DIRS} ENV CUDA_HOME ENV CUDA_PATH
            PATHS /usr/local/cuda
            PATH_SUFFIXES include
            REQUIRED)
        mark_as_advanced(StarPU_CUDA_INCLUDE_DIR)
        target_include_directories(StarPU::StarPU SYSTEM INTERFACE "${StarPU_CUDA_INCLUDE_DIR}")
    endif()
    find_path(HWLOC_INCLUDE_DIR hwloc.h HINTS ${PC_STARPU_INCLUDE_DIRS})
    find_library(HWLOC_LIBRARY NAMES hwloc libhwloc.so.15 HINTS ${PC_STARPU_LIBRARY_DIRS})
    mark_as_advanced(HWLOC_INCLUDE_DIR HWLOC_LIBRARY)
    if(HWLOC_INCLUDE_DIR)
        target_include_directories(StarPU::StarPU SYSTEM INTERFACE "${HWLOC_INCLUDE_DIR}")
    endif()
    if(HWLOC_LIBRARY)
        target_link_libraries(StarPU::StarPU INTERFACE "${HWLOC_LIBRARY}")
    endif()
endif()
