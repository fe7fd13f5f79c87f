#include "cli/config_reader.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "core/files/reach.h"
#include "detent/base/error.h"

namespace detent::cli {

namespace {

constexpr size_t kMostBytes = size_t{1} << 20U;
constexpr auto kMostDots = 2;  // [detent.cache.export]

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
  std::istringstream whole(text);
  return CLI::ConfigTOML::from_config(whole);
}

}  // namespace detent::cli
