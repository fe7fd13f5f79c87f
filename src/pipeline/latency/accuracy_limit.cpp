#include "pipeline/latency/accuracy_limit.h"

#include <fmt/core.h>

#include "run/sample_counts.h"

namespace detent {

namespace {

constexpr double kMostLostDb = 1;

}  // namespace

RunSettings silently(RunSettings run) {
  run.reporter = &Reporter::silent();
  return run;
}

AccuracyLimit::AccuracyLimit(const Attempt& attempt, const QuantizeOptions& options, const BoundJudge* judge)
    : judge_(judge), run_(silently(options.run)),
      samples_(*attempt.measured.samples, samples_by_hash(*attempt.measured.samples, kJudgedSamples)) {
  if (!judge_) reference_ = keep_outputs(*attempt.prepared.float32, samples_, samples_.size(), run_);
}

std::string AccuracyLimit::text() const {
  return judge_ ? judge_->bound_text() : fmt::format("{:g} dB below the default's SQNR", kMostLostDb);
}

AccuracyLimit::Answer AccuracyLimit::judge(const Model& model) {
  Answer answer;
  if (judge_) {
    const BoundJudge::Score score = judge_->measure({&model, 1}, "judging").front();
    answer = {.sqnr_db = score.sqnr_db, .holds = judge_->meets(score)};
    if (judge_->has_task() || judge_->by_command()) answer.score = score.score;
  } else {
    answer.sqnr_db = measure_closing_error(reference_, model, samples_, run_).report.sqnr_db;
    answer.holds = !default_db_ || (answer.sqnr_db && *answer.sqnr_db >= *default_db_ - kMostLostDb);
  }
  if (!seen_) answer.holds = true, seen_ = true, default_db_ = answer.sqnr_db;
  return answer;
}

}  // namespace detent
