#pragma once

#include <CLI/CLI.hpp>

namespace detent::cli {

/// CLI11's TOML reader behind two bounds, since its time grows with the square of how deep sections are nested: a file
/// of at most 1 MiB, section names of at most two dots.
/// Errors  CLI::FileError that says which bound.
class ConfigReader : public CLI::ConfigTOML {
 public:
  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
};

}  // namespace detent::cli
