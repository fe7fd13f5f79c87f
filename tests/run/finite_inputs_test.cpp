// Tests which samples are refused because a float input is not finite.
#include "run/finite_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "detent/base/error.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Model network(const std::string& nodes) {
  return parse_model_text(
      R"(<ir_version: 8, opset_import: ["" : 13]> g (float[N, 2] x, float[N, 2] m) => (float[N, 2] y)
    <float two = {2}> )" +
      nodes);
}
const std::string kPlain = "{ y = Add (x, m) }";

/// Returns the samples with `numbers` for input `name`, checked.
std::unique_ptr<DataSource> checked(const Model& model, const std::string& name, std::vector<Tensor> numbers) {
  const std::vector<InputSpec> inputs{{name, numbers.front().type(), {-1, 2}, 0}};
  return with_finite_inputs(std::make_unique<MemorySource>(std::move(numbers)), inputs, model.graph());
}

Tensor row(float first) { return Tensor::from<float>({1, 2}, {first, 1}); }

TEST(FiniteInputs, RefuseNanAndInfinityNamingSampleAndInput) {
  const Model model = network(kPlain);
  const auto source = checked(model, "x", {row(3), row(kNan), row(kInfinity)});
  EXPECT_EQ(source->read(0).inputs.front().data<float>()[0], 3);
  const Error nan = error_of<Error>([&] { static_cast<void>(source->read(1)); });
  EXPECT_EQ(nan.code(), ErrorCode::InvalidData);
  EXPECT_THAT(nan.what(), HasSubstr("sample 'sample1': input 'x' holds NaN in 1 of 2 elements"));
  EXPECT_THAT(nan.hint(), HasSubstr("--skip-bad-data"));
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(source->read(2)); }).what(), HasSubstr("+inf"));
}

TEST(FiniteInputs, TakeTheLargestFloatAndNumbersBeyondItInDouble) {
  const Model model = network(kPlain);
  EXPECT_NO_THROW(static_cast<void>(checked(model, "x", {row(std::numeric_limits<float>::max())})->read(0)));
  EXPECT_NO_THROW(static_cast<void>(checked(model, "x", {Tensor::from<double>({1, 2}, {1e300, 1})})->read(0)));
  EXPECT_NO_THROW(static_cast<void>(checked(model, "x", {Tensor::from<int64_t>({1, 2}, {1, 2})})->read(0)));
}

TEST(FiniteInputs, TakeNanWhereTheUserCallsItMissing) {
  const Model model = network(kPlain);
  const std::vector<InputSpec> inputs{{"x", DataType::Float32, {-1, 2}, 0}};
  const auto source = with_finite_inputs(std::make_unique<MemorySource>(std::vector<Tensor>{row(kNan), row(kInfinity)}),
                                         inputs, model.graph(), true);
  EXPECT_NO_THROW(static_cast<void>(source->read(0)));
  EXPECT_ANY_THROW(static_cast<void>(source->read(1))) << "infinity is no value that is missing";
  const Error nan = error_of<Error>([&] { static_cast<void>(checked(model, "x", {row(kNan)})->read(0)); });
  EXPECT_THAT(nan.hint(), HasSubstr("--feed missing=nan"));
}

TEST(FiniteInputs, TakeNanWhereTheModelAsksWhatIsMissing) {
  const Model tabular = network("{ n = IsNaN (x)  f = Where (n, m, x)  y = Add (f, m) }");
  EXPECT_NO_THROW(static_cast<void>(checked(tabular, "x", {row(kNan)})->read(0)));
  EXPECT_ANY_THROW(static_cast<void>(checked(tabular, "x", {row(kInfinity)})->read(0)));
  EXPECT_ANY_THROW(static_cast<void>(checked(tabular, "m", {row(kNan)})->read(0)));
}

TEST(FiniteInputs, TakeMinusInfinityWhereItIsAMask) {
  const Model mask = network("{ s = Add (x, m)  y = Softmax (s) }");
  EXPECT_NO_THROW(static_cast<void>(checked(mask, "m", {row(-kInfinity)})->read(0)));
  EXPECT_ANY_THROW(static_cast<void>(checked(mask, "m", {row(kInfinity)})->read(0)));
  EXPECT_ANY_THROW(static_cast<void>(checked(mask, "m", {row(kNan)})->read(0)));
  const Model number = network("{ s = Mul (m, two)  t = Add (x, s)  y = Softmax (t) }");
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(checked(number, "m", {row(-kInfinity)})->read(0)); }).what(),
              HasSubstr("-inf in 1 of 2 elements, and is no mask in front of a Softmax"));
}

struct Form {
  const char* what;
  const char* nodes;
  bool may_mask;
};

TEST(FiniteInputs, KnowMasksByWhatTheyReach) {
  const Form forms[] = {
      {"Add in front of a Softmax", "{ s = Add (x, m)  y = Softmax (s) }", true},
      {"Where in front of a Softmax", "{ c = Greater (x, two)  s = Where (c, x, m)  y = Softmax (s) }", true},
      {"copied and cast", "{ t = Identity (m)  u = Cast <to = 1> (t)  s = Add (u, x)  y = LogSoftmax (s) }", true},
      {"an output that has it too", "{ y = Add (x, m) }", true},
      {"another reader of the mask", "{ s = Add (x, m)  p = Softmax (s)  r = Relu (m)  y = Add (p, r) }", false},
      {"another reader of the scores", "{ s = Add (x, m)  p = Softmax (s)  r = Exp (s)  y = Add (p, r) }", false},
      {"a product", "{ s = Mul (x, m)  y = Softmax (s) }", false},
  };
  for (const Form& form : forms) {
    const Model model = network(form.nodes);
    EXPECT_EQ(may_mask(model.graph(), model.graph().inputs()[1]), form.may_mask) << form.what;
  }
}

}  // namespace
}  // namespace detent
