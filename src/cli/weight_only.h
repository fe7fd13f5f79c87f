#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/report_options.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"

namespace detent::cli {

/// --weight-only and --block.
struct WeightOnlyOptions {
  std::string codes;         ///< "int4", "int8"; empty: not given
  std::string block = "32";  ///< a number or "channel"
};
void add_weight_only_options(CLI::App& app, WeightOnlyOptions& options);
/// --block: a number that engines know, or "channel".
void add_block_option(CLI::App& app, std::string& block);

/// What --weight-only asks for; nullopt where it was not given.
/// Errors  Usage for a --block without it, and for options of `app` that were given and speak of activations.
[[nodiscard]] std::optional<WeightFormat> weight_format(const CLI::App& app, const WeightOnlyOptions& options);

/// Quantizes weights alone, with what `quantize` was told besides.
/// Errors  those of quantize_weights; CheckFailed for a bound that is not met and a broken model.
int quantize_weights_only(const WeightFormat& format, const QuantizeOptions& options, ReportOptions& report,
                          const std::filesystem::path& report_file, bool accept_broken);

}  // namespace detent::cli
