#pragma once

#include <CLI/CLI.hpp>

namespace detent::cli {

/// CLI11's TOML reader with two limits, as its time grows with the square of the nesting of sections: 1 MiB, and two
/// dots in a section name. Errors  CLI::FileError naming the limit.
class ConfigReader : public CLI::ConfigTOML {
 public:
  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
};

}  // namespace detent::cli
