#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detent/data_source.h"
#include "pipeline/equalize_model.h"
#include "pipeline/prepare_model.h"
#include "pipeline/quantize_report.h"
#include "pipeline/table_calibration.h"
#include "shared_folder.h"

// Equalization is exact: every family of every shared model says the same before and after, on samples that were not
// measured.
namespace detent {
namespace {

namespace fs = std::filesystem;

/// Samples of a model: real ones where it is particular, else random numbers.
std::unique_ptr<DataSource> samples_of(const fs::path& file, const Graph& graph, int seed) {
  DataOptions data;
  if (file.string().find("ppocr") != std::string::npos) {
    data.sources = {(shared_folder() / "images/ocr").string()};
    data.preprocess = "imagenet,resize=320x320,crop=320x320";
    data.limit = 2;
  } else {
    data.sources = {"random:normal,n=2,seed=" + std::to_string(seed)};
  }
  return open_data(data, input_specs(graph));
}

TEST(SharedEqualize, EveryFamilyLeavesTheOutputsOfEveryModel) {
  if (!fs::exists(shared_folder() / "models")) GTEST_SKIP() << "missing " << shared_folder() / "models";
  size_t equalized = 0;
  for (const char* folder : {"models", "exports"})
    for (const auto& entry : fs::recursive_directory_iterator(shared_folder() / folder)) {
      if (entry.path().extension() != ".onnx") continue;
      const std::string name = entry.path().parent_path().filename().string() + "/" + entry.path().filename().string();
      Model model = read_float_model(entry.path());
      prepare_model(model, preparing_target());
      const auto measured = samples_of(entry.path(), model.graph(), 1),
                 others = samples_of(entry.path(), model.graph(), 2);
      const RunSettings settings;
      const std::vector<Tensor> inputs = read_first_inputs(*measured, model.graph(), settings);
      const std::vector<Tensor> unseen = read_first_inputs(*others, model.graph(), settings);
      const Equalizer equalizer(model, inputs, *measured, settings, {});
      const NamedOutputs said = outputs_of(model, unseen);
      for (const EqualizeFamily family : kEqualizeFamilies) {
        const Equalization equalization = equalizer.equalization({{family, 0.5}});
        if (equalization.empty()) continue;
        ++equalized;
        const Model after = equalizer.equalized(equalization);
        EXPECT_NO_THROW(check_same_outputs(said, after, unseen, std::string(name_of(family)))) << name;
      }
    }
  EXPECT_GE(equalized, 20U);
}

}  // namespace
}  // namespace detent
