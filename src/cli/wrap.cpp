#include <sstream>
#include <vector>

#include "cli/help_format.h"

namespace detent::cli {

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Puts parts on lines, `end` behind each line but the last.
std::string filled(const std::vector<std::string>& parts, size_t width, const std::string& first,
                   const std::string& others, const std::string& end) {
  std::string text, line = first;
  bool empty = true;
  for (const std::string& part : parts) {
    const size_t behind = &part == &parts.back() ? 0 : end.size();
    if (!empty && line.size() + 1 + part.size() + behind > width) {
      text += line + end + "\n";
      line = others;
      empty = true;
    }
    line += (empty ? "" : " ") + part;
    empty = false;
  }
  return text + line + "\n";
}

}  // namespace

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  std::string result;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    result += filled(words_of(line), width, std::string(blanks, ' '), std::string(blanks + indent, ' '), "");
    if (end == text.size()) return result;
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_command(std::string_view command, size_t width, size_t indent) {
  // An option stays beside its value; a comment comes before the command, for nothing may follow a "\".
  std::vector<std::string> parts;
  const size_t hash = std::min(command.find(" #"), command.size());
  for (const std::string& word : words_of(command.substr(0, hash))) {
    if (word == "\\") continue;
    const bool value = !parts.empty() && parts.back().starts_with("-") && !word.starts_with("-") &&
                       parts.back().find(' ') == std::string::npos;
    if (value)
      parts.back() += " " + word;
    else
      parts.push_back(word);
  }
  const std::string first(indent, ' ');
  const std::string comment =
      hash == command.size() ? "" : filled(words_of(command.substr(hash)), width, first, first + "# ", "");
  return comment + filled(parts, width, first, first + "  ", " \\");
}

}  // namespace detent::cli
