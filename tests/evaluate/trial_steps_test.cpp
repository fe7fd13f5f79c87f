#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/trial.h"
#include "run/own_steps.h"
#include "run/summing_steps.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Two variants whose errors at each step are an eighth and a half.
class TrialOfSteps : public SummingSteps {
 protected:
  TrialOfSteps() {
    variants_.push_back(summing("0.125"));
    variants_.push_back(summing("0.5"));
  }

  [[nodiscard]] EvaluationRequest ask(const SampleRequest* request) const {
    EvaluationRequest wanted{float_, names_, *steps_, settings_, "testing"};
    wanted.by_batch = true, wanted.request = request;
    return wanted;
  }

  const std::vector<std::string> names_{"z"};
  const RunSettings settings_;
  const SampleRequest request_ = parse_samples(data_);
  const std::unique_ptr<DataSource> steps_ = open_samples(request_, float_);
  std::vector<Model> variants_;
};

/// Step k of z = 4 k has the error k / 2, so 1 / 64 of the power.
TEST_F(TrialOfSteps, EachModelReadsItsOwnStates) {
  const Evaluation own = evaluate_models(variants_, ask(&request_));
  EXPECT_NEAR(own.report(0).sqnr_db.value(), 20 * std::log10(8), 1e-6);
  EXPECT_NEAR(own.report(1).sqnr_db.value(), 20 * std::log10(2), 1e-6);
  const Evaluation single = evaluate_models(variants_, ask(nullptr));
  EXPECT_GT(single.report(0).sqnr_db.value(), 26) << "the float model's states hide what adds up";
}

TEST_F(TrialOfSteps, ASampleCountsWithAllItsSteps) {
  const Evaluation own = evaluate_models(variants_, ask(&request_));
  EXPECT_EQ(own.samples, 2U);
  EXPECT_THAT(own.by_batch, ElementsAre(SizeIs(2), SizeIs(2)));
  EXPECT_THAT(own.batch_names,
              ElementsAre(sample_of_step(steps_->sample_name(0)), sample_of_step(steps_->sample_name(4))));
  EXPECT_DOUBLE_EQ(own.by_batch[0][1][0].signal, 16 * (1 + 4 + 9 + 16));
  const Evaluation single = evaluate_models(variants_, ask(nullptr));
  EXPECT_EQ(single.samples, 8U);
  EXPECT_THAT(single.by_batch.front(), SizeIs(8));
}

TEST_F(TrialOfSteps, OneVariantAtATimeGivesTheSame) {
  EvaluationRequest narrow = ask(&request_);
  narrow.weight_bytes = 1;
  const Evaluation apart = evaluate_models(
      2, [&](size_t v) { return variants_[v].clone(); }, narrow);
  const Evaluation together = evaluate_models(variants_, ask(&request_));
  EXPECT_EQ(apart.samples, together.samples);
  for (size_t v = 0; v < variants_.size(); ++v) {
    EXPECT_EQ(apart.errors[v][0].noise, together.errors[v][0].noise);
    EXPECT_THAT(apart.by_batch[v], SizeIs(2));
  }
}

}  // namespace
}  // namespace detent
