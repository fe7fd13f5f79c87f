#include "run/observed_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "exec/runnable_part.h"
#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Seen final : SampleObserver {
  struct One {
    std::vector<float> elements;
    std::vector<uint8_t> counted;
  };
  std::map<ValueId, std::vector<One>> values;
  void observe(ValueId value, const Tensor& tensor, const SampleAxis&, std::span<const uint8_t> counted) override {
    const auto elements = tensor.data<float>();
    values[value].push_back({{elements.begin(), elements.end()}, {counted.begin(), counted.end()}});
  }
};

/// Two samples of three positions; padding is 900.
class ObservedBatch : public ::testing::Test {
 protected:
  Seen run(const SampleAxis& where, bool padded) {
    const std::vector<ValueId> wanted = values_named(model_.graph(), {"t", "m"});
    const Schedule schedule(model_.graph(), wanted);
    Executor executor(schedule);
    std::vector<Sample> batch{{0, "a", {Tensor::from<float>({1, 3}, {1, 2, 3})}},
                              {1, "b", {Tensor::from<float>({1, 3}, {4, 5, 900})}}};
    if (padded) batch[0].content = {1, 1, 1}, batch[1].content = {1, 1, 0};
    ValueMap<SampleAxis> axes(model_.graph().values().size());
    axes[wanted[0]] = {SampleAxis::Kind::Counts, 1, 0};
    axes[wanted[1]] = where;
    Seen seen;
    run_observed(executor, std::move(batch), SampleAxes(std::move(axes)), seen);
    return seen;
  }
  [[nodiscard]] ValueId value(const std::string& name) const { return *model_.graph().find_value(name); }

 private:
  Model model_ = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]> g (float[2, 3] x) => (float[1, 3] m)
{ t = Transpose (x)  m = ReduceMax <axes = [0]> (x) })");
};

TEST_F(ObservedBatch, ShowsWhatCountsInEachValue) {
  const Seen seen = run({SampleAxis::Kind::Counts, 0, 0}, true);
  ASSERT_EQ(seen.values.at(value("t")).size(), 1U);
  EXPECT_THAT(seen.values.at(value("t"))[0].elements, ElementsAre(1, 4, 2, 5, 3, 900));
  EXPECT_THAT(seen.values.at(value("t"))[0].counted, ElementsAre(1, 1, 1, 1, 1, 0));
}

TEST_F(ObservedBatch, ShowsContentInThePlaceOfPaddingWhereSamplesAreNotFound) {
  const Seen seen = run({SampleAxis::Kind::Unknown, 0, 0}, true);
  ASSERT_EQ(seen.values.at(value("m")).size(), 1U) << "once, of the second run";
  EXPECT_THAT(seen.values.at(value("m"))[0].elements, ElementsAre(4, 5, 4));
  EXPECT_THAT(seen.values.at(value("m"))[0].counted, IsEmpty());
  ASSERT_EQ(seen.values.at(value("t")).size(), 1U) << "once, of the first run";
  EXPECT_THAT(seen.values.at(value("t"))[0].counted, ElementsAre(1, 1, 1, 1, 1, 0));
}

TEST_F(ObservedBatch, RunsOnceWithoutPadding) {
  const Seen seen = run({SampleAxis::Kind::Unknown, 0, 0}, false);
  ASSERT_EQ(seen.values.at(value("m")).size(), 1U);
  EXPECT_THAT(seen.values.at(value("m"))[0].elements, ElementsAre(4, 5, 900));
}

}  // namespace
}  // namespace detent
