# HEDDLE_SIMGRID: whether to look for StarPU's simulator, which tests/simulated runs plans on. Gives
# HEDDLE_HAVE_SIMGRID and StarPU::SimGrid, a StarPU of its own that only those tests link. It is where
# scripts/setup --simgrid puts it.

set(HEDDLE_HAVE_SIMGRID 0)
if(HEDDLE_SIMGRID STREQUAL "OFF")
    return()
endif()

# heddle_cache: from FindStarPU
file(GLOB prefixes "${heddle_cache}/deps/starpu-1.4.*-simgrid")
list(SORT prefixes COMPARE NATURAL ORDER DESCENDING)
find_path(StarPU_SimGrid_INCLUDE_DIR starpu.h
    PATHS ${prefixes} PATH_SUFFIXES include/starpu/1.4 NO_DEFAULT_PATH)
find_library(StarPU_SimGrid_LIBRARY starpu-1.4
    PATHS ${prefixes} PATH_SUFFIXES lib NO_DEFAULT_PATH)
find_path(SimGrid_INCLUDE_DIR simgrid/actor.h)
find_library(SimGrid_LIBRARY simgrid)
mark_as_advanced(StarPU_SimGrid_INCLUDE_DIR StarPU_SimGrid_LIBRARY
    SimGrid_INCLUDE_DIR SimGrid_LIBRARY)

if(StarPU_SimGrid_INCLUDE_DIR AND StarPU_SimGrid_LIBRARY
    AND SimGrid_INCLUDE_DIR AND SimGrid_LIBRARY)
    set(HEDDLE_HAVE_SIMGRID 1)
    add_library(StarPU::SimGrid UNKNOWN IMPORTED)
    set_target_properties(StarPU::SimGrid PROPERTIES
        IMPORTED_LOCATION "${StarPU_SimGrid_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${StarPU_SimGrid_INCLUDE_DIR};${SimGrid_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${SimGrid_LIBRARY}")
elseif(HEDDLE_SIMGRID STREQUAL "ON")
    message(FATAL_ERROR "HEDDLE_SIMGRID is ON, but there is no simulator: scripts/setup --simgrid")
endif()
