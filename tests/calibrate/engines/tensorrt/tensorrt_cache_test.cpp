#include "calibrate/engines/tensorrt/tensorrt_cache.h"

#include <gtest/gtest.h>

#include <bit>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

TEST(TensorRtCache, IsReadToTheBit) {
  const TensorRtCache cache = parse_tensorrt_cache(
      "TRT-8601-EntropyCalibration2\ninput: 3c010a14\n(Unnamed Layer* 1) [Constant]: x: 3F800000\r\n\n");
  EXPECT_EQ(cache.version_line, "TRT-8601-EntropyCalibration2");
  ASSERT_EQ(cache.scales.size(), 2U);
  EXPECT_EQ(std::bit_cast<uint32_t>(cache.scales.at("input")),
            0x3c010a14U);  // the usual scale of an image: 2 / 127 / 2
  EXPECT_EQ(cache.scales.at("(Unnamed Layer* 1) [Constant]: x"), 1.0F);
}

TEST(TensorRtCache, ComesBackAsItWasWritten) {
  const TensorRtCache cache{"TRT-101300-MinMaxCalibration", {{"a: b", 0.1F}, {"c", 1e-30F}, {"d", 0.0F}}};
  const TensorRtCache back = parse_tensorrt_cache(format_tensorrt_cache(cache));
  EXPECT_EQ(back.version_line, cache.version_line);
  EXPECT_EQ(back.scales, cache.scales);
}

std::string refusal_of_text(const std::string& text) {
  const Error error = error_of<Error>([&] { static_cast<void>(parse_tensorrt_cache(text)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  return error.what();
}

TEST(TensorRtCache, NamesTheLineThatIsWrong) {
  EXPECT_NE(refusal_of_text("x: 3f800000\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal_of_text("TRT-8601-EntropyCalibration2\nx 3f800000\n").find("line 2"), std::string::npos);
  EXPECT_NE(refusal_of_text("TRT-8601-EntropyCalibration2\nx: 3f8000\n").find("line 2"), std::string::npos);
  EXPECT_NE(refusal_of_text("TRT-8601-EntropyCalibration2\n\nx: 3f8000zz\n").find("line 3"), std::string::npos);
  EXPECT_NE(refusal_of_text("TRT-8601-EntropyCalibration2\nx: bf800000\n").find("positive"), std::string::npos);
  EXPECT_NE(refusal_of_text("TRT-8601-EntropyCalibration2\nx: 7f800000\n").find("finite"), std::string::npos);
  EXPECT_NE(refusal_of_text("TRT-8601-EntropyCalibration2\nx: 3f800000\nx: 3f800001\n").find("'x'"), std::string::npos);
  EXPECT_NE(refusal_of_text("").find("empty"), std::string::npos);
}

}  // namespace
}  // namespace detent
