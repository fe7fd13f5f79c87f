# cmake -DFOLDER=... -DOUTPUT=... -P embed_commands.cmake
# Writes a C++ file that defines ready_commands(): the scripts of FOLDER, ordered by name. Each one is a file without
# further modules: the text of timing.py stands for the line that imports it.
file(GLOB files LIST_DIRECTORIES false ${FOLDER}/*)
list(FILTER files EXCLUDE REGEX "\\.(md|py)$")
list(SORT files)
set(rows "")
file(READ ${FOLDER}/timing.py timing)
foreach(file ${files})
  file(READ ${file} text)
  string(REGEX MATCH "from timing import [^\n]*\n" import "${text}")
  string(REPLACE "${import}" "${timing}" text "${text}")
  string(FIND "${text}" ")script\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${file} holds the delimiter of the literal")
  endif()
  get_filename_component(name ${file} NAME)
  string(APPEND rows "    {\"${name}\", R\"script(${text})script\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"pipeline/latency/ready_commands.h\"

namespace detent {

std::span<const ReadyCommand> ready_commands() {
  static constexpr ReadyCommand kCommands[] = {
${rows}  };
  return kCommands;
}

}  // namespace detent
")
