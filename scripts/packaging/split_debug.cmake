# cmake -DFILE=... -DBY_ID=... -DOBJCOPY=... -DREADELF=... -P split_debug.cmake
# Moves the debug information of FILE, a program or shared library, into FILE.debug, which FILE then names, and strips
# FILE. The folder BY_ID gets FILE.debug under the name that debuggers derive from the build id: two digits, a slash,
# the others.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${error}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${OBJCOPY} --only-keep-debug --compress-debug-sections ${FILE} ${FILE}.debug)
file(CHMOD ${FILE}.debug PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
run(${OBJCOPY} --strip-unneeded --remove-section=.gnu_debuglink --add-gnu-debuglink=${FILE}.debug ${FILE})
run(${READELF} --notes ${FILE})
if(NOT out MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
  message(FATAL_ERROR "${FILE} has no build id")
endif()
file(REMOVE_RECURSE ${BY_ID})
file(MAKE_DIRECTORY ${BY_ID}/${CMAKE_MATCH_1})
file(CREATE_LINK ${FILE}.debug ${BY_ID}/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}.debug COPY_ON_ERROR)
