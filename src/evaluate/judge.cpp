#include "evaluate/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace detent {

namespace {

/// One answer; NaN is below every limit.
Quality grade(double measured, double broken_below, double good_from) {
  if (!(measured >= broken_below)) return Quality::Broken;
  return measured >= good_from ? Quality::Good : Quality::Doubtful;
}

class Verdict {
 public:
  void add(Quality quality, std::string reason) {
    const bool worse = !report_.quality || quality > *report_.quality;
    if (worse) report_.quality = quality;
    report_.reasons.insert(worse ? report_.reasons.begin() : report_.reasons.end(), std::move(reason));
  }
  void caveat(std::string sentence) { report_.caveats.push_back(std::move(sentence)); }
  [[nodiscard]] VerdictReport take() { return std::move(report_); }

 private:
  VerdictReport report_;
};

std::string db_text(double sqnr_db) { return sqnr_db == HUGE_VAL ? "exact" : fmt::format("{:.1f} dB", sqnr_db); }

void judge_classes(Verdict& verdict, const JudgedFacts& facts, const VerdictLimits& limits) {
  const double agreement = static_cast<double>(facts.agreeing) / static_cast<double>(facts.classified);
  const bool chance = facts.classified - facts.agreeing <= limits.chance_disagreements;
  // Few decisions are uncertain by their standard error, sqrt(a (1 - a) / n); two of two or three may disagree by
  // chance.
  const double error = std::sqrt(agreement * (1 - agreement) / static_cast<double>(facts.classified));
  const size_t differing = facts.classified - facts.agreeing;
  std::string reason =
      fmt::format("{} of {} {} as in FP32", facts.agreeing, facts.classified, facts.classes ? "classes" : "elements");
  if (!facts.decided_by.empty()) reason += " at '" + facts.decided_by + "'";
  if (chance && agreement < limits.good_from_agreement)
    reason += fmt::format(": {} that differ are too few to count", differing);
  verdict.add(
      chance ? Quality::Good : grade(agreement + error, limits.broken_below_agreement, limits.good_from_agreement),
      std::move(reason));
}

void add_caveats(Verdict& verdict, const JudgedFacts& facts, const VerdictLimits& limits) {
  if (!facts.uncomparable.empty())
    verdict.caveat("not judged, for its shape depends on the data and is another one than in FP32: '" +
                   facts.uncomparable.front() + "'" +
                   (facts.uncomparable.size() > 1 ? fmt::format(" and {} more outputs", facts.uncomparable.size() - 1)
                                                  : std::string()));
  if (facts.calibration_samples > 0 && facts.calibration_samples < limits.few_samples)
    verdict.caveat(fmt::format("calibrated with {}: fewer than {} say little about the ranges",
                               plural(facts.calibration_samples, "sample"), limits.few_samples));
  if (facts.samples > 0 && facts.samples < limits.few_samples && facts.samples != facts.calibration_samples)
    verdict.caveat(fmt::format("the error was measured on {}: fewer than {} say little",
                               plural(facts.samples, "sample"), limits.few_samples));
  if (facts.states > 0)
    verdict.caveat(fmt::format("judged on single steps: the error of {} grows from step to step where it is fed back",
                               facts.states == 1 ? "a state" : fmt::format("{} states", facts.states)));
  if (facts.samples > 0 && facts.calibrated_with >= facts.samples)
    verdict.caveat("measured on the calibration samples themselves: on others the error may be larger");
  else if (facts.calibrated_with > 0)
    verdict.caveat(
        fmt::format("{} of the {} samples that it was measured on were calibrated with: on others the error "
                    "may be larger",
                    facts.calibrated_with, facts.samples));
}

}  // namespace

VerdictReport judge(const JudgedFacts& facts, const VerdictLimits& limits) {
  Verdict verdict;
  if (!facts.quantized) {
    verdict.caveat("nothing was quantized: the model computes what the float model does");
    return verdict.take();
  }
  if (facts.samples > 0 && facts.output)
    verdict.add(grade(facts.output->sqnr_db, limits.broken_below_db, limits.good_from_db),
                (facts.output->sqnr_db == HUGE_VAL ? "" : "SQNR ") + db_text(facts.output->sqnr_db) + " at '" +
                    facts.output->name + "'");
  if (facts.samples > 0 && facts.classified > 0) judge_classes(verdict, facts, limits);
  if (facts.samples > 1 && facts.sample)
    verdict.add(facts.sample->sqnr_db >= limits.lost_sample_below_db ? Quality::Good : Quality::Doubtful,
                "worst sample '" + facts.sample->name + "' " + db_text(facts.sample->sqnr_db));
  add_caveats(verdict, facts, limits);
  return verdict.take();
}

}  // namespace detent
