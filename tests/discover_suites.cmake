# Writes the file that tells ctest the suites of a linked test program, one test FOLDER.SUITE for each. Suites of
# parameterized tests, PREFIX/SUITE, belong to SUITE. Suites named Shared* need the folder of reference models and get
# its label.
#   cmake -DPROGRAM=... [-DEMULATOR=...] -DNAME=... -DOUTPUT=... -P discover_suites.cmake
execute_process(COMMAND ${EMULATOR} ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${code}")
endif()
string(REGEX MATCHALL "(^|\n)[^ \n][^\n]*[.]" lines "${listed}")
set(suites "")
foreach(line ${lines})
  string(REGEX REPLACE "^\n|[.]$" "" suite "${line}")
  string(REGEX REPLACE "^.*/([^/0-9][^/]*)(/[0-9]+)?$" "\\1" suite "${suite}")  # Prefix/Suite and Suite/0
  string(REGEX REPLACE "/[0-9]+$" "" suite "${suite}")
  list(APPEND suites ${suite})
endforeach()
list(REMOVE_DUPLICATES suites)
set(text "")
set(command "")  # a program for another CPU runs in an emulator
foreach(word ${EMULATOR} ${PROGRAM})
  string(APPEND command " [=[${word}]=]")
endforeach()
foreach(suite ${suites})
  set(test "${NAME}.${suite}")
  string(APPEND text "add_test([=[${test}]=]${command} --gtest_brief=1 [=[--gtest_filter=${suite}.*:*/${suite}.*:${suite}/*:*/${suite}/*]=])\n")
  if(suite MATCHES "^Shared")
    string(APPEND text "set_tests_properties([=[${test}]=] PROPERTIES TIMEOUT 1800 LABELS shared)\n")
  else()
    string(APPEND text "set_tests_properties([=[${test}]=] PROPERTIES TIMEOUT 600)\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}")
