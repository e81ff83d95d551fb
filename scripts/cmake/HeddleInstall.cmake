# Installation: headers, library, command, CMake package and pkg-config file.

include(CMakePackageConfigHelpers)

# The installed library has to find StarPU and CUDA where they were when it was built.
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
    BUILD_RPATH "${heddle_rpath}" INSTALL_RPATH "${heddle_rpath}")

install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
install(TARGETS heddle EXPORT heddleTargets)
if(TARGET heddle-cli)
    file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(heddle-cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
    install(TARGETS heddle-cli)
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/heddleConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/heddleConfig.cmake"
    "${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake" DESTINATION "${package_dir}")
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION "${package_dir}")
export(EXPORT heddleTargets NAMESPACE heddle:: FILE "${PROJECT_BINARY_DIR}/heddleTargets.cmake")

file(RELATIVE_PATH heddle_prefix_from_pc
    "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in" "${PROJECT_BINARY_DIR}/heddle.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/heddle.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
