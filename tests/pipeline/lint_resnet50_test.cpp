#include <gtest/gtest.h>

#include "detent/detent.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "ops/operator.h"

// Case C7: ResNet-50, a quarter as wide. 7x7 stem, MaxPool, blocks of 1x1, 3x3, 1x1 with a shortcut in stages of 3, 4, 6, 3.
namespace detent {
namespace {

class ResNet50 {
 public:
  ResNet50() : model_(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,64,64] x) => (float[N,64] y) { end = Relu (x) pooled = GlobalAveragePool (end) y = Flatten (pooled) })")) {
    patch_.reason = "the layers of ResNet-50";
    patch_.remove_nodes = {model_.graph().nodes()[0].name};
    std::string value = relu(conv("x", 3, kWidth, 7, 2));
    value = node("MaxPool", {value}, {{"kernel_shape", std::vector<int64_t>{3, 3}},
                                      {"strides", std::vector<int64_t>{2, 2}},
                                      {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
    int64_t in = kWidth;
    const int64_t blocks[] = {3, 4, 6, 3};
    for (int64_t stage = 0; stage < 4; ++stage)
      for (int64_t i = 0; i < blocks[stage]; ++i) {
        const int64_t width = kWidth << stage;
        value = block(value, in, width, stage > 0 && i == 0 ? 2 : 1, i == 0);
        in = 4 * width;
      }
    patch_.add_nodes.back().outputs = {"end"};
    apply_patch(model_, patch_);
  }

  [[nodiscard]] const Model& model() const { return model_; }

 private:
  static constexpr int64_t kWidth = 16;

  std::string node(const std::string& op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {}) {
    const std::string name = op + std::to_string(patch_.add_nodes.size());
    patch_.add_nodes.push_back({op, name, std::move(inputs), {name + "_out"}, std::move(attributes), ""});
    return name + "_out";
  }

  std::string relu(const std::string& value) { return node("Relu", {value}); }

  std::string conv(const std::string& value, int64_t in, int64_t out, int64_t kernel, int64_t stride) {
    Tensor weight(DataType::Float32, Shape{out, in, kernel, kernel});
    auto numbers = weight.mutable_data<float>();
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.05F * static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
    const std::string name = "w" + std::to_string(patch_.add_initializers.size());
    patch_.add_initializers.emplace_back(name, std::move(weight));
    const int64_t pad = kernel / 2;
    return node("Conv", {value, name},
                {{"strides", std::vector<int64_t>{stride, stride}}, {"pads", std::vector<int64_t>{pad, pad, pad, pad}}});
  }

  std::string block(const std::string& value, int64_t in, int64_t width, int64_t stride, bool projects) {
    const std::string shortcut = projects ? conv(value, in, 4 * width, 1, stride) : value;
    std::string branch = relu(conv(value, in, width, 1, 1));
    branch = relu(conv(branch, width, width, 3, stride));
    branch = conv(branch, width, 4 * width, 1, 1);
    return relu(node("Add", {branch, shortcut}));
  }

  GraphPatch patch_;
  Model model_;
};

std::vector<std::string> found(const LintReport& report) {
  std::vector<std::string> lines;
  for (const auto& finding : report.findings) lines.push_back(finding.level + " " + finding.id);
  return lines;
}

void quantize(const TemporaryFolder& folder) {
  write_model(ResNet50().model(), folder / "float.onnx");
  QuantizeOptions options;
  options.model = folder / "float.onnx";
  options.output = folder / "model.onnx";
  options.data.sources = {"random:normal,n=1"};
  options.calibrator = "max";
  options.error_samples = 1;
  (void)quantize_model(options);
}

TEST(LintResNet50, HasAllLayersInInt8AndANoteAboutItsStem) {
  const TemporaryFolder folder;
  quantize(folder);
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  EXPECT_EQ(report.plan.coverage.layers, 53);
  EXPECT_EQ(report.plan.coverage.int8_layers, 53);
  ASSERT_EQ(found(report), std::vector<std::string>{"note stem-conv-maxpool"});
  EXPECT_NE(report.findings[0].message.find("% of the activation bytes"), std::string::npos) << report.findings[0].message;
}

TEST(LintResNet50, MissesThePairOfEverySkip) {
  const TemporaryFolder folder;
  quantize(folder);
  Model model = read_model(folder / "model.onnx");
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "the Adds read floats";
  for (const Node& node : graph.nodes()) {
    if (traits_of(graph, node).kind != OpKind::Add) continue;
    for (size_t slot = 0; slot < 2; ++slot) {
      const Node* dequantize = graph.producer(node.inputs[slot]);
      if (traits_of(graph, *dequantize).kind != OpKind::DequantizeLinear) continue;
      const Node* quantize = graph.producer(dequantize->inputs[0]);
      patch.rewire.push_back({node.name, static_cast<int>(slot), graph.value(quantize->inputs[0]).name});
    }
  }
  ASSERT_EQ(patch.rewire.size(), 16U) << "one skip a block";
  apply_patch(model, patch);
  write_model(model, folder / "flawed.onnx");
  const LintReport report = lint_model({.model = folder / "flawed.onnx", .target = "tensorrt", .shapes = {}});
  std::vector<std::string> lines = found(report);
  EXPECT_EQ(std::ranges::count(lines, "warning skip-not-quantized"), 16);
  double share = 0;
  for (const auto& finding : report.findings) {
    if (finding.level != "note") {
      EXPECT_EQ(finding.id, "skip-not-quantized") << finding.message;
    }
    if (finding.id == "skip-not-quantized") share += finding.mac_share;
  }
  EXPECT_GT(share, 0.1);  // the last convolution of each block: 4 of 17 products of an identity block
  EXPECT_LT(share, 0.5);
}

}  // namespace
}  // namespace detent
