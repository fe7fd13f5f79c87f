#include "cli/config_reader.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "core/files/reach.h"
#include "detent/base/error.h"

namespace detent::cli {

namespace {

constexpr size_t kMostBytes = size_t{1} << 20U;
constexpr auto kMostDots = 2;  // [detent.cache.export]

/// Reads the lines of a configuration.
class ConfigLines {
 public:
  explicit ConfigLines(std::string_view text) : rest_(text) {}

  std::vector<CLI::ConfigItem> items() {
    std::vector<CLI::ConfigItem> found;
    for (; !rest_.empty(); end_line()) {
      skip(" \t\r");
      if (at_end() || rest_.front() == ';') continue;
      if (rest_.front() == '[')
        section_ = parts_of(section());
      else
        add(found, item());
    }
    return found;
  }

 private:
  [[nodiscard]] bool at_end() const { return rest_.empty() || rest_.front() == '\n' || rest_.front() == '#'; }
  void skip(std::string_view characters) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(characters), rest_.size()));
  }
  std::string take_until(std::string_view characters) {
    std::string_view text = rest_.substr(0, rest_.find_first_of(characters));
    rest_.remove_prefix(text.size());
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    return std::string(text);
  }
  void end_line() {
    take_until("\n");
    if (!rest_.empty()) rest_.remove_prefix(1);
    ++line_;
  }
  [[nodiscard]] CLI::FileError error(const std::string& what) const {
    return CLI::FileError("line " + std::to_string(line_) + ": " + what);
  }

  std::string section() {
    skip("[");
    std::string name = take_until("]\n");
    if (rest_.empty() || rest_.front() != ']') throw error("the section has no ']'");
    return name;
  }

  /// Returns {"cache", "export"} of "cache.export"; nothing of "default", the program's section.
  static std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts;
    std::istringstream stream(name);
    for (std::string part; std::getline(stream, part, '.');)
      parts.push_back(CLI::detail::remove_quotes(CLI::detail::trim(part)));
    if (parts.size() == 1 && CLI::detail::to_lower(parts.front()) == "default") parts.clear();
    return parts;
  }

  CLI::ConfigItem item() {
    CLI::ConfigItem item;
    std::vector<std::string> names = parts_of(take_until("=#\n"));
    if (names.empty()) throw error("there is no key");
    item.name = names.back();
    names.pop_back();
    item.parents = section_;
    item.parents.insert(item.parents.end(), names.begin(), names.end());
    const bool flag = at_end();
    if (!flag) rest_.remove_prefix(1);
    item.inputs = flag ? std::vector<std::string>{"true"} : values();
    return item;
  }

  /// Takes "a", a list in brackets over any number of lines, or the same without brackets on one.
  std::vector<std::string> values() {
    std::vector<std::string> values;
    skip(" \t\r");
    const bool bracket = !rest_.empty() && rest_.front() == '[';
    if (bracket) rest_.remove_prefix(1);
    while (true) {
      skip(" \t\r,");
      if (bracket && at_end() && !rest_.empty()) {
        end_line();
        continue;
      }
      if (rest_.empty() && bracket) throw error("the list has no ']'");
      if (at_end() || (bracket && rest_.front() == ']')) break;
      values.push_back(value(bracket));
    }
    if (bracket) rest_.remove_prefix(1);
    skip(" \t\r");
    if (!at_end()) throw error("text follows the list");
    return values.empty() && !bracket ? std::vector<std::string>{""} : values;
  }

  std::string value(bool in_brackets) {
    const char mark = rest_.front();
    if (mark != '"' && mark != '\'') return take_until(in_brackets ? " \t,]#\n" : " \t,#\n");
    rest_.remove_prefix(1);
    std::string text;
    for (; !rest_.empty() && rest_.front() != '\n'; rest_.remove_prefix(1)) {
      if (rest_.front() == mark) {
        rest_.remove_prefix(1);
        if (!at_end() && std::string_view(" \t\r,]").find(rest_.front()) == std::string_view::npos)
          throw error("text follows a string");
        return text;
      }
      const size_t escape =
          mark == '"' && rest_.front() == '\\' && rest_.size() > 1 ? kEscapes.find(rest_[1]) : std::string_view::npos;
      if (escape != std::string_view::npos) rest_.remove_prefix(1);
      text += escape == std::string_view::npos ? rest_.front() : kEscaped[escape];
    }
    throw error("a string has no end");
  }

  void add(std::vector<CLI::ConfigItem>& found, CLI::ConfigItem item) const {
    if (!found.empty() && found.back().name == item.name && found.back().parents == item.parents)
      found.back().inputs.insert(found.back().inputs.end(), item.inputs.begin(), item.inputs.end());
    else
      found.push_back(std::move(item));
  }

  /// A backslash before another character stays: regular expressions need not be escaped.
  static constexpr std::string_view kEscapes = "\"\\nrt", kEscaped = "\"\\\n\r\t";

  std::string_view rest_;
  std::vector<std::string> section_;
  size_t line_ = 1;
};

}  // namespace

void check_config_file(const std::string& file) {
  std::string why = no_reach(file);
  if (why.empty() && !is_regular(file))
    why = is_folder(file) ? "is a folder" : "is not a regular file (a pipe or a device)";
  if (!why.empty()) throw Error(ErrorCode::Usage, "--config: '" + file + "' " + why);
}

bool nests_too_deep(std::string_view text) {
  constexpr int kDeepest = 100;
  int depth = 0;
  for (const char c : text) {
    if (c == '[' && ++depth > kDeepest) return true;
    if (c == ']' && depth > 0) --depth;
  }
  return false;
}

std::vector<CLI::ConfigItem> ConfigReader::from_config(std::istream& input) const {
  std::string text(kMostBytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(input.gcount()));
  if (text.size() > kMostBytes) throw CLI::FileError("the file is larger than 1 MiB");
  if (nests_too_deep(text)) throw CLI::FileError("brackets are nested deeper than 100");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(" \t");
    const std::string key =
        start == std::string::npos ? "" : line.substr(start, line.find_first_of("=\"'", start) - start);
    if (std::ranges::count(key, '.') > kMostDots)
      throw CLI::FileError("sections or keys are nested deeper than " + std::to_string(kMostDots));
  }
  return ConfigLines(text).items();
}

}  // namespace detent::cli
