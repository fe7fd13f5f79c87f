#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/report_options.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"

namespace detent::cli {

/// --weight-only and --block of `quantize`.
struct WeightOnlyOptions {
  std::string codes;         ///< "int4", "int8"; empty: not given
  std::string block = "32";  ///< a number or "channel"
  [[nodiscard]] bool given() const { return !codes.empty(); }
};
void add_weight_only_options(CLI::App& app, WeightOnlyOptions& options);

/// Quantizes weights alone, with what `quantize` was told besides.
/// Errors  Usage for options of `app` that were given and speak of activations; those of quantize_weights.
int quantize_weights_only(const CLI::App& app, const WeightOnlyOptions& weights, const QuantizeOptions& options,
                          ReportOptions& report, const std::filesystem::path& report_file, bool accept_broken);

}  // namespace detent::cli
