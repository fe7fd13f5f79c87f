#include "tune/equalize/equalize_model.h"

#include "core/stopwatch.h"
#include "run/deciding_samples.h"
#include "run/sample_subset.h"
#include "tune/equalize/apply.h"
#include "tune/equalize/choose_families.h"
#include "tune/equalize/cross_fit.h"
#include "tune/equalize/equalizer.h"

namespace detent {

EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request, const EqualizeData& data,
                               const FactorOptions& options, const FoldJudge& judge) {
  const auto& [inputs, source, settings] = data;
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
