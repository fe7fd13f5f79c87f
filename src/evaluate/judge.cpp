#include "evaluate/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "run/sample_counts.h"

namespace detent {

namespace {

constexpr size_t kChanceDisagreements = 2;  // so many mean nothing: a close call or two among 16 samples
constexpr size_t kOutputsListed = 8;

bool is_chance(const Evidence& one) {
  return (one.measure == Measure::Classes || one.measure == Measure::Elements || one.measure == Measure::Neighbours) &&
         one.lost <= kChanceDisagreements;
}

/// Grades one row; NaN is below every limit.
Quality grade(const Evidence& one) {
  const VerdictRule& rule = rule_of(one.measure);
  if (is_chance(one)) return Quality::Good;
  const double measured = one.kept + one.error;
  if (measured >= rule.good_from) return Quality::Good;
  return measured >= rule.broken_below || std::isinf(rule.broken_below) ? Quality::Doubtful : Quality::Broken;
}

std::string db_text(double sqnr_db) { return sqnr_db == HUGE_VAL ? "exact" : fmt::format("{:.1f} dB", sqnr_db); }

std::string decisions_text(const Evidence& one) {
  std::string text = fmt::format("{} of {} {} as in FP32", one.all - one.lost, one.all,
                                 one.measure == Measure::Classes ? "classes" : "elements");
  if (!one.where.empty()) text += " at " + one.where;
  if (is_chance(one) && one.kept < rule_of(one.measure).good_from)
    text += fmt::format(": {} that differ are too few to count", one.lost);
  return text;
}

std::string reason_of(const Evidence& one) {
  switch (one.measure) {
    case Measure::Output: return (one.kept == HUGE_VAL ? "" : "SQNR ") + db_text(one.kept) + " at " + one.where;
    case Measure::AboutMean: return "SQNR " + db_text(one.kept) + " at " + one.where + " about its mean";
    case Measure::Block: return "SQNR " + db_text(one.kept) + " at " + one.where;
    case Measure::Classes:
    case Measure::Elements: return decisions_text(one);
    case Measure::Detections:
      return fmt::format("{} agree with FP32's to {:.1f} % mAP, standard error {:.1f}", plural(one.all, "detection"),
                         100 * one.kept, 100 * one.error);
    case Measure::Scores:
      return fmt::format("scores of detections change by {:.0f} % on average", 100 * (1 - one.kept));
    case Measure::Cosine: return fmt::format("cosine {:.4f} at {}", one.kept, one.where);
    case Measure::Neighbours:
      return fmt::format("{} of {} nearest neighbours as in FP32 at {}", one.all - one.lost, one.all, one.where);
    case Measure::Words:
      return fmt::format("word errors {} by {:.2f} points on {}, standard error {:.2f}", one.kept > 1 ? "fall" : "rise",
                         100 * std::abs(1 - one.kept), plural(one.all, "clip"), 100 * one.error);
    case Measure::Sample: return "worst sample " + one.where + " " + db_text(one.kept);
    case Measure::Unseen:
      return fmt::format("{} {} 0 in every calibration sample, so {} a guess: {}", plural(one.all, "value"),
                         one.all == 1 ? "was" : "were", one.all == 1 ? "its scale is" : "their scales are", one.where);
  }
  return {};
}

/// Says how many detections there are, and what became of them.
std::string few_detections_text(const Evidence& one, const ErrorReport& report) {
  std::string text = fmt::format("only {} of FP32 {} a score of 0.5 or more in {}: fewer than {} tell nothing",
                                 plural(one.all, "detection"), one.all == 1 ? "has" : "have",
                                 plural(report.samples, "sample"), kFewestDetections);
  if (report.detections && report.detections->score_loss > 0)
    text += fmt::format(" (their scores change by {:.0f} % on average)", 100 * report.detections->score_loss);
  return text;
}

std::string unknown_reason(const ClosingError& closing) {
  if (!closing.uncomparable.empty())
    return "no output could be compared: '" + closing.uncomparable.front() +
           "' has another shape than in FP32, so quantized layers decide its extents";
  if (closing.detects_nothing) return "no output could be compared: FP32 detects nothing in these samples";
  return "no output could be compared: each is 0 or not finite in FP32, or holds no numbers";
}

/// Returns true for evidence of outputs that hold texts: their words tell more.
bool stands_for_words(const Evidence& one) {
  constexpr std::array kOfOutputs{Measure::Output,  Measure::AboutMean, Measure::Block,
                                  Measure::Classes, Measure::Elements,  Measure::Sample};
  return std::ranges::find(kOfOutputs, one.measure) != kOfOutputs.end();
}

void add_caveats(VerdictReport& verdict, const JudgedFacts& facts) {
  const ClosingError& closing = facts.closing;
  const std::vector<std::string>& uncomparable = closing.uncomparable;
  if (!uncomparable.empty() && verdict.quality != Quality::Unknown)
    verdict.caveats.push_back(
        "not compared, because its shape depends on the data and differs from FP32: '" + uncomparable.front() + "'" +
        (uncomparable.size() > 1 ? fmt::format(" and {} more outputs", uncomparable.size() - 1) : std::string()));
  if (closing.detects_nothing && verdict.quality != Quality::Unknown)
    verdict.caveats.emplace_back("detections were not compared: FP32 has none with a score of 0.5 in these samples");
  verdict.caveats.insert(verdict.caveats.end(), closing.not_numbers.begin(), closing.not_numbers.end());
  if (!closing.nearly_constant.empty())
    verdict.caveats.push_back(
        listed(closing.nearly_constant, kOutputsListed, [](const std::string& name) { return "'" + name + "'"; }) +
        (closing.nearly_constant.size() == 1 ? " is" : " are") +
        " nearly constant in these samples, which tell little of the error there");
  if (const auto& block = closing.worst_unseen_block; block && block->sqnr_db < rule_of(Measure::Block).good_from)
    verdict.caveats.push_back(fmt::format("SQNR {} at {}, which does not count: it has {:.1g} % of the output's power",
                                          db_text(block->sqnr_db), block->name, 100 * block->share));
  const size_t samples = closing.report.samples;
  if (facts.calibration_samples > 0 && facts.calibration_samples < kFewestToJudge)
    verdict.caveats.push_back(fmt::format("calibrated with {}: fewer than {} are too few for reliable ranges",
                                          plural(facts.calibration_samples, "sample"), kFewestToJudge));
  if (samples > 0 && samples < kFewestToJudge && samples != facts.calibration_samples)
    verdict.caveats.push_back(fmt::format("the error was measured on {}: fewer than {} are too few to be sure",
                                          plural(samples, "sample"), kFewestToJudge));
  if (facts.states > 0 && closing.report.steps.empty())
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

std::vector<Evidence> evidence_of(const JudgedFacts& facts) {
  std::vector<Evidence> table;
  const ClosingError& closing = facts.closing;
  const size_t samples = closing.report.samples;
  if (samples == 0) return table;
  if (const auto& found = closing.report.detections) {
    table.push_back({.measure = Measure::Detections,
                     .kept = found->agreement,
                     .error = found->error,
                     .all = found->shown,
                     .too_few = !facts.labelled && found->shown < kFewestDetections});
    if (found->score_loss > 0 && !table.back().too_few)
      table.push_back({.measure = Measure::Scores, .kept = 1 - found->score_loss});
  }
  if (const auto& worst = closing.worst_output)
    table.push_back({Measure::Output, "'" + worst->name + "'", worst->sqnr_db});
  if (const auto& worst = closing.worst_about_mean) table.push_back({Measure::AboutMean, worst->name, worst->sqnr_db});
  if (const auto& worst = closing.worst_block) table.push_back({Measure::Block, worst->name, worst->sqnr_db});
  if (const auto& found = closing.decisions) {
    const auto all = static_cast<double>(found->all);
    const double kept = static_cast<double>(found->agreeing) / all;
    table.push_back({.measure = found->classes ? Measure::Classes : Measure::Elements,
                     .where = closing.report.outputs.size() > 1 ? "'" + found->name + "'" : std::string(),
                     .kept = kept,
                     .error = std::sqrt(kept * (1 - kept) / all),
                     .all = found->all,
                     .lost = found->all - found->agreeing});
  }
  if (const auto& worst = closing.worst_cosine)
    table.push_back({Measure::Cosine, "'" + worst->name + "'", worst->error.cosine});
  if (const auto& worst = closing.worst_neighbours) {
    const auto all = static_cast<double>(worst->error.samples);
    const double kept = 1 - static_cast<double>(worst->error.changed) / all;
    table.push_back({.measure = Measure::Neighbours,
                     .where = "'" + worst->name + "'",
                     .kept = kept,
                     .error = std::sqrt(kept * (1 - kept) / all),
                     .all = worst->error.samples,
                     .lost = worst->error.changed});
  }
  if (facts.words)
    table.push_back({.measure = Measure::Words,
                     .kept = 1 - facts.words->rise,
                     .error = facts.words->error,
                     .all = facts.words->clips});
  if (const auto& worst = closing.worst_sample; worst && samples > 1)
    table.push_back({Measure::Sample, "'" + worst->name + "'", worst->sqnr_db});
  if (facts.words && facts.words->clips >= kFewestToJudge) std::erase_if(table, stands_for_words);
  if (!table.empty() && !facts.unseen.empty())
    table.push_back({.measure = Measure::Unseen,
                     .where = facts.unseen.size() > 1 ? "'" + facts.unseen.front() + "' and others"
                                                      : "'" + facts.unseen.front() + "'",
                     .all = facts.unseen.size()});
  return table;
}

VerdictReport judge(const JudgedFacts& facts) {
  VerdictReport verdict;
  if (!facts.quantized) {
    verdict.caveats.push_back("nothing was quantized: the model computes what the float model does");
    return verdict;
  }
  std::optional<std::string> too_few;
  for (const Evidence& one : evidence_of(facts)) {
    if (one.too_few) {
      too_few = few_detections_text(one, facts.closing.report);
      continue;
    }
    const Quality quality = grade(one);
    const bool worse = !verdict.quality || quality > *verdict.quality;
    if (worse) verdict.quality = quality;
    if (!worse && quality == Quality::Good && !rule_of(one.measure).always_listed) continue;
    verdict.reasons.insert(worse ? verdict.reasons.begin() : verdict.reasons.end(), reason_of(one));
  }
  if (too_few) {
    if (verdict.quality != Quality::Broken) verdict.quality = Quality::Unknown;
    verdict.reasons.insert(verdict.quality == Quality::Unknown ? verdict.reasons.begin() : verdict.reasons.end(),
                           *too_few);
  }
  if (!verdict.quality && facts.closing.report.samples > 0) {
    verdict.quality = Quality::Unknown;
    verdict.reasons.push_back(unknown_reason(facts.closing));
  }
  add_caveats(verdict, facts);
  return verdict;
}

}  // namespace detent
