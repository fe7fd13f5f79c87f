#include "pipeline/equalize_model.h"

#include <algorithm>

#include "equalize/equalize_patch.h"
#include "pipeline/absorb_biases.h"
#include "pipeline/choose_families.h"
#include "pipeline/plan_report.h"
#include "pipeline/prepare_model.h"
#include "pipeline/sample_subset.h"
#include "pipeline/stopwatch.h"

namespace detent {

namespace {

constexpr size_t kSamples = 32;

}  // namespace

std::vector<size_t> deciding_samples(const DataSource& source) { return samples_by_hash(source, kSamples); }

std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most) {
  constexpr size_t kFewest = 8;
  std::vector<size_t> all = samples_by_hash(source, kSamples + most);
  if (all.size() < kSamples + kFewest) return deciding_samples(source);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kSamples));
  return all;
}

void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs) {
  apply_absorption(model, equalization.shifts, inputs);
  if (equalization.values.empty()) return;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "equalization");
}

EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request, std::span<const Tensor> inputs,
                               const DataSource& source, const RunSettings& settings, const FactorOptions& options,
                               const FoldJudge& judge) {
  const Stopwatch stopwatch;
  EqualizeOutcome outcome;
  const SampleSubset samples(source, samples_by_hash(source, kRangeSamples));
  Equalization equalization;
  {
    const Equalizer equalizer(model, inputs, samples, settings, options);
    EqualizeReport& report = outcome.report;
    report.families = equalizer.describe_families();
    report.samples = samples.size();
    std::vector<EqualizeItem> items = request.items;
    if (request.mode == EqualizeRequest::Mode::Auto) {
      report.requested = "auto";
      if (source.size() >= kFewestToJudge) {
        const CrossFit scores(model, inputs, source, settings, options, judge);
        items = choose_families([&](auto lists) { return scores(lists); }, report);
      }
    } else {
      report.requested = to_text(items);
      for (const EqualizeItem& item : items)
        for (EqualizeReport::Family& line : report.families)
          if (line.name == name_of(item.family)) line.alpha = item.alpha, line.kept = line.groups > 0;
    }
    equalization = equalizer.equalization(items);
    report.values = equalizer.describe_values(equalization);
    report.notes = equalizer.notes(equalization);
    if (request.mode == EqualizeRequest::Mode::Auto && source.size() < kFewestToJudge)
      report.notes.push_back(std::to_string(source.size()) + " samples are too few to tell what gains: give " +
                             std::to_string(kFewestToJudge) + " or more, or name the families");
  }
  apply_equalization(model, equalization, inputs);
  outcome.equalization = std::move(equalization);
  outcome.report.seconds = stopwatch.seconds();
  return outcome;
}

}  // namespace detent
