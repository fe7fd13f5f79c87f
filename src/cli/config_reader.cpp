#include "cli/config_reader.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace detent::cli {

namespace {

constexpr size_t kMostBytes = size_t{1} << 20U;
constexpr auto kMostDots = 2;  // [detent.cache.export]

}  // namespace

std::vector<CLI::ConfigItem> ConfigReader::from_config(std::istream& input) const {
  std::string text(kMostBytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(input.gcount()));
  if (text.size() > kMostBytes) throw CLI::FileError("the file is larger than 1 MiB");
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
