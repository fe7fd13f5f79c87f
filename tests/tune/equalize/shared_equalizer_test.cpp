#include <gtest/gtest.h>

#include "calibrate/from_table.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "equalize/equalization.h"
#include "exec/same_outputs.h"
#include "model/model.h"
#include "pipeline/shared_samples.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "tune/equalize/equalize_model.h"
#include "tune/equalize/equalizer.h"

// Every family leaves the outputs of every shared model as they are, on samples that were not measured.
namespace detent {
namespace {

Model prepared(const std::filesystem::path& file) {
  Model model = read_float_model(file);
  prepare_model(model, default_target());
  return model;
}

TEST(SharedEqualize, EveryFamilyLeavesTheOutputsOfEveryModel) {
  if (shared_models().empty()) GTEST_SKIP() << "missing " << shared_folder() / "models";
  size_t equalized = 0;
  for (const auto& file : shared_models()) {
    const Model model = prepared(file);
    const auto measured = two_samples_of(file, model, 1), others = two_samples_of(file, model, 2);
    const RunSettings settings;
    const std::vector<Tensor> inputs = read_first_inputs(*measured, settings);
    const std::vector<Tensor> unseen = read_first_inputs(*others, settings);
    const Equalizer equalizer(model, inputs, *measured, settings, {});
    const NamedOutputs said = outputs_of(model, unseen);
    for (const EqualizeFamily family : kEqualizeFamilies) {
      const std::vector<EqualizeItem> items{{family, 0.5}};
      if (equalizer.equalization(items).empty()) continue;
      ++equalized;
      const Model after = equalizer.equalized(items);
      EXPECT_NO_THROW(check_same_outputs(said, after, unseen, std::string(name_of(family)))) << short_name(file);
    }
  }
  EXPECT_GE(equalized, 20U);
}

}  // namespace
}  // namespace detent
