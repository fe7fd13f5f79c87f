#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/ranked_layers.h"
#include "report/text/columns.h"
#include "report/text/text.h"
#include "report/weight_format.h"

namespace detent {

namespace {

std::string plain_decibels(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "exact"; }

std::string with_unit(double value) { return std::isfinite(value) ? fmt::format("{:.2f} dB", value) : "exact"; }

std::string layer_table(const std::vector<SensitivityReport::Layer>& layers, size_t top, bool several,
                        const char* share) {
  const size_t shown = std::min(top, layers.size());
  size_t width = std::string_view("layer").size();
  for (size_t i = 0; i < shown; ++i) width = std::max(width, layers[i].name.size() + layers[i].op.size() + 3);
  const bool scored = !layers.empty() && layers.front().nats_alone.has_value();
  std::string text = fmt::format("\n  {}  {:>8}  {:>8}{}  {:>7}{}\n", padded("layer", width), "alone", "all but",
                                 scored ? "  nats alone   all but" : "", share, several ? "  worst alone" : "");
  for (size_t i = 0; i < shown; ++i) {
    const auto& layer = layers[i];
    text += fmt::format("  {}  {:>8}  {:>8}", padded(layer.name + " (" + layer.op + ")", width),
                        plain_decibels(layer.sqnr_db_alone), plain_decibels(layer.sqnr_db_all_but));
    if (scored)
      text += fmt::format("  {:>10.4f}  {:>8.4f}", layer.nats_alone.value_or(0), layer.nats_all_but.value_or(0));
    text += fmt::format("  {:>7}", layer.macs_share > 0 ? percent_text(layer.macs_share) : "-");
    text += (several ? "  " + layer.output : "") + "\n";
  }
  if (shown < layers.size()) text += fmt::format("  {} more: --all, --top\n", layers.size() - shown);
  return text;
}

std::string value_lines(const SensitivityReport& report, size_t top) {
  if (report.values.empty()) return {};
  const size_t shown = std::min(top, report.values.size());
  size_t width = std::string_view("quantized value").size();
  for (size_t i = 0; i < shown; ++i) width = std::max(width, report.values[i].value.size());
  std::string text = fmt::format("\n  {}  {:>8}\n", padded("quantized value", width), "by itself");
  for (size_t i = 0; i < shown; ++i)
    text +=
        fmt::format("  {}  {:>8}\n", padded(report.values[i].value, width), plain_decibels(report.values[i].sqnr_db));
  if (shown < report.values.size()) text += fmt::format("  {} more: --all, --top\n", report.values.size() - shown);
  return text;
}

std::string made_models_text(const SensitivityReport& report) {
  if (!report.weights) return coverage_text(report.plan.coverage);
  return "weights of " + std::to_string(report.layers.size()) + " of " +
         plural(report.plan.layers.size(), "weighted layer") + " as " + format_text(*report.weights);
}

}  // namespace

std::string to_text(const SensitivityReport& report, size_t top, Lists lists) {
  Listing listing(lists);
  if (listing.all()) top = std::max(ranked_layers(report).size(), report.values.size());
  std::string text = std::filesystem::path(report.model).filename().string() + "  opset " +
                     std::to_string(report.plan.opset) + ", " + plural(report.plan.nodes, "node") + "     target " +
                     report.target + (report.weights ? "     weights alone" : "     calibrator " + report.calibrator) +
                     "\n";
  text += (report.weights ? "rounded with " : "calibrated ") + plural(report.calibration_samples, "sample") +
          "; measured " + plural(report.variants, "quantized model") + " on " +
          plural(report.evaluation_samples, "sample") + (report.evaluation_spread ? ", evenly over --eval," : "") +
          fmt::format(" for the price of {:.1f} FP32 runs, {:.1f} s in all\n", report.plain_runs, report.seconds);
  if (report.skipped_samples) text += "skipped " + plural(report.skipped_samples, "unreadable sample") + "\n";
  if (report.equalized) text += equalize_text(*report.equalized, listing);
  const std::string output = the_output(report.outputs);
  if (report.corrected_biases)
    text += "biases of " + plural(report.corrected_biases, "layer") +
            " corrected, in the float network too: the numbers are the cost of quantizing\n";
  text += made_models_text(report) + "; SQNR at " + output + " with all of them: " + with_unit(report.sqnr_db_all) +
          "\n" + outputs_text(report.outputs, listing);
  using metrics::kNats, metrics::kPerplexity;
  if (const auto nats = report.all.find(kNats.name); nats != report.all.end())
    text += loss_text(kNats, nats->second) + ", perplexity " +
            metric_text(kPerplexity, report.all.at(kPerplexity.name)) + ", with all of them; FP32 " +
            metric_text(kNats, report.fp32.at(kNats.name)) + ", " +
            metric_text(kPerplexity, report.fp32.at(kPerplexity.name)) + "\n";
  text += "\nSQNR at " + output + " in dB with one layer quantized alone, and with all but that one; worst first\n";
  text += layer_table(ranked_layers(report), top, report.outputs.size() > 1, report.weights ? "weights" : "MACs");
  if (!report.values.empty()) text += "\nSQNR in dB of each value behind its own pair, in the float network\n";
  return text + value_lines(report, top) + listing.closing();
}

}  // namespace detent
