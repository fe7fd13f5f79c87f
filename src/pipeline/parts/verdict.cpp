#include "pipeline/parts/verdict.h"

#include <fmt/core.h>

#include <algorithm>

#include "detent/base/error.h"
#include "evaluate/blame.h"
#include "pipeline/parts/provenance.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr size_t kBlameSamples = 4;
constexpr size_t kCuresShown = 2;

std::optional<JudgedFacts::Named> named(const std::optional<ClosingError::Named>& named) {
  return named ? std::optional(JudgedFacts::Named{named->name, named->sqnr_db}) : std::nullopt;
}

JudgedFacts facts_of(const QuantizeReport& report, const Prepared& prepared, const VerdictGrounds& grounds) {
  JudgedFacts facts = judged_facts(grounds.worse.closing);
  facts.quantized = !report.values.empty() || report.plan.coverage.int8_layers > 0;
  facts.calibration_samples = report.samples;
  facts.calibrated_with = grounds.calibrated_with;
  facts.states = prepared.facts.states;
  return facts;
}

void add_blame(QuantizeReport& report, const RunSettings& run, Prepared& prepared, const VerdictGrounds& grounds) {
  const Chosen& chosen = grounds.chosen;
  try {
    remake(prepared, [](const Recipe& /*the same*/) {});
    Model model = take_model(prepared);
    if (!chosen.constants.empty()) apply_patch(model, chosen.constants);
    if (ranges_fingerprint(model.graph(), chosen.ranges) != report.provenance.ranges)
      throw Error(ErrorCode::Internal, "the model reads differently now");
    const SampleSubset few(*grounds.samples, samples_by_hash(*grounds.samples, kBlameSamples));
    Blame blame = find_blame(model, prepared.plan, chosen.ranges, chosen.format, few, run);
    report.verdict.blame_sqnr_db = blame.sqnr_db;
    report.verdict.blame = std::move(blame.values);
  } catch (const Error& error) {  // the model is written: what explains it may fail
    if (error.code() == ErrorCode::Interrupted) throw;
    report.verdict.caveats.push_back(std::string("the values to blame could not be measured: ") + error.what());
  }
}

/// What is not used yet, the likeliest first.
std::vector<std::string> cures_for(const QuantizeReport& report, const QuantizeOptions& options) {
  std::vector<std::string> cures;
  const bool data = options.data.given();
  if (options.format.per_tensor) cures.emplace_back("without --per-tensor");
  if (data && !report.measured) cures.emplace_back("--calibrator auto (measures all of them)");
  if (data && options.accuracy != Accuracy::Best) cures.emplace_back("--accuracy best (takes minutes)");
  if (!options.bound.given()) cures.emplace_back("--min-sqnr 20 (keeps layers float)");
  cures.resize(std::min(cures.size(), kCuresShown));
  return cures;
}

}  // namespace

JudgedFacts judged_facts(const std::optional<ClosingError>& closing) {
  JudgedFacts facts;
  if (!closing) return facts;
  facts.samples = closing->report.samples;
  facts.output = named(closing->worst_output);
  facts.sample = named(closing->worst_sample);
  if (const auto& decisions = closing->decisions) {
    facts.classified = decisions->all;
    facts.agreeing = decisions->agreeing;
    facts.classes = decisions->classes;
    if (closing->report.outputs.size() > 1) facts.decided_by = decisions->name;
  }
  facts.uncomparable = closing->uncomparable;
  return facts;
}

void add_verdict(QuantizeReport& report, const QuantizeOptions& options, Prepared& prepared,
                 const VerdictGrounds& grounds) {
  report.verdict = judge(facts_of(report, prepared, grounds));
  if (const std::string& caveat = grounds.worse.caveat; !caveat.empty())
    report.verdict.caveats.insert(report.verdict.caveats.begin(), caveat);
  if (!report.verdict.quality || *report.verdict.quality == Quality::Good) return;
  add_blame(report, options.run, prepared, grounds);
  report.verdict.cures = cures_for(report, options);
}

}  // namespace detent
