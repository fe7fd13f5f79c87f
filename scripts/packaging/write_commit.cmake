# cmake -DSOURCE=... -DOUTPUT=... -P write_commit.cmake
# Writes a source file with the commit that is built, only if it changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=-changed --abbrev=12 --exclude=* RESULT_VARIABLE code OUTPUT_VARIABLE commit
  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT code EQUAL 0)
  set(commit "")  # an archive of the sources
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#include <string_view>

namespace detent::cli {

std::string_view commit() { return "@commit@"; }

}  // namespace detent::cli
]])
