# How Heddle's own targets are compiled.

set(heddle_warnings -Wall -Wextra -Wshadow -Wstrict-prototypes -Wconversion)
if(HEDDLE_WERROR)
    list(APPEND heddle_warnings -Werror)
endif()

set(heddle_sanitize_flags)
if(HEDDLE_SANITIZE STREQUAL "address+undefined")
    set(heddle_sanitize_flags
        -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    # Two fifths of the code of these builds, for what the address sanitizer sees where it matters: at the access.
    list(APPEND heddle_sanitize_flags -fno-sanitize=null,object-size,pointer-overflow)
    # Sanitizers' descriptions are full of addresses: a million to relocate, each time that a program starts.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
elseif(HEDDLE_SANITIZE STREQUAL "thread")
    set(heddle_sanitize_flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(HEDDLE_SANITIZE)
    message(FATAL_ERROR "HEDDLE_SANITIZE is '${HEDDLE_SANITIZE}', not address+undefined or thread")
endif()
# Each test of the static layers is 40 MB, and more with sanitizers: LLVM's linker takes a third of the time that GNU's
# takes. HeddleTest.cmake uses it, too.
find_program(HEDDLE_LLD ld.lld)
mark_as_advanced(HEDDLE_LLD)
if(HEDDLE_SANITIZE AND HEDDLE_LLD)
    add_link_options(-fuse-ld=lld)
endif()
if(HEDDLE_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "HEDDLE_FUZZ needs clang (CMAKE_C_COMPILER=clang)")
    endif()
    list(APPEND heddle_sanitize_flags -fsanitize=fuzzer-no-link)
endif()

set(heddle_missing_source_level WARNING)
if(HEDDLE_WERROR)
    set(heddle_missing_source_level SEND_ERROR)
endif()

# GCC for x86 clears and copies structs of 100 bytes and more by "rep stos" and "rep movs", which take
# some thirty cycles to begin: felt where a node is made in a hundred.
include(CheckCCompilerFlag)
set(heddle_string_flags
    -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign
    -mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign)
check_c_compiler_flag("${heddle_string_flags}" HEDDLE_HAVE_STRING_STRATEGY)
if(NOT HEDDLE_HAVE_STRING_STRATEGY)
    set(heddle_string_flags)
endif()

# heddle_compile_options(TARGET): language, warnings and what all of Heddle's code relies on.
function(heddle_compile_options target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden
        CUDA_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
    # -ffp-contract=off: a fused multiply-add would make results depend on how loops are compiled.
    # CUDA: no exceptions and plain statics, so that the library needs no C++ runtime.
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:C>:${heddle_warnings};-ffp-contract=off;${heddle_string_flags};${heddle_sanitize_flags}>"
        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-fno-exceptions,-fno-threadsafe-statics;--fmad=false>")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-g>")
    target_link_options(${target} PRIVATE ${heddle_sanitize_flags})
    target_compile_definitions(${target} PRIVATE
        _GNU_SOURCE HEDDLE_HAVE_CUDA=${HEDDLE_HAVE_CUDA})
endfunction()

# heddle_source_options(TARGET SOURCES a.c... OPTIONS -O3...): more options for some of its files.
function(heddle_source_options target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OPTIONS")
    set_property(SOURCE ${arg_SOURCES} TARGET_DIRECTORY ${target}
        APPEND PROPERTY COMPILE_OPTIONS ${arg_OPTIONS})
endfunction()

# heddle_empty_source(TARGET): a source file with nothing in it, for a target that needs one.
function(heddle_empty_source target)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/empty/${target}.c"
        CONTENT "typedef int ${target}_is_empty;\n")
    target_sources(${target} PRIVATE "${PROJECT_BINARY_DIR}/empty/${target}.c")
endfunction()

# heddle_subdirectory(FOLDER): add it if it is there.
function(heddle_subdirectory folder)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
        add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
    endif()
endfunction()

# heddle_drop_missing_sources(TARGET): a file that is listed but not written yet is a warning, so that
# several people can work on one tree; an error with HEDDLE_WERROR.
function(heddle_drop_missing_sources target)
    get_target_property(sources ${target} SOURCES)
    if(NOT sources)
        return()
    endif()
    set(written)
    foreach(source IN LISTS sources)
        if(NOT IS_ABSOLUTE "${source}")
            set(source "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
        endif()
        if(EXISTS "${source}")
            list(APPEND written "${source}")
        else()
            message(${heddle_missing_source_level} "${target} lists ${source}, which is not there")
        endif()
    endforeach()
    set_target_properties(${target} PROPERTIES SOURCES "${written}")
endfunction()

# heddle_layer(NAME FOLDERS ... LINK ...): a static library; its folders add their sources to it.
function(heddle_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;LINK")
    add_library(${name} STATIC)
    heddle_compile_options(${name})
    target_include_directories(${name} PUBLIC
        "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/codelets")
    target_link_libraries(${name} PUBLIC ${arg_LINK})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
    foreach(folder IN LISTS arg_FOLDERS)
        heddle_subdirectory(${folder})
    endforeach()
    heddle_drop_missing_sources(${name})
    # A layer that nobody has written yet is still a library.
    get_target_property(sources ${name} SOURCES)
    if(NOT sources)
        heddle_empty_source(${name})
    endif()
endfunction()

# heddle_embed(TARGET NAME FILES...): the texts of files, one after the other, as the array NAME of the target.
function(heddle_embed target name)
    set(script "${PROJECT_SOURCE_DIR}/codelets/cuda/embed.cmake")
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}.c")
    add_custom_command(OUTPUT "${file}"
        COMMAND "${CMAKE_COMMAND}" "-DOUT=${file}" "-DFILES=${ARGN}" -DNAME=${name} -P "${script}"
        DEPENDS ${ARGN} "${script}" VERBATIM)
    if(NOT EXISTS "${file}") # sources must be there when CMake ends
        execute_process(COMMAND "${CMAKE_COMMAND}" "-DOUT=${file}" "-DFILES=${ARGN}" -DNAME=${name} -P "${script}")
    endif()
    add_custom_target(${name}_text DEPENDS "${file}")
    add_dependencies(${target} ${name}_text)
    target_sources(${target} PRIVATE "${file}")
endfunction()
