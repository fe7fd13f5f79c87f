#include "pipeline/engines/dla/dla_files.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

std::string version_line(const char* spec, std::string_view calibrator) {
  const Target& target = find_target(spec);
  return (*target.engine.cache_version)(target, calibrator);
}

TEST(DlaFiles, LieBesideTheModel) {
  const DlaPaths paths = dla_paths("out/jetson.onnx");
  EXPECT_EQ(paths.cache, "out/jetson.cache");
  EXPECT_EQ(paths.arguments, "out/jetson.dla.txt");
}

TEST(DlaFiles, NameTheVersionAndTheCalibratorInTheCache) {
  EXPECT_EQ(version_line("tensorrt:dla", "mse"), "TRT-100700-EntropyCalibration2");
  EXPECT_EQ(version_line("tensorrt:8.6", "max"), "TRT-8600-MinMaxCalibration");
}

TEST(DlaFiles, AreCountedInTheNote) {
  const std::string note =
      dla_note({.cache = "out/jetson.cache", .scales = 7, .int8_layers = 1, .fp16_layers = 0, .gpu_layers = 2});
  EXPECT_NE(note.find("1 layer in INT8 and 0 in FP16, the GPU 2"), std::string::npos) << note;
  EXPECT_NE(note.find("jetson.cache has 7 scales"), std::string::npos) << note;
}

}  // namespace
}  // namespace detent
