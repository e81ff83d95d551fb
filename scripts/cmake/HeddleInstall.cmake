# Installation: headers, library, command, CMake package and pkg-config file, in the components library,
# development and command (HeddlePackages.cmake makes a Debian package of each). The tree may be moved, and needs
# no folder of the machine that built it: shared libraries from outside the system's folders, such as StarPU and
# libcudart, are copied to <libdir>/heddle, where anybody may replace them.

include(CMakePackageConfigHelpers)

# The build tree finds StarPU and CUDA where they are.
foreach(library IN ITEMS "${StarPU_LIBRARY}" "${SLEEF_LIBRARY}" "${CBLAS_LIBRARY}")
    get_filename_component(folder "${library}" DIRECTORY)
    list(APPEND heddle_rpath "${folder}")
endforeach()
if(HEDDLE_HAVE_CUDA)
    list(APPEND heddle_rpath "${CUDAToolkit_LIBRARY_DIR}")
endif()
list(REMOVE_DUPLICATES heddle_rpath)
list(REMOVE_ITEM heddle_rpath ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
set_target_properties(heddle PROPERTIES
    BUILD_RPATH "${heddle_rpath}" INSTALL_RPATH "$ORIGIN/heddle")

# --- The library, with what it needs --------------------------------------------------------------

set(heddle_bundle_dir "${CMAKE_INSTALL_LIBDIR}/heddle")
install(TARGETS heddle EXPORT heddleTargets RUNTIME_DEPENDENCY_SET heddle_dependencies
    LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(RUNTIME_DEPENDENCY_SET heddle_dependencies DIRECTORIES ${heddle_rpath}
    POST_EXCLUDE_REGEXES "^/lib" "^/usr/lib"
    LIBRARY DESTINATION "${heddle_bundle_dir}" COMPONENT library)
# CMake copies them as they are; they have to find each other in their new folder.
install(CODE "set(heddle_bundle_dir \"${heddle_bundle_dir}\")" COMPONENT library)
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/relocate.cmake" COMPONENT library)

file(READ LICENSE heddle_licence)
string(STRIP "${heddle_licence}" heddle_licence)
string(REGEX REPLACE "\n\n" "\n.\n" heddle_licence "${heddle_licence}") # as a Debian copyright file has it
string(REPLACE "\n" "\n " heddle_licence "${heddle_licence}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/debian/copyright.in" "${PROJECT_BINARY_DIR}/copyright" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/copyright"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT library)
get_filename_component(folder "${StarPU_LIBRARY}" DIRECTORY)
find_file(StarPU_LICENCE NAMES COPYING.LGPL LGPL-2.1
    HINTS "${folder}/../share/doc/starpu" PATHS /usr/share/common-licenses)
mark_as_advanced(StarPU_LICENCE)
if(StarPU_LICENCE)
    install(FILES "${StarPU_LICENCE}" RENAME LGPL-2.1
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT library)
endif()

if(DUCC_LICENCE)
    install(FILES "${DUCC_LICENCE}" RENAME LICENCE-DUCC
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT library)
endif()

# --- The command ----------------------------------------------------------------------------------

if(TARGET heddle-cli)
    file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(heddle-cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
    install(TARGETS heddle-cli COMPONENT command)
    install(FILES docs/heddle.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT command)
endif()

# --- For programs that use it ---------------------------------------------------------------------

install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/heddleConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/heddleConfig.cmake"
    "${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
    DESTINATION "${package_dir}" COMPONENT development)
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION "${package_dir}" COMPONENT development)
export(EXPORT heddleTargets NAMESPACE heddle:: FILE "${PROJECT_BINARY_DIR}/heddleTargets.cmake")

file(RELATIVE_PATH heddle_prefix_from_pc
    "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in" "${PROJECT_BINARY_DIR}/heddle.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/heddle.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
