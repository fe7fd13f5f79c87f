// Tests that one network written by two exporters gets one plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "model/model.h"
#include "place/make_plan.h"
#include "prepare/fold_batchnorm.h"
#include "prepare/plain_nodes.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

/// Counts the layers of each size that are INT8 and float. An exporter may write a Gemm where the other has MatMul and
/// Add.
using LayerCounts = std::map<std::pair<int64_t, bool>, int>;

LayerCounts coverage(const fs::path& file, const std::string& target) {
  Model model = read_model(file);
  forward_constants(model);
  fold_batchnorms(model);
  LayerCounts counts;
  for (const LayerDecision& layer : make_placement_plan(model.graph(), find_target(target), {}).layers) {
    const auto& inputs = model.graph().node(layer.node).inputs;
    int64_t weights = 0;
    for (const MaybeValue input : inputs)
      if (const Tensor* tensor = model.graph().constant(input)) weights = std::max(weights, tensor->element_count());
    ++counts[{weights, layer.runs_on_codes()}];
  }
  return counts;
}

class SharedExporters : public testing::TestWithParam<std::string> {};

TEST_P(SharedExporters, TheSameLayersAreInt8) {
  const fs::path folder = shared_folder() / "exports" / GetParam();
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  if (files.size() < 2) GTEST_SKIP() << "no two exports in " << folder;
  for (const std::string target : {"tensorrt", "onnxruntime"})
    EXPECT_EQ(coverage(files[0], target), coverage(files[1], target)) << target << ", " << files[0] << ", " << files[1];
}

INSTANTIATE_TEST_SUITE_P(, SharedExporters,
                         testing::Values("bert_mini", "conv3d_mini", "fpn_mini", "style_mini", "tcn1d", "vit_mini",
                                         "yolo_mini"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace detent
