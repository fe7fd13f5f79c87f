#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace detent::cli {

/// Reads the TOML of --config: sections, strings in both quotes, lists, and words without quotes. In double quotes \"
/// \\ \n \r and \t are escapes, and another backslash stays; CLI11's reader knows none, and cuts strings at "#".
/// Limits  1 MiB, two dots in a section or key, brackets as nests_too_deep().
/// Errors  CLI::FileError naming the line or the limit.
class ConfigReader : public CLI::ConfigTOML {
 public:
  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
};

/// Refuses a path that leads to no regular file, before CLI11 opens it: opening a pipe would wait for its writer.
/// Errors  Usage naming --config, the path and the reason.
void check_config_file(const std::string& file);

/// True where more than 100 brackets are open at once. CLI11 reads "[a, b]" as a list wherever a value may be one, with
/// one call for each bracket, and a stack holds only so many.
[[nodiscard]] bool nests_too_deep(std::string_view text);

}  // namespace detent::cli
