# cmake -DFOLDER=... -DOUTPUT=... -P embed_pages.cmake
# Writes a C++ file that defines kManualPages: every .md file of FOLDER by its name, in alphabetical order, without
# lines that are an HTML comment.
file(GLOB files ${FOLDER}/*.md)
list(SORT files)
set(pages "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(REGEX REPLACE "<!--[^\n]*-->\n+" "" text "${text}")
  string(FIND "${text}" ")page\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${file} holds the delimiter of the literal")
  endif()
  string(APPEND pages "    {\"${name}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"cli/manual_text.h\"

namespace detent::cli {

const std::map<std::string_view, std::string_view> kManualPages{
${pages}};

}  // namespace detent::cli
")
