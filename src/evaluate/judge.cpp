#include "evaluate/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace detent {

namespace {

/// Grades one number; NaN is below every limit.
Quality grade(double measured, double broken_below, double good_from) {
  if (!(measured >= broken_below)) return Quality::Broken;
  return measured >= good_from ? Quality::Good : Quality::Doubtful;
}

/// Adds a graded reason; the worst grade and its reason come first.
void add(VerdictReport& verdict, Quality quality, std::string reason) {
  const bool worse = !verdict.quality || quality > *verdict.quality;
  if (worse) verdict.quality = quality;
  verdict.reasons.insert(worse ? verdict.reasons.begin() : verdict.reasons.end(), std::move(reason));
}

std::string db_text(double sqnr_db) { return sqnr_db == HUGE_VAL ? "exact" : fmt::format("{:.1f} dB", sqnr_db); }

void judge_classes(VerdictReport& verdict, const ClosingError& closing, const VerdictLimits& limits) {
  const ClosingError::Decisions& decisions = *closing.decisions;
  const auto all = static_cast<double>(decisions.all);
  const double agreement = static_cast<double>(decisions.agreeing) / all;
  const bool chance = decisions.all - decisions.agreeing <= limits.chance_disagreements;
  // Few decisions have a standard error of sqrt(a (1 - a) / n); two of two or three may disagree by chance.
  const double error = std::sqrt(agreement * (1 - agreement) / all);
  std::string reason = fmt::format("{} of {} {} as in FP32", decisions.agreeing, decisions.all,
                                   decisions.classes ? "classes" : "elements");
  if (closing.report.outputs.size() > 1) reason += " at '" + decisions.name + "'";
  if (chance && agreement < limits.good_from_agreement)
    reason += fmt::format(": {} that differ are too few to count", decisions.all - decisions.agreeing);
  add(verdict,
      chance ? Quality::Good : grade(agreement + error, limits.broken_below_agreement, limits.good_from_agreement),
      std::move(reason));
}

void judge_worst_output(VerdictReport& verdict, const ClosingError& closing, const VerdictLimits& limits) {
  const auto& [name, db] = *closing.worst_output;
  const Quality quality = grade(db, limits.broken_below_db, limits.good_from_db);
  add(verdict, quality, (db == HUGE_VAL ? "" : "SQNR ") + db_text(db) + " at '" + name + "'");
  if (!closing.worst_about_mean) return;
  const auto& [varying, about_mean_db] = *closing.worst_about_mean;
  const Quality about_mean = grade(about_mean_db, limits.broken_below_mean_db, limits.good_from_mean_db);
  if (about_mean > quality)
    add(verdict, about_mean, "SQNR " + db_text(about_mean_db) + " at " + varying + " about its mean");
}

void judge_detections(VerdictReport& verdict, const ErrorReport::Detections& found, const VerdictLimits& limits) {
  // Within the standard error the number could be either side of a limit.
  add(verdict, grade(found.agreement + found.error, limits.broken_below_detections, limits.good_from_detections),
      fmt::format("detections agree with FP32's to {:.1f} % mAP, standard error {:.1f}", 100 * found.agreement,
                  100 * found.error));
}

void add_caveats(VerdictReport& verdict, const JudgedFacts& facts, const VerdictLimits& limits) {
  const std::vector<std::string>& uncomparable = facts.closing.uncomparable;
  if (!uncomparable.empty())
    verdict.caveats.push_back(
        "not compared, because its shape depends on the data and differs from FP32: '" + uncomparable.front() + "'" +
        (uncomparable.size() > 1 ? fmt::format(" and {} more outputs", uncomparable.size() - 1) : std::string()));
  const size_t samples = facts.closing.report.samples;
  if (facts.calibration_samples > 0 && facts.calibration_samples < limits.few_samples)
    verdict.caveats.push_back(fmt::format("calibrated with {}: fewer than {} are too few for reliable ranges",
                                          plural(facts.calibration_samples, "sample"), limits.few_samples));
  if (samples > 0 && samples < limits.few_samples && samples != facts.calibration_samples)
    verdict.caveats.push_back(fmt::format("the error was measured on {}: fewer than {} are too few to be sure",
                                          plural(samples, "sample"), limits.few_samples));
  if (facts.states > 0 && facts.closing.report.steps.empty())
    verdict.caveats.push_back(
        fmt::format("judged on single steps: the error of {} grows from step to step where it is fed back (--steps "
                    "measures it)",
                    facts.states == 1 ? "a state" : fmt::format("{} states", facts.states)));
  if (samples > 0 && facts.calibrated_with >= samples)
    verdict.caveats.push_back("measured on the calibration samples themselves: on others the error may be larger");
  else if (facts.calibrated_with > 0)
    verdict.caveats.push_back(
        fmt::format("{} of the {} measured samples are calibration samples: on others the error may be larger",
                    facts.calibrated_with, samples));
}

}  // namespace

VerdictReport judge(const JudgedFacts& facts, const VerdictLimits& limits) {
  VerdictReport verdict;
  if (!facts.quantized) {
    verdict.caveats.push_back("nothing was quantized: the model computes what the float model does");
    return verdict;
  }
  const ClosingError& closing = facts.closing;
  if (closing.report.detections) {
    judge_detections(verdict, *closing.report.detections, limits);
    add_caveats(verdict, facts, limits);
    return verdict;
  }
  if (closing.report.samples > 0 && closing.worst_output) judge_worst_output(verdict, closing, limits);
  if (closing.worst_block && (!closing.worst_output || closing.worst_block->sqnr_db < limits.good_from_block_db))
    add(verdict, grade(closing.worst_block->sqnr_db, limits.broken_below_block_db, limits.good_from_block_db),
        "SQNR " + db_text(closing.worst_block->sqnr_db) + " at " + closing.worst_block->name);
  if (closing.report.samples > 0 && closing.decisions) judge_classes(verdict, closing, limits);
  if (closing.report.samples > 1 && closing.worst_sample)
    add(verdict, closing.worst_sample->sqnr_db >= limits.lost_sample_below_db ? Quality::Good : Quality::Doubtful,
        "worst sample '" + closing.worst_sample->name + "' " + db_text(closing.worst_sample->sqnr_db));
  add_caveats(verdict, facts, limits);
  return verdict;
}

}  // namespace detent
