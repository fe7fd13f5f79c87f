#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "model/model.h"
#include "model/qoperators.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> onnx_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST(SharedModels, EveryModelAndExportIsReadAndIndexed) {
  std::vector<fs::path> files = onnx_files(shared_folder() / "models");
  for (const fs::path& file : onnx_files(shared_folder() / "exports")) files.push_back(file);
  if (files.empty()) GTEST_SKIP() << "no models in " << shared_folder();
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const Model model = read_model(file);
    const Graph& graph = model.graph();
    EXPECT_FALSE(graph.nodes().empty());
    EXPECT_FALSE(graph.inputs().empty());
    EXPECT_FALSE(graph.outputs().empty());
    EXPECT_FALSE(is_quantized(graph));
    // Execution order: whatever a node reads was produced before it.
    for (const Node& node : graph.nodes())
      for (const ValueId input : present(node.inputs)) {
        const Node* producer = graph.producer(input);
        EXPECT_TRUE(!producer || producer->id < node.id) << node.name;
      }
  }
}

}  // namespace
}  // namespace detent
