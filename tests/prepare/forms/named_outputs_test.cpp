// Outputs of recurrent layers that Rockchip's compiler reads by their names.
#include "exec/same_outputs.h"
#include "prepare/forms/rknn_forms.h"
#include "prepare/prepare_model.h"

namespace detent {
namespace {

/// Returns how many outputs an LSTM has that is prepared for Rockchip's compiler: `y` and, with `cell`, the third one,
/// are those of the model. None has an empty name.
size_t outputs_in_rknn(const std::string& outputs, bool cell) {
  Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,1,2] x) => (float[2,1,1,1] y" +
      std::string(cell ? ", float[1,1,1] cell" : "") +
      ") <float[1,4,2] w = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}, float[1,4,1] r = {0.1, 0.2, 0.3, 0.4}> { " +
      outputs + " = LSTM <hidden_size = 1> (x, w, r) }");
  const std::vector<Tensor> inputs{wave_for_rknn({2, 1, 2})};
  const NamedOutputs before = outputs_of(model, inputs);
  prepare_model(model, find_target("rknn"));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << outputs;
  const Node& node = model.graph().nodes().front();
  for (size_t i = 0; i < node.outputs.size(); ++i) EXPECT_TRUE(node.outputs[i]) << i;
  return node.outputs.size();
}

// `prepare` leaves out states that nothing reads, by empty names, for all other engines.
TEST(NamedOutputs, NoOutputIsLeftOutByAnEmptyName) {
  EXPECT_EQ(outputs_in_rknn("y, hidden, unread", false), 1U);
  EXPECT_EQ(outputs_in_rknn("y, unread, cell", true), 3U);
  EXPECT_EQ(outputs_in_rknn("y", false), 1U);
}

}  // namespace
}  // namespace detent
