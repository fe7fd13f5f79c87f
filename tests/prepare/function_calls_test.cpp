#include "tests/model/onnx_protos.h"
// The protos come first: the header below needs them.
#include "prepare/function_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/memory_limit_guard.h"
#include "model/model.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

std::string function(int i, const std::string& body) {
  return " <domain: \"f\", opset_import: [\"\" : 13, \"f\" : 1]> f" + std::to_string(i) + " (a) => (b) { " + body +
         " }";
}

/// Returns a model in which f0 is called once, each function calls the next `calls` times, and the last is a Relu.
Model chain(int depth, int calls) {
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : 13, \"f\" : 1]> g (float[1,4] x) => (float[1,4] y) { y = f.f0 (x) }";
  for (int i = 0; i < depth; ++i) {
    std::string body, from = "a";
    for (int k = 0; k < calls; ++k) {
      const std::string to = k + 1 == calls ? "b" : "t" + std::to_string(k);
      body += to + " = f.f" + std::to_string(i + 1) + " (" + from + ") ";
      from = to;
    }
    text += function(i, body);
  }
  return parse_model_text(text + function(depth, "b = Relu (a)"));
}

std::string refusal(const Model& model) {
  const Error error = error_of<Error>([&] { check_calls(model.proto()); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  return error.what();
}

TEST(CheckCalls, AHundredFunctionsMayBeOpenAndNoMore) {
  EXPECT_NO_THROW(check_calls(chain(kDeepestCalls - 1, 1).proto()));
  EXPECT_THAT(refusal(chain(kDeepestCalls, 1)), HasSubstr("deeper than 100"));
}

TEST(CheckCalls, AMillionNodesMayComeOfThemAndNoMore) {
  EXPECT_NO_THROW(check_calls(chain(18, 2).proto()));  // 2^18 Relus, and as many calls less one
  EXPECT_THAT(refusal(chain(19, 2)), HasSubstr("more than 1000000 nodes"));
}

TEST(CheckCalls, NodesThatTheMemoryLimitDoesNotHoldAreRefusedBeforeTheyAreMade) {
  const Model model = chain(10, 2);  // 2^10 Relus, 2 (2^10 - 1) calls: 3070 nodes of 2 KiB, 6.29 MB
  const test::MemoryLimit enough(6'500'000);
  EXPECT_NO_THROW(check_calls(model.proto()));
  const test::MemoryLimit less(6'000'000);
  const Error error = error_of<Error>([&] { check_calls(model.proto()); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("a body of 3070 nodes, its calls replaced, takes 6.3 MB"));
  EXPECT_THAT(error.what(), HasSubstr("--max-memory"));
}

TEST(CheckCalls, ACircleIsRefusedWhereItIsCalledOnly) {
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 13, \"f\" : 1]> g (float[1,4] x) => (float[1,4] y) ";
  const std::string circle = function(0, "b = f.f1 (a)") + function(1, "b = f.f0 (a)");
  EXPECT_THAT(refusal(parse_model_text(head + "{ y = f.f0 (x) }" + circle)), HasSubstr("calls itself"));
  EXPECT_NO_THROW(check_calls(parse_model_text(head + "{ y = Relu (x) }" + circle).proto()));
  EXPECT_NO_THROW(check_calls(parse_model_text(head + "{ y = Relu (x) }").proto()));
}

}  // namespace
}  // namespace detent
