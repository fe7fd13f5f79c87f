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
    : judge_(judge), run_(silently(options.run)) {
  if (judge_) return;
  const Prepared& prepared = attempt.prepared;
  const SampleRequest& data = prepared.recipe.data;
  const DataSource& samples = data.steps ? *prepared.data : *attempt.measured.samples;  // steps lie as they were opened
  outputs_ = std::make_unique<const FloatOutputs>(*prepared.float32, data, samples, run_, kJudgedSamples);
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
    answer.sqnr_db = outputs_->error_of(model).report.sqnr_db;
    answer.holds = !default_db_ || (answer.sqnr_db && *answer.sqnr_db >= *default_db_ - kMostLostDb);
  }
  if (!seen_) answer.holds = true, seen_ = true, default_db_ = answer.sqnr_db;
  return answer;
}

}  // namespace detent
