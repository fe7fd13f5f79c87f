# Writes the file that tells ctest the suites of a linked test program, one test FOLDER.SUITE for each. Suites of
# parameterized tests, PREFIX/SUITE, belong to SUITE. Suites named Shared* need the folder of reference models and get
# its label; those that end in Nightly also the label nightly.
#   cmake -DPROGRAM=... [-DEMULATOR=...] -DNAME=... -DOUTPUT=... -P discover_suites.cmake
execute_process(COMMAND ${EMULATOR} ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${code}")
endif()
string(REGEX MATCHALL "(^|\n)[^ \n]+[.]" lines "${listed}")  # not "Running main() from gtest_main.cc"
set(suites "")
foreach(line ${lines})
  string(REGEX REPLACE "^\n|[.]$" "" suite "${line}")
  string(REGEX REPLACE "^.*/([^/0-9][^/]*)(/[0-9]+)?$" "\\1" suite "${suite}")  # Prefix/Suite and Suite/0
  string(REGEX REPLACE "/[0-9]+$" "" suite "${suite}")
  list(APPEND suites ${suite})
endforeach()
list(REMOVE_DUPLICATES suites)
set(text "")
set(seconds 600)
if(EMULATOR)
  set(seconds 6000)
endif()
set(command "")  # a program for another CPU runs in an emulator
foreach(word ${EMULATOR} ${PROGRAM})
  string(APPEND command " [=[${word}]=]")
endforeach()
foreach(suite ${suites})
  set(test "${NAME}.${suite}")
  string(APPEND text "add_test([=[${test}]=]${command} --gtest_brief=1 [=[--gtest_filter=${suite}.*:*/${suite}.*:${suite}/*:*/${suite}/*]=])\n")
  if(suite MATCHES "^Shared.*Nightly$")
    string(APPEND text "set_tests_properties([=[${test}]=] PROPERTIES TIMEOUT 1800 LABELS \"shared;nightly\")\n")
  elseif(suite MATCHES "^Shared")
    string(APPEND text "set_tests_properties([=[${test}]=] PROPERTIES TIMEOUT 1800 LABELS shared)\n")
  else()
    string(APPEND text "set_tests_properties([=[${test}]=] PROPERTIES TIMEOUT ${seconds})\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}")
