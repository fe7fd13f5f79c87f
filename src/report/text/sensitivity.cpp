#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/compared_types.h"
#include "report/output_errors.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string plain_decibels(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "exact"; }

std::string more_text(size_t shown, size_t count) {
  return shown < count ? fmt::format("  {} more: see --all and --top\n", count - shown) : std::string();
}

std::string layer_table(const std::vector<SensitivityReport::Layer>& layers, size_t top, bool several,
                        const char* share) {
  const size_t shown = std::min(top, layers.size());
  Table table{{{"layer", Kind::Name}, {"alone", Kind::Number, "", 8}, {"others", Kind::Number, "", 8}}};
  const std::vector<LayerScore> scores = scores_of(layers);
  for (const LayerScore& score : scores) {
    table.columns.push_back({score.metric.title + std::string(" alone")});
    table.columns.push_back({"others", Kind::Number, "", 8});
  }
  table.columns.push_back({share, Kind::Number, "", 7});
  if (several) table.columns.push_back({"worst alone", Kind::Words});
  for (size_t i = 0; i < shown; ++i) {
    const auto& layer = layers[i];
    auto& cells = table.rows.emplace_back().cells;
    cells = {{layer.name + " (" + layer.op + ")"},
             {plain_decibels(layer.sqnr_db_alone)},
             {plain_decibels(layer.sqnr_db_all_but)}};
    for (const auto& [metric, alone, all_but] : scores)
      for (const auto& score : {layer.*alone, layer.*all_but})
        cells.push_back({metric_text(metric, score.value_or(0))});
    cells.push_back({layer.macs_share > 0 ? percent_text(layer.macs_share) : "-"});
    if (several) cells.push_back({layer.output});
  }
  return "\n" + to_text(table) + more_text(shown, layers.size());
}

std::string value_lines(const SensitivityReport& report, size_t top) {
  if (report.values.empty()) return {};
  const size_t shown = std::min(top, report.values.size());
  Table table{{{"quantized value", Kind::Name}, {"by itself", Kind::Number, "", 8}}};
  for (size_t i = 0; i < shown; ++i)
    table.rows.push_back({{{report.values[i].value}, {plain_decibels(report.values[i].sqnr_db)}}});
  return "\n" + to_text(table) + more_text(shown, report.values.size());
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
  std::string text = model_line(report.model, report.plan, report.target) +
                     (report.weights ? "     weights alone" : "     calibrator " + report.calibrator) + "\n";
  text += (report.weights ? "rounded with " : "calibrated ") + plural(report.calibration_samples, "sample") +
          "; measured " + plural(report.variants, "quantized model") + " on " +
          plural(report.evaluation_samples, "sample") + (report.evaluation_spread ? ", evenly over --eval," : "") +
          fmt::format(" at the cost of {:.1f} FP32 runs, {:.1f} s in all\n", report.plain_runs, report.seconds);
  text += skipped_text(report.skipped_samples);
  if (report.equalized) text += equalize_text(*report.equalized, listing);
  const std::string output = the_output(report.outputs);
  if (report.corrected_biases)
    text += "biases of " + plural(report.corrected_biases, "layer") +
            " corrected, in the float network too, so that only quantization is measured\n";
  text += made_models_text(report) + "; SQNR at " + output +
          " with all of them: " + metric_text(metrics::kSqnr, report.sqnr_db_all) + "\n" +
          outputs_text(report.outputs, listing);
  using metrics::kNats, metrics::kPerplexity;
  if (const auto nats = report.all.find(kNats.name); nats != report.all.end())
    text += loss_text(kNats, nats->second) + ", perplexity " +
            metric_text(kPerplexity, report.all.at(kPerplexity.name)) + ", with all of them; FP32 " +
            metric_text(kNats, report.fp32.at(kNats.name)) + ", " +
            metric_text(kPerplexity, report.fp32.at(kPerplexity.name)) + "\n";
  if (const auto agreement = find_metric(report.all, metrics::kDetectionAgreement.name))
    text += "agreement of detections with those of FP32, with all of them: " +
            metric_text(metrics::kDetectionAgreement, *agreement) + "\n";
  text += "\nSQNR at " + output + " in dB with " +
          (report.wide ? "the 8-bit activations of one layer alone, and with 16-bit ones there and 8 bits elsewhere"
                       : "one layer quantized alone, and with all others") +
          "; worst first\n";
  text += layer_table(ranked_layers(report), top, report.outputs.size() > 1, report.weights ? "weights" : "MACs");
  if (!report.values.empty()) text += "\nSQNR in dB of each value after its pair, in the float network\n";
  return text + value_lines(report, top) + listing.closing();
}

}  // namespace detent
