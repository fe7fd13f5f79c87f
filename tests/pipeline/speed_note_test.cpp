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

TEST_F(SpeedNote, IsNotWrittenForTensorRT) {
  EXPECT_THAT(notes("tensorrt", "^Conv_[024]$"), Not(Contains(HasSubstr("hardly be faster"))));
}

}  // namespace
}  // namespace detent
