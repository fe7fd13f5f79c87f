#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/run.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Writes a model with a window of three rows over the first axis of x.
std::filesystem::path windowed(const TemporaryFolder& folder, const std::string& first) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[" +
      first +
      ", 1, 1, 3] x) => (float[1, 1, U, 3] y)\n"
      "<float[1, 1, 3, 1] k = {1, 1, 1}, int64[4] s = {1, 1, -1, 3}> {\n  r = Reshape (x, s)\n  y = Conv (r, k) }");
  std::filesystem::path path = folder.path() / "model.onnx";
  write_model(model, path, {});
  return path;
}

DataOptions rows(int64_t count) {
  Tensor x(DataType::Float32, {count, 1, 1, 3});
  for (float& one : x.mutable_data<float>()) one = 1;
  DataOptions data;
  data.arrays = {x};
  return data;
}

TEST(InputsWithoutSamples, AreThoseWhoseAxisCuresTheError) {
  const TemporaryFolder folder;
  EXPECT_THAT(inputs_without_samples(windowed(folder, "T"), rows(8)), ElementsAre("x"));
}

TEST(InputsWithoutSamples, AreNoneWhereTheAxisIsNotToBlame) {
  const TemporaryFolder folder;
  const std::filesystem::path model = windowed(folder, "T");
  EXPECT_THAT(inputs_without_samples(model, {}), IsEmpty()) << "no data";
  EXPECT_THAT(inputs_without_samples(folder.path() / "none.onnx", rows(8)), IsEmpty()) << "no model";
  DataOptions named = rows(8);
  named.batch_axes = {"x=none"};
  EXPECT_THAT(inputs_without_samples(model, named), IsEmpty()) << "it runs";
}

}  // namespace
}  // namespace detent
