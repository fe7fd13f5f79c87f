#include "pipeline/parts/saturation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ops/traits.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

double worst_db(const std::optional<ClosingError>& closing) {
  return closing ? closing->report.sqnr_db.value_or(INFINITY) : INFINITY;
}

}  // namespace

std::optional<SaturationReport> describe_saturation(const RewriteOptions& format, const PairedWeights& paired) {
  if (format.saturation == RewriteOptions::Saturation::None || paired.layers == 0) return std::nullopt;
  SaturationReport report;
  report.cpu = format.saturation == RewriteOptions::Saturation::Avoided ? Cpu::Any : Cpu::Vnni;
  report.layers = paired.layers;
  report.channels = paired.channels;
  report.raised = paired.raised;
  report.mean_factor = paired.factors / static_cast<double>(std::max<size_t>(paired.channels, 1));
  report.unsafe_pairs = paired.unsafe_pairs;
  report.unsafe_layers = static_cast<size_t>(paired.unsafe_layers);
  return report;
}

GraphPatch without_activation_pairs(const Graph& file) {
  GraphPatch patch;
  patch.reason = "activations stay float";
  for (const Node& node : file.nodes())
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const MaybeValue read = node.input(slot);
      const Node* dequantize = file.producer(read);
      if (!dequantize || traits_of(file, *dequantize).kind != OpKind::DequantizeLinear) continue;
      const Node* quantize = file.producer(dequantize->input(0));
      if (!quantize || traits_of(file, *quantize).kind != OpKind::QuantizeLinear) continue;
      if (file.value(*quantize->input(0)).is_constant) continue;
      patch.rewire.push_back({node.name, static_cast<int>(slot), file.value(*quantize->input(0)).name});
    }
  return patch;
}

std::optional<LintedFile::CpuLoss> measure_cpu_loss(const Model& file, const DataSource& source,
                                                    const RunSettings& settings) {
  const SampleSubset samples(source, samples_by_hash(source, kProbingSamples));
  Model reference = file.clone();
  apply_patch(reference, without_activation_pairs(file.graph()));
  const ReferenceOutputs outputs = keep_outputs(reference, samples, samples.size(), settings);
  const ClosingError exact = measure_closing_error(outputs, file, samples, settings);
  const ClosingError saturated = measure_closing_error(outputs, file, samples, without_vnni(settings));
  if (!exact.report.sqnr_db || !saturated.report.sqnr_db) return std::nullopt;
  return LintedFile::CpuLoss{*exact.report.sqnr_db, *saturated.report.sqnr_db, outputs.samples};
}

RunSettings without_vnni(RunSettings settings) {
  settings.products = CpuProducts::Avx2;
  return settings;
}

WorseArithmetic worse_of(const std::optional<ClosingError>& exact, const std::optional<ClosingError>& saturated) {
  constexpr double kToldDb = 0.1;
  if (!saturated) return {exact, {}, exact};
  const double with = worst_db(exact), without = worst_db(saturated);
  const bool worse = std::isnan(without) || without < with;
  if (!std::isnan(without) && std::abs(without - with) < kToldDb) return {worse ? saturated : exact, {}, exact};
  return {worse ? saturated : exact,
          fmt::format("x86 CPUs without VNNI saturate: SQNR {:.1f} dB there, {:.1f} dB elsewhere; --cpu any writes a "
                      "file that is the same on all CPUs",
                      without, with),
          exact};
}

}  // namespace detent
