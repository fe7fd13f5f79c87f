#pragma once

#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent::test {

/// A ResNet-18 with three YOLO heads, as PyTorch's exporter writes it with pytorch-quantization: pairs in front of
/// every Conv and nowhere else, names of modules. BatchNormalizations of shortcuts read their numbers from Identity
/// nodes.
class DetectorPairs {
 public:
  DetectorPairs()
      : model_(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,3,64,64] input) => (float[1,8,a,b] y1, float[1,8,c,d] y2, float[1,8,e,f] y3)
<float s = {0.1}, int8 z = {0}, float[4] scales = {1, 1, 2, 2}> {
  y1 = Identity (input)  y2 = Identity (input)  y3 = Identity (input) })")) {
    patch_.reason = "write the detector";
    for (const Node& node : model_.graph().nodes()) patch_.remove_nodes.push_back(node.name);
    std::string value = conv("/backbone/conv1", "input", 3, 2);
    value = op("Relu", "/backbone/relu/Relu", {value});
    value = op("MaxPool", "/backbone/maxpool/MaxPool", {value},
               {{"kernel_shape", std::vector<int64_t>{3, 3}},
                {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                {"strides", std::vector<int64_t>{2, 2}}});
    std::vector<std::string> stages;
    for (int stage = 1; stage <= 4; ++stage) {
      for (int i = 0; i < 2; ++i) value = block(stage, i, value);
      stages.push_back(value);
    }
    value = head("detect1", stages[3], "y1");
    value = head("detect2", joined("", "conv1", value, stages[2]), "y2");
    head("detect3", joined("_1", "conv2", value, stages[1]), "y3");
    apply_patch(model_, patch_);
  }

  [[nodiscard]] const Model& model() const { return model_; }

 private:
  std::string op(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                 std::vector<Attribute> attributes = {}, std::string output = {}) {
    if (output.empty()) output = name + "_output_0";
    patch_.add_nodes.push_back({type, name, inputs, {output}, std::move(attributes), ""});
    return output;
  }
  std::string pair(const std::string& name, const std::string& value) {
    return op("DequantizeLinear", name + "/DequantizeLinear",
              {op("QuantizeLinear", name + "/QuantizeLinear", {value, "s", "z"}), "s", "z"});
  }
  /// Adds a Conv with 8 kernels of one element, and its pairs.
  std::string conv(const std::string& name, const std::string& value, int64_t in = 8, int64_t stride = 1,
                   const std::string& output = {}) {
    const std::string weight = name + ".weight";
    patch_.add_initializers.emplace_back(weight, Tensor(DataType::Float32, Shape{8, in, 1, 1}));
    return op("Conv", name + "/Conv",
              {pair(name + "/_input_quantizer", value), pair(name + "/_weight_quantizer", weight)},
              {{"strides", std::vector<int64_t>{stride, stride}}}, output);
  }
  std::string normalized(const std::string& name, const std::string& value) {
    std::vector<std::string> inputs{value};
    for (const char* part : {"weight", "bias", "mean", "var"}) {
      const std::string constant = name + "." + part;
      patch_.add_initializers.emplace_back(constant, Tensor::from<float>(Shape{8}, std::vector<float>(8, 1)));
      inputs.push_back(op("Identity", constant + "/Identity", {constant}));
    }
    return op("BatchNormalization", name + "/BatchNormalization", inputs);
  }
  std::string block(int stage, int index, const std::string& input) {
    const std::string layer = "layer" + std::to_string(stage);
    const std::string name = "/backbone/" + layer + "/" + layer + "." + std::to_string(index);
    const int64_t stride = stage > 1 && index == 0 ? 2 : 1;
    const std::string inner = op("Relu", name + "/relu/Relu", {conv(name + "/conv1", input, 8, stride)});
    const std::string main = conv(name + "/conv2", inner);
    const std::string down = name + "/downsample/downsample.";
    const std::string shortcut = stride == 1 ? input : normalized(down + "1", conv(down + "0", input, 8, stride));
    return op("Relu", name + "/relu_1/Relu", {op("Add", name + "/Add", {main, shortcut})});
  }
  std::string leaky(const std::string& name, const std::string& value, int64_t in = 8) {
    return op("LeakyRelu", name + "/relu/LeakyRelu", {conv(name + "/conv", value, in)});
  }
  /// Returns the value that the next stage reads.
  std::string head(const std::string& name, std::string value, const std::string& output) {
    for (int i = 1; i <= 5; ++i)
      value = leaky("/neck/" + name + "/conv" + std::to_string(i), value, i == 1 && name != "detect1" ? 16 : 8);
    conv("/neck/" + name + "/conv7", leaky("/neck/" + name + "/conv6", value), 8, 1, output);
    return value;
  }
  std::string joined(const std::string& number, const std::string& name, const std::string& value,
                     const std::string& stage) {
    const std::string resized = op("Resize", "/neck/Resize" + number, {leaky("/neck/" + name, value), "", "scales"});
    return op("Concat", "/neck/Concat" + number, {resized, stage}, {{"axis", int64_t{1}}});
  }

  Model model_;
  GraphPatch patch_;
};

}  // namespace detent::test
