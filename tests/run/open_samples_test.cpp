// The order of what stands around the sources of a request.
#include "run/open_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

Model network(const std::string& ends, const std::string& nodes) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g " + ends + " { " + nodes + " }");
}

/// y = h * x, and y is h in the next step.
Model product() { return network("(float[N, S] x, float[N, 1] h) => (float[N, 1] y)", "y = Mul (h, x)"); }

class OpenSamples : public ::testing::Test {
 protected:
  /// Steps of samples x that begin with h.
  SampleRequest in_steps(const Tensor& x, const Tensor& h, size_t steps) const {
    return parse_samples({.arrays = {x, h},
                          .steps = steps,
                          .state = folder_.write("state.json", R"({"feeds": {"y": "h"}, "cut": {"x": 1}})")});
  }
  TemporaryFolder folder_;
};

TEST_F(OpenSamples, AreSelectedBeforeTheyAreCutIntoSteps) {
  SampleRequest request =
      in_steps(Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor::from<float>({3, 1}, {1, 1, 1}), 2);
  request.shard_index = 2, request.shard_count = 3;
  const auto source = open_samples(request, product());
  ASSERT_EQ(source->size(), 2U) << "two steps of one sample, not every third step";
  EXPECT_EQ(source->read(0).inputs[0].data<float>()[0], 3);
  EXPECT_EQ(source->read(1).inputs[0].data<float>()[0], 4);
}

TEST_F(OpenSamples, AreSelectedByWholeBatches) {
  const Model pairs = network("(float[2, 4] x) => (float[2, 4] y)", "y = Relu (x)");
  Tensor x(DataType::Float32, {8, 4});
  for (float& number : x.mutable_data<float>()) number = 1;
  const auto source = open_samples(parse_samples({.arrays = {x}, .shard_index = 2, .shard_count = 2}), pairs);
  EXPECT_EQ(source->batch(), 2U);
  ASSERT_EQ(source->size(), 4U);
  EXPECT_EQ(source->sample_name(0), "sample 3") << "the second batch";
}

TEST_F(OpenSamples, HaveFiniteNumbersInTheDataButNotInStates) {
  const float most = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  const Tensor one = Tensor::from<float>({1, 1}, {1});
  const auto overflows = open_samples(in_steps(Tensor::from<float>({1, 3}, {most, most, 1}), one, 3), product());
  EXPECT_EQ(overflows->read(2).inputs[1].data<float>()[0], infinity) << "a state";
  const SampleRequest request = in_steps(Tensor::from<float>({1, 3}, {1, infinity, 1}), one, 3);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(open_samples(request, product())->read(0)); }).what(),
              HasSubstr("holds +inf"));
  EXPECT_NO_THROW(static_cast<void>(open_samples(request, product(), {.refuse_non_finite = false})->read(0)));
}

TEST_F(OpenSamples, ShowTheirLastStep) {
  const SampleRequest request = in_steps(Tensor::from<float>({1, 2}, {3, 5}), Tensor::from<float>({1, 1}, {1}), 2);
  const auto source = open_samples(request, product());
  EXPECT_EQ(read_shown_inputs(*source, request.steps, {})[0].data<float>()[0], 5);
  EXPECT_EQ(read_shown_inputs(*source, std::nullopt, {})[0].data<float>()[0], 3);
}

}  // namespace
}  // namespace detent
