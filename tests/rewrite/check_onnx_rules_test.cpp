#include "rewrite/check_onnx_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WarningKeeper final : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view message) override { warnings.emplace_back(message); }
  std::vector<std::string> warnings;
};

Model opset17(const std::string& nodes) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float x, uint8 u, float s) => (float y) { " +
                          nodes + " }");
}

TEST(CheckOnnxRules, RefusesAFileThatNoEngineLoads) {
  const Model written = opset17("q = QuantizeLinear(u, s) y = DequantizeLinear(q, s)");
  WarningKeeper reporter;
  try {
    check_onnx_rules(written.graph(), "out.onnx", {}, reporter);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Internal);
    EXPECT_THAT(error.what(), HasSubstr("node 'QuantizeLinear_0' (QuantizeLinear): input 0, 'u', is uint8"));
    EXPECT_THAT(error.hint(), HasSubstr("defect of Detent"));
  }
}

TEST(CheckOnnxRules, TellsTheUserOfAFaultThatTheModelHasItself) {
  const Model source = opset17("y = Add(x, u)"), written = opset17("y = Add(x, u) z = Neg(x)");
  WarningKeeper reporter;
  check_onnx_rules(written.graph(), "out.onnx", find_graph_faults(source.graph()), reporter);
  EXPECT_THAT(reporter.warnings, ElementsAre(HasSubstr("node 'Add_0' (Add): input 1, 'u', is uint8")));
  const Model other = opset17("y = Add(x, u) z = Add(u, x)");
  EXPECT_THROW(check_onnx_rules(other.graph(), "out.onnx", find_graph_faults(source.graph()), reporter), Error);
}

TEST(CheckOnnxRules, BlamesTheModelForAFaultBesidePairs) {
  const Model source = opset17("q = QuantizeLinear(u, s) y = DequantizeLinear(q, s)");
  WarningKeeper reporter;
  try {
    check_onnx_rules(source.graph(), "out.onnx", find_graph_faults(source.graph()), reporter);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
    EXPECT_THAT(error.what(), HasSubstr("breaks a rule of ONNX: node 'QuantizeLinear_0' (QuantizeLinear): input 0"));
  }
  EXPECT_THAT(reporter.warnings, IsEmpty());
}

TEST(CheckOnnxRules, HasNothingToSayOfAGoodFile) {
  WarningKeeper reporter;
  check_onnx_rules(opset17("q = QuantizeLinear(x, s) y = DequantizeLinear(q, s)").graph(), "out.onnx", {}, reporter);
  EXPECT_THAT(reporter.warnings, IsEmpty());
}

}  // namespace
}  // namespace detent
