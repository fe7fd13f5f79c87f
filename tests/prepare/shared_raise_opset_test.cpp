#include <gtest/gtest.h>

#include "detent/base/data_source.h"
#include "exec/same_outputs.h"
#include "model/model.h"
#include "prepare/raise_opset.h"
#include "run/open_samples.h"
#include "shared_folder.h"

// Raising the opset must not change a model's outputs: real models run before and after on a real sample.
namespace detent {
namespace {

namespace fs = std::filesystem;

struct Raise {
  std::string name, model, data, preprocess;
  int64_t from, to;
};

void PrintTo(const Raise& raise, std::ostream* out) { *out << raise.name; }

class SharedRaisedOpset : public testing::TestWithParam<Raise> {};

TEST_P(SharedRaisedOpset, SaysTheSameOnARealSample) {
  const fs::path shared = shared_folder();
  const Raise& raise = GetParam();
  if (!fs::exists(shared / raise.model)) GTEST_SKIP() << "missing " << shared / raise.model;
  const Model before = read_model(shared / raise.model);
  ASSERT_EQ(before.graph().opset(), raise.from);
  DataOptions data;
  data.sources = {(shared / raise.data).string()};
  data.preprocess = raise.preprocess;
  const auto source = open_samples(parse_samples(data), before);
  const std::vector<Tensor> inputs{source->read(0).inputs.at(0)};

  const NamedOutputs said = outputs_of(before, inputs);
  ASSERT_FALSE(said.tensors.empty());
  Model after = before.clone();
  raise_opset(after, raise.to);
  EXPECT_EQ(after.graph().opset(), raise.to);
  EXPECT_NO_THROW(check_same_outputs(said, after, inputs, "raising the opset"));
}

INSTANTIATE_TEST_SUITE_P(
    Shared, SharedRaisedOpset,
    testing::Values(Raise{"face_from_9_to_13", "models/face_rfb320/model_opset9.onnx", "images/faces",
                          "raw,mean=127/127/127,std=128/128/128", 9, 13},
                    Raise{"face_from_9_to_19", "models/face_rfb320/model_opset9.onnx", "images/faces",
                          "raw,mean=127/127/127,std=128/128/128", 9, 19},
                    Raise{"yolox_from_11_to_13", "models/coco_yolox_nano/model_opset11.onnx", "images/coco", "yolox",
                          11, 13},
                    Raise{"mobilenet_from_12_to_19", "models/imagenet_mobilenetv2/model_opset12.onnx",
                          "images/imagenet/calib", "imagenet", 12, 19},
                    Raise{"half_unet_from_17_to_19", "models/shapes_unet/model_fp16_opset17.onnx",
                          "models/shapes_unet/calib", "unit,mean=.485/.456/.406,std=.229/.224/.225", 17, 19}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace detent
