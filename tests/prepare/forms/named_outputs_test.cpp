// Outputs of recurrent layers that Rockchip's compiler reads by their names.
#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

std::string recurrent(const std::string& outputs) {
  return "(float[2,1,2] x) => (float[2,1,1,1] y) <float[1,4,2] w = {.1, .2, .3, .4, .5, .6, .7, .8}, float[1,4,1] r = "
         "{.1, .2, .3, .4}> { " +
         outputs + " = LSTM <hidden_size = 1> (x, w, r) }";
}

/// Returns the outputs that the first node names, empty ones too.
size_t outputs_in_rknn(const std::string& text) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g " + text);
  const std::vector<Tensor> inputs{wave_for_rknn({2, 1, 2})};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target("rknn"));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << text;
  const Node& node = model.graph().nodes().front();
  for (size_t i = 0; i < node.outputs.size(); ++i) EXPECT_TRUE(node.outputs[i]) << i;
  return node.outputs.size();
}

TEST(NamedOutputs, NoOutputIsLeftOutByAnEmptyName) {
  EXPECT_EQ(outputs_in_rknn(recurrent("y, , ")), 1U);
  EXPECT_EQ(outputs_in_rknn(recurrent("y, , last")), 3U);
  EXPECT_EQ(outputs_in_rknn(recurrent("y, last")), 2U);
}

}  // namespace
}  // namespace detent
