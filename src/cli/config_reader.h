#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace detent::cli {

/// CLI11's TOML reader with three limits: 1 MiB and two dots in a section name, as its time grows with the square of
/// the nesting of sections, and brackets. Errors  CLI::FileError naming the limit.
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
