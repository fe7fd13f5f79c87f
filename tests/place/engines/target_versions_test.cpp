#include "place/engines/target_versions.h"

#include <gtest/gtest.h>

#include "detent/base/error.h"

namespace detent {
namespace {

TEST(TargetVersions, HaveTheFactsOfTheNearestOlderOne) {
  EXPECT_EQ(find_target("tensorrt:10.3").spec(), "tensorrt:10.0");
  EXPECT_EQ(find_target("tensorrt:10.9").spec(), "tensorrt:10.8");
  EXPECT_EQ(find_target("tensorrt:10.16").spec(), "tensorrt:10.13");
  EXPECT_EQ(find_target("tensorrt:11.4").spec(), "tensorrt:11.0");
  EXPECT_EQ(find_target("tensorrt:9").spec(), "tensorrt:8.6");
  EXPECT_EQ(find_target("onnxruntime:1.32").spec(), "onnxruntime:1.30");
}

TEST(TargetVersions, OfOnnxRuntimeRefuseNewerOpsetsBelowTheDefault) {
  const std::pair<const char*, int64_t> cases[] = {{"1.16", 19}, {"1.17", 20}, {"1.18", 21}, {"1.20", 21},
                                                   {"1.22", 22}, {"1.23", 23}, {"1.24", 25}, {"1.29", 26}};
  for (const auto& [version, newest] : cases) {
    const Target& target = find_target(std::string("onnxruntime:") + version);
    EXPECT_TRUE(target.parser.refuses_newer) << version;
    EXPECT_EQ(target.newest_opset(), newest) << version;
  }
  EXPECT_FALSE(find_target("onnxruntime").parser.refuses_newer);
  EXPECT_FALSE(find_target("onnxruntime:1.32").parser.refuses_newer);
  EXPECT_EQ(target_note("onnxruntime:1.20"),
            "onnxruntime:1.20 is not in the list of targets: the facts of onnxruntime:1.19, the nearest older version, "
            "hold");
  EXPECT_EQ(target_note("onnxruntime:1.16"), "");
}

TEST(TargetVersions, WithoutCodesOf4BitsAreRefusedWithTheNearestThatHasThem) {
  for (const char* spec : {"onnxruntime:1.16", "onnxruntime:1.18"}) {
    try {
      check_takes_4bit_codes(find_target(spec), "--type int8");
      ADD_FAILURE() << spec;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
      EXPECT_EQ(error.hint(), "--target onnxruntime:1.19, the nearest version that takes them, or --type int8");
    }
  }
  for (const char* spec : {"onnxruntime:1.19", "onnxruntime:1.20", "onnxruntime", "openvino:cpu"})
    EXPECT_NO_THROW(check_takes_4bit_codes(find_target(spec), "--type int8")) << spec;
}

TEST(TargetVersions, BelowTheOldestHaveItsFactsWithinTheRange) {
  EXPECT_EQ(find_target("tensorrt:8.5").spec(), "tensorrt:8.6");
  EXPECT_EQ(
      target_note("tensorrt:8.5"),
      "tensorrt:8.5 is not in the list of targets: the facts of tensorrt:8.6, the oldest version that is known, hold");
}

TEST(TargetVersions, OutsideTheRangeAreRefused) {
  for (const char* spec : {"tensorrt:8.4", "tensorrt:11.5", "tensorrt:12", "onnxruntime:1.15", "onnxruntime:2.0",
                           "tensorrt:10.", "tensorrt:10.x", "tensorrt:jetpack4", "openvino:2026.4"}) {
    EXPECT_EQ(nearest_target(spec), nullptr) << spec;
    EXPECT_THROW(static_cast<void>(find_target(spec)), Error) << spec;
  }
}

/// The hint of the refusal; empty for a target that there is.
std::string hint_of(const char* spec) {
  try {
    static_cast<void>(find_target(spec));
    return {};
  } catch (const Error& error) {
    return error.hint();
  }
}

TEST(TargetVersions, ThatAreRefusedGetTheNearestNamed) {
  EXPECT_EQ(hint_of("onnxruntime:1.15"), "--target onnxruntime:1.16, the nearest that is known");
  EXPECT_EQ(hint_of("qnn:1.20"), "--target qnn:1.30, the nearest that is known");
  EXPECT_EQ(hint_of("tensorrt:12"), "--target tensorrt:11.0, the nearest that is known");
  EXPECT_EQ(hint_of("openvino:2024.2"), "--target openvino:cpu, the nearest that is known");
  EXPECT_EQ(hint_of("openvino:gpu"), "");
  EXPECT_EQ(hint_of("openvinoo:2024.2").find("the nearest that is known"), std::string::npos);
}

TEST(TargetVersions, OfJetPackAreThoseThatItShips) {
  EXPECT_EQ(find_target("tensorrt:jetpack5").spec(), "tensorrt:8.6");
  EXPECT_EQ(find_target("tensorrt:jetpack6").spec(), "tensorrt:10.0");
  EXPECT_EQ(find_target("tensorrt:jetpack7").spec(), "tensorrt:10.13");
  EXPECT_EQ(
      target_note("tensorrt:jetpack6"),
      "tensorrt:jetpack6 (tensorrt 10.3) is not in the list of targets: the facts of tensorrt:10.0, the nearest older "
      "version, hold");
  EXPECT_EQ(target_note("tensorrt:jetpack7"), "");
}

TEST(TargetVersions, OfTheListHaveNoNote) {
  for (const Target& target : target_list()) EXPECT_EQ(target_note(target.spec()), "") << target.spec();
  EXPECT_EQ(target_note("tensorrt:10"), "");
  EXPECT_EQ(target_note("tensorrt"), "");
}

}  // namespace
}  // namespace detent
