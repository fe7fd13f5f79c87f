#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "datasets/base/csv.h"
#include "datasets/base/tensor_pb.h"
#include "datasets/data_files.h"
#include "datasets/images/image_transform.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SharedData : public ::testing::Test {
 protected:
  /// Skips the test, naming the path, when the reference data is missing.
  std::string need(const std::string& path) {
    const fs::path whole = shared_folder() / path;
    if (!fs::exists(whole)) missing_ = whole.string();
    return whole.string();
  }
  std::string missing_;
};

#define SKIP_IF_MISSING() \
  if (!missing_.empty()) GTEST_SKIP() << missing_ << " is missing"

TEST_F(SharedData, ImageFoldersHaveTheirImagesInNaturalOrder) {
  const std::vector<InputSpec> input{float_input("image", {-1, 3, 64, 64})};
  const auto faces = need("images/faces");
  const auto imagenet = need("images/imagenet/calib");
  const auto coco = need("images/coco");
  SKIP_IF_MISSING();
  const auto names = sample_names(*open_data(data({faces}, "unit"), input));
  std::vector<std::string> expected;
  for (const int number : {1, 10, 11, 12, 13, 15, 16, 17, 18, 19}) expected.push_back(std::to_string(number) + ".jpg");
  EXPECT_EQ(names, expected);
  EXPECT_EQ(open_data(data({imagenet}, "unit"), input)->size(), 100U);
  EXPECT_EQ(open_data(data({coco}, "unit"), input)->size(), 32U);
}

TEST_F(SharedData, LabelsNameTheImagesOfTheFolder) {
  const auto folder = need("images/imagenet/eval");
  const auto csv = need("images/imagenet/eval.csv");
  SKIP_IF_MISSING();
  const auto labels = read_labels(csv);
  ASSERT_EQ(labels.size(), 400U);
  const std::vector<InputSpec> input{float_input("image", {-1, 3, 224, 224})};
  auto names = sample_names(*open_data(data({folder}, "imagenet"), input));
  std::sort(names.begin(), names.end());
  for (const FileLabel& label : labels)
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), label.file)) << label.file;
}

TEST_F(SharedData, CifarHasTheMeanThatModelsAreNormalisedWith) {
  const auto folder = need("images/cifar10/eval");
  SKIP_IF_MISSING();
  const std::vector<InputSpec> input{float_input("image", {-1, 3, 32, 32})};
  const auto source = open_data(data({folder}, "unit"), input);
  ASSERT_EQ(source->size(), 2000U);
  std::array<double, 3> total{};
  for (size_t n = 0; n < source->size(); ++n) {
    const Tensor image = source->read(n).inputs[0];
    const auto pixels = image.data<float>();
    for (size_t i = 0; i < pixels.size(); ++i) total[i / 1024] += pixels[i] / 1024. / 2000;
  }
  // Tolerance: the published mean of the training set is .4914/.4822/.4465. An image's mean scatters by about .12
  // around it, so 2000 of them give .0027; four of these.
  EXPECT_NEAR(total[0], .4914, .011);
  EXPECT_NEAR(total[1], .4822, .011);
  EXPECT_NEAR(total[2], .4465, .011);
}

TEST_F(SharedData, EveryImageDecodesAndPasses) {
  const std::vector<InputSpec> fixed{float_input("image", {-1, 3, 224, 224})};
  const std::vector<InputSpec> letterboxed{float_input("images", {1, 3, 416, 416})};
  const auto imagenet = need("images/imagenet/calib");
  const auto coco = need("images/coco");
  SKIP_IF_MISSING();
  ::testing::internal::CaptureStderr();
  for (const auto& [folder, spec, inputs] :
       {std::tuple{imagenet, "imagenet", fixed}, std::tuple{coco, "yolox", letterboxed}}) {
    const auto source = open_data(data({folder}, spec), inputs);
    for (size_t i = 0; i < source->size(); ++i) {
      const Tensor tensor = source->read(i).inputs[0];
      EXPECT_EQ(tensor.shape()[2], inputs[0].shape[2]);
      for (const float value : tensor.data<float>()) ASSERT_TRUE(std::isfinite(value));
    }
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(SharedData, LatentsAreReadFromOneFileAndFromAFolder) {
  const auto one = need("models/occupancy3d/eval/latents.npy");
  const auto folder = need("models/occupancy3d/calib");
  const auto set = need("models/occupancy3d/test_data_set_0");
  SKIP_IF_MISSING();
  const std::vector<InputSpec> input{float_input("latent", {-1, 64, 4, 4, 4})};
  const auto latents = open_data(data({one}), input);
  EXPECT_EQ(latents->size(), 96U);
  EXPECT_EQ(latents->read(95).inputs[0].shape(), (Shape{1, 64, 4, 4, 4}));
  const auto calib = open_data(data({folder}), input);
  EXPECT_EQ(calib->size(), 64U);
  EXPECT_EQ(calib->sample_name(18), "latent_018.npy");
  EXPECT_EQ(calib->read(63).inputs[0].shape(), (Shape{1, 64, 4, 4, 4}));
  EXPECT_EQ(find_test_data_sets(fs::path(set).parent_path()).size(), 1U);
  EXPECT_EQ(open_data(data({set}), input)->read(0).inputs[0].shape(), (Shape{1, 64, 4, 4, 4}));
}

}  // namespace
}  // namespace detent
