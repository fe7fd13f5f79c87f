#include "cli/weight_only.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/code_words.h"
#include "core/files/atomic_file.h"
#include "detent/error.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

/// What counts for weights alone: whole groups, and single options of the others.
constexpr std::array<std::string_view, 6> kGroups{"", "Data", "Running", "Report", "Limits", "Evaluation"};
constexpr std::array<std::string_view, 10> kOptions{"--help",    "--output",       "--target",     "--include",
                                                    "--exclude", "--include-op",   "--exclude-op", "--weight-only",
                                                    "--block",   "--external-data"};

/// A configuration file that `--print-config` wrote gives every option its default.
bool says_default(const CLI::Option& option) {
  const std::vector<std::string>& given = option.results();
  return given.size() == 1 && (given.front() == option.get_default_str() || given.front() == "false");
}

void refuse_others(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const bool known = option->get_positional() || std::ranges::find(kGroups, option->get_group()) != kGroups.end() ||
                       std::ranges::find(kOptions, option->get_name()) != kOptions.end();
    if (option->count() == 0 || known || says_default(*option)) continue;
    throw Error(ErrorCode::Usage, option->get_name() + " speaks of activations or pairs, and --weight-only writes none",
                "leave one of the two away");
  }
}

}  // namespace

void add_weight_only_options(CLI::App& app, WeightOnlyOptions& options) {
  app.add_option(
         "--weight-only", options.codes,
         "Quantize the weights of MatMul and Gemm alone, in blocks; activations stay float. Embedding tables, "
         "positions and masks become INT8 (not with --exclude-op Gather, Add). With --data, which 'quantize' does "
         "not need, codes are chosen by what layers read (GPTQ)")
      ->type_name("int4|int8")
      ->check(CLI::IsMember({"int4", "int8"}))
      ->group("Format");
  add_block_option(app, options.block);
}

void add_block_option(CLI::App& app, std::string& block) {
  app.add_option("--block", block, "Weights under one scale: 16, 32, 64, 128, 256 or channel")
      ->type_name("N|channel")
      ->check(CLI::IsMember({"16", "32", "64", "128", "256", "channel"}))
      ->capture_default_str()
      ->group("Format");
}

std::optional<WeightFormat> weight_format(const CLI::App& app, const WeightOnlyOptions& options) {
  if (options.codes.empty()) {
    if (options.block == WeightOnlyOptions{}.block) return std::nullopt;
    throw Error(ErrorCode::Usage, "--block is for --weight-only", "add --weight-only int4");
  }
  refuse_others(app);
  return WeightFormat{.codes = options.codes == "int4" ? WeightCodes::Int4 : WeightCodes::Int8,
                      .block = options.block == "channel" ? 0 : std::stoll(options.block)};
}

int quantize_weights_only(const WeightFormat& format, const QuantizeOptions& options, ReportOptions& report_options,
                          const std::filesystem::path& report_file, bool accept_broken) {
  const QuantizeWeightsReport report = quantize_weights({.model = options.model,
                                                         .output = options.output,
                                                         .format = format,
                                                         .data = options.data,
                                                         .bound = options.bound,
                                                         .target = options.target,
                                                         .placement = options.placement,
                                                         .run = options.run,
                                                         .overwrite = options.overwrite,
                                                         .external_data = options.external_data});
  if (!report_file.empty()) write_file(report_file, to_json(report), options.overwrite);
  report_options.write_json([&] { return to_json(report); });
  report_options.write_html([&] { return to_html(report, report_options.origin(options.model)); });
  report_options.print(to_text(report, report_options.lists()));
  if (report.bound && !report.bound->met)
    throw Error(ErrorCode::CheckFailed,
                report.model + ": " + in_words_of(title_of(format.codes), unmet_text(*report.bound)),
                "smaller blocks, int8, or a wider bound");
  if (report.verdict.quality == Quality::Broken && !accept_broken)
    throw Error(ErrorCode::CheckFailed,
                report.model + ": the quantized model was written, but it is broken: " + report.verdict.reasons.front(),
                "smaller blocks, int8, or --exclude for the weight that lost most; --accept-broken exits 0");
  return 0;
}

}  // namespace detent::cli
