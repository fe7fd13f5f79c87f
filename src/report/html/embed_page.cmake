# cmake -DFOLDER=... -DOUTPUT=... -P embed_page.cmake
# Writes a C++ file that defines kPageStyle and kPageScript: all .css and all .js files of FOLDER, ordered by name.
function(join_files extension result)
  file(GLOB files ${FOLDER}/*.${extension})
  list(SORT files)
  set(joined "")
  foreach(file ${files})
    file(READ ${file} text)
    string(APPEND joined "${text}")
  endforeach()
  # A raw literal ends only at its delimiter, so the texts need no escaping.
  string(FIND "${joined}" ")page\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "a .${extension} file of ${FOLDER} holds the delimiter of the literal")
  endif()
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()

join_files(css style)
join_files(js script)
file(WRITE ${OUTPUT} "#include \"report/html/sections.h\"

namespace detent::html {

const std::string_view kPageStyle = R\"page(${style})page\";
const std::string_view kPageScript = R\"page(${script})page\";

}  // namespace detent::html
")
