# At installation: the shared libraries in ${heddle_bundle_dir} below the prefix look for each other beside
# themselves, no longer where they were built.

file(GLOB heddle_bundled "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${heddle_bundle_dir}/*.so*")
foreach(heddle_file IN LISTS heddle_bundled)
    if(IS_SYMLINK "${heddle_file}")
        continue()
    endif()
    set(heddle_rpath) # READ_ELF leaves them alone where a file has none
    set(heddle_runpath)
    file(READ_ELF "${heddle_file}" RPATH heddle_rpath RUNPATH heddle_runpath)
    string(REPLACE ";" ":" heddle_old "${heddle_rpath}${heddle_runpath}")
    if(heddle_old AND NOT heddle_old STREQUAL "$ORIGIN")
        file(RPATH_CHANGE FILE "${heddle_file}" OLD_RPATH "${heddle_old}" NEW_RPATH "$ORIGIN")
    endif()
endforeach()
