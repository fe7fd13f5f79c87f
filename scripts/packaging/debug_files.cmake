# Keeps the line tables of installed programs in separate files: programs stay small, and a user's stack trace can be
# read.
#
#   detent_line_tables(TARGET)                  compiles TARGET with line tables
#   detent_debug_file(TARGET FOLDER)            moves the tables of the linked TARGET, installed to FOLDER, into
#     TARGET's file.debug
#
# The file lies beside the target in the build folder, where debuggers look first. `cmake --install build/release
# --component debug` and the archive put it into a folder .debug beside the installed target, the Debian package into
# /usr/lib/debug/.build-id. Nothing happens without DETENT_DEBUG_FILES. Test programs are linked without tables
# (tests/CMakeLists.txt).
option(DETENT_DEBUG_FILES "Separate files with the line tables of installed programs" OFF)

function(detent_line_tables target)
  if(DETENT_DEBUG_FILES)
    # Sources are named from the top of the tree, the same for every build folder. The last of two options that fit
    # counts.
    target_compile_options(${target} PRIVATE -g1 -fdebug-prefix-map=${CMAKE_SOURCE_DIR}/= -fdebug-prefix-map=${CMAKE_BINARY_DIR}=.)
  endif()
endfunction()

function(detent_debug_file target folder)
  if(NOT DETENT_DEBUG_FILES)
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,--build-id=sha1)
  set(by_id ${CMAKE_BINARY_DIR}/debug/${target})
  file(MAKE_DIRECTORY ${by_id})
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -DFILE=$<TARGET_FILE:${target}> -DBY_ID=${by_id} -DOBJCOPY=${CMAKE_OBJCOPY} -DREADELF=${CMAKE_READELF}
      -P ${CMAKE_SOURCE_DIR}/scripts/packaging/split_debug.cmake)
  install(FILES $<TARGET_FILE:${target}>.debug DESTINATION ${folder}/.debug COMPONENT debug EXCLUDE_FROM_ALL)
  install(DIRECTORY ${by_id}/ DESTINATION lib/debug/.build-id COMPONENT dbgsym EXCLUDE_FROM_ALL)
endfunction()
