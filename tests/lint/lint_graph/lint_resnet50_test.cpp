#include <gtest/gtest.h>

#include <algorithm>

#include "detent/detent.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "ops/traits.h"
#include "place/resnet50_graph.h"

// Case C7, the finished file: lint of a quantized ResNet-50, and of one whose shortcuts carry no pairs.
namespace detent {
namespace {

std::vector<std::string> found(const LintReport& report) {
  std::vector<std::string> lines;
  for (const auto& finding : report.findings) lines.push_back(finding.level + " " + finding.id);
  return lines;
}

void quantize(const TemporaryFolder& folder) {
  write_model(*test::ResNet50().model, folder / "float.onnx");
  QuantizeOptions options;
  options.model = folder / "float.onnx";
  options.output = folder / "model.onnx";
  options.data.sources = {"random:normal,n=1"};
  options.calibrator = "max";
  options.error_samples = 1;
  (void)quantize_model(options);
}

TEST(LintResNet50, HasAllConvolutionsInInt8AndANoteAboutItsProduct) {
  const TemporaryFolder folder;
  quantize(folder);
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  EXPECT_EQ(report.plan.coverage.layers, 54);
  EXPECT_EQ(report.plan.coverage.int8_layers, 53) << "all except the product of one row at the end (R10)";
  EXPECT_EQ(found(report), std::vector<std::string>{"note layer-float-by-rule"});
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
      patch.rewire.push_back({node.name, static_cast<int>(slot), graph.value(*quantize->inputs[0]).name});
    }
  }
  ASSERT_EQ(patch.rewire.size(), 16U) << "one skip a block";
  apply_patch(model, patch);
  write_model(model, folder / "flawed.onnx");
  const LintReport report = lint_model({.model = folder / "flawed.onnx", .target = "tensorrt", .shapes = {}});
  EXPECT_EQ(std::ranges::count(found(report), "warning skip-not-quantized"), 16);
  double share = 0;
  for (const auto& finding : report.findings) {
    if (finding.level != "note") {
      EXPECT_EQ(finding.id, "skip-not-quantized") << finding.message;
    }
    if (finding.id == "skip-not-quantized") share += finding.mac_share;
  }
  // The last convolution of each block: in an identity block 4 of 4 + 9 + 4 products, less where a shortcut projects.
  EXPECT_GT(share, 0.1);
  EXPECT_LT(share, 4.0 / 17);
}

}  // namespace
}  // namespace detent
