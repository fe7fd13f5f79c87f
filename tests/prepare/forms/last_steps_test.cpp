// The last state of a GRU or RNN whose steps are not read, which ends Rockchip's compiler: the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> last_state_of(const std::string& op, int gates, const std::string& outputs,
                                       const std::string& read, const std::string& attributes = "",
                                       int directions = 1) {
  const auto numbers = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? "," : "") + std::to_string((i * 7) % 11 - 5) + "e-1";
    return text;
  };
  const std::string d = std::to_string(directions), g = std::to_string(gates * 2);
  return for_rknn("(float[4,1,3] x) => (float[n,1,2] y) <float[" + d + "," + g + ",3] w = {" +
                      numbers(directions * gates * 6) + "}, float[" + d + "," + g + ",2] r = {" +
                      numbers(directions * gates * 4) + "}> { " + outputs + " = " + op + " <hidden_size = 2" +
                      attributes + "> (x, w, r)  y = Relu (" + read + ") }",
                  {4, 1, 3});
}

TEST(LastSteps, TheLastStateIsTakenOfAllSteps) {
  EXPECT_THAT(last_state_of("GRU", 3, "steps, last", "last"), ElementsAre("GRU", "Gather", "Relu"));
  EXPECT_THAT(last_state_of("RNN", 1, "steps, last", "last", ", direction = \"reverse\""),
              ElementsAre("RNN", "Gather", "Relu"));
}

TEST(LastSteps, OthersStay) {
  EXPECT_THAT(last_state_of("LSTM", 4, "steps, last", "last"), ElementsAre("LSTM", "Relu"));
  EXPECT_THAT(last_state_of("GRU", 3, "steps, last", "last", ", direction = \"bidirectional\"", 2),
              ElementsAre("GRU", "Relu"));
}

}  // namespace
}  // namespace detent
