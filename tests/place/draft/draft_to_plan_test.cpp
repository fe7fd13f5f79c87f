#include <gtest/gtest.h>

#include "model/named_node.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"

namespace detent::test {
namespace {

/// Returns the reason for the skip of a residual Add, which names the Conv in front of the Add.
std::string reason_for_skip(CodeType type, const std::string& conv) {
  Model model = parse_model_text(fill_tensors(R"(<ir_version: 8, opset_import: ["" : 19]>
    g (float[N,32,8,8] x) => (float[N,32,8,8] y)
    <float[32,32,3,3] w = {...}>
    {
      a = Conv <pads = [1,1,1,1]> (x, w)
      ar = Relu (a)
      b = Conv <pads = [1,1,1,1]> (ar, w)
      s = Add (b, x)
      y = Relu (s)
    })"));
  name_node(model, "b", conv);
  PlacementRequest request;
  request.type = type;
  const PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), request, {});
  const Graph& graph = model.graph();
  return plan.find_edge(graph.producer(*graph.find_value("s"))->id, 1)->reason;
}

std::string skip_of(const std::string& conv, const std::string& type) {
  return "skip of a residual Add: its precision decides whether the kernel of Conv '" + conv +
         "' and this Add can write " + type;
}

TEST(ReasonsOfAPlan, NameItsTypeOfCodesAndLeaveNamesOfNodesAlone) {
  // A quote inside the last name ends nothing.
  for (const char* conv : {"INT8_head", "INT8", "net/INT8/FP8", "head' INT8 'tail"}) {
    EXPECT_EQ(reason_for_skip(CodeType::Fp8, conv), skip_of(conv, "FP8"));
    EXPECT_EQ(reason_for_skip(CodeType::Int8, conv), skip_of(conv, "INT8"));
  }
}

}  // namespace
}  // namespace detent::test
