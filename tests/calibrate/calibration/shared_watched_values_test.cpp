#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "calibrate/calibration.h"
#include "calibrate/from_table.h"
#include "detent/base/data_source.h"
#include "model/model.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

/// Tables for one target, for another and for all must be equal to the bit for a value.
TEST(SharedWatchedValues, DoNotDependOnWhatElseIsMeasured) {
  if (!fs::is_directory(shared_folder() / "models")) GTEST_SKIP() << "no shared folder with models";
  size_t models = 0;
  for (const char* part : {"models", "exports"}) {
    for (const auto& entry : fs::recursive_directory_iterator(shared_folder() / part)) {
      if (entry.path().extension() != ".onnx") continue;
      Model model = read_float_model(entry.path());
      prepare_model(model, default_target());
      const Graph& graph = model.graph();
      std::vector<InputSpec> inputs = input_specs(graph);
      for (InputSpec& input : inputs)
        for (size_t axis = 0; axis < input.shape.size(); ++axis)
          if (input.shape[axis] < 0) input.shape[axis] = axis == 0 ? 1 : 64;
      const auto source = open_data({.sources = {"random:normal,n=1"}}, inputs);
      const std::vector<ValueId> every = values_to_measure(graph, {}, {});
      const Pass all = measure(graph, every, *source, {});
      for (const std::string target : {"tensorrt", "onnxruntime"}) {
        const std::vector<ValueId> some = values_to_measure(graph, std::span(&target, 1), {});
        const Pass pass = measure(graph, some, *source, {});
        for (const ValueId value : some) {
          ASSERT_TRUE(std::ranges::binary_search(every, value)) << entry.path() << " " << graph.value(value).name;
          EXPECT_EQ(pass.collector.histogram(value), all.collector.histogram(value))
              << entry.path() << " " << target << " " << graph.value(value).name;
        }
      }
      ++models;
    }
  }
  EXPECT_GE(models, 20U);
}

}  // namespace
}  // namespace detent
