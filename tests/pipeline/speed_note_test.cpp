// Tests the note of `quantize` about the speed of a file for ONNX Runtime.
#include <gmock/gmock.h>

#include "tests/pipeline/small_network.h"

namespace detent {
namespace {

// Four Convs of the same size; the last one stays float, because a graph output carries no pair.
class SpeedNote : public SmallNetwork {
 protected:
  [[nodiscard]] std::vector<std::string> notes(const std::string& target, const std::string& exclude) const {
    QuantizeOptions given = options(samples("data", std::vector<float>(4, 1.0F)));
    given.target = target;
    if (!exclude.empty()) given.placement.exclude = {exclude};
    return quantize_model(given).notes;
  }

  /// Writes the network with this activation behind the first Conv.
  void write_network_with(const std::string& activation) const {
    std::filesystem::remove(folder_ / "model.onnx");
    write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,1,1] w1 = {0.5, 0.25, 1, 0.75}, float[2,2,1,1] w2 = {1, 0.125, 0.5, 1.5},
 float[2,2,1,1] w3 = {0.25, 2, 1, 0.5}, float[2,2,1,1] w4 = {1, 0.5, 0.75, 0.25}>
{ c1 = Conv (x, w1)  r1 = )" + activation +
                                 R"( (c1)  c2 = Conv (r1, w2)  r2 = Relu (c2)
  c3 = Conv (r2, w3)  r3 = Relu (c3)  y = Conv (r3, w4) })"),
                folder_ / "model.onnx");
  }
};

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST_F(SpeedNote, SaysHowManyMultiplicationsStayFloat) {
  EXPECT_THAT(notes("onnxruntime", "^Conv_0$"),
              Contains("INT8 will hardly be faster here: 50.0 % of the multiplications stay in float"));
}

TEST_F(SpeedNote, IsNotWrittenWhereMostMultiplicationsAreInt8) {
  EXPECT_THAT(notes("onnxruntime", ""), Not(Contains(HasSubstr("hardly be faster"))));
}

TEST_F(SpeedNote, SaysHowManyHardSwishRunInFloatBetweenInt8Layers) {
  write_network_with("HardSwish");
  EXPECT_THAT(notes("onnxruntime", ""),
              Contains("INT8 will hardly be faster here: 1 HardSwish between 3 INT8 layers run in float"));
}

TEST_F(SpeedNote, CountsNoActivationThatTheIntegerKernelTakesIn) {
  write_network_with("LeakyRelu");
  EXPECT_THAT(notes("onnxruntime", ""), Not(Contains(HasSubstr("hardly be faster"))));
}

TEST_F(SpeedNote, IsNotWrittenForTensorRT) {
  EXPECT_THAT(notes("tensorrt", "^Conv_[024]$"), Not(Contains(HasSubstr("hardly be faster"))));
}

}  // namespace
}  // namespace detent
