#include "report/html/page.h"
#include "report/html/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/page.h"

namespace detent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(PageOrigin, TellsCommandModelDigestAndVersionsAndNoDateUnlessThereIsOne) {
  PageOrigin origin{"detent plan 'a <b>.onnx'", "detent 1\nONNX 2\n", "folder/a.onnx", {"e3b0", {}}, {}, ""};
  const std::string html = html::origin_section(origin);
  EXPECT_THAT(html, AllOf(HasSubstr("detent plan &#39;a &lt;b&gt;.onnx&#39;"), HasSubstr("detent 1, ONNX 2<"),
                          HasSubstr(">a.onnx<"), Not(HasSubstr("folder/")), HasSubstr("<code>e3b0</code>")));
  EXPECT_THAT(html, Not(HasSubstr(">Date<")));
  origin.date = "2026-11-23 04:47 UTC";
  EXPECT_THAT(html::origin_section(origin), HasSubstr("<th scope=\"row\">Date</th><td>2026-11-23 04:47 UTC"));
}

TEST(PageOrigin, TellsWeightsBesideTheModelAndTheDataThatWasRead) {
  PageOrigin origin;
  origin.files.weights = {{"a<1>.data", 2'400'000'000, "0123"}};
  origin.data = {{"Calibration data", 1, "4567"}, {"Evaluation data", 0, ""}};
  const std::string html = html::origin_section(origin);
  EXPECT_THAT(html, HasSubstr("Weights beside it</th><td>a&lt;1&gt;.data, 2.40 GB, digest <code>0123</code>"));
  EXPECT_THAT(html, HasSubstr("Calibration data</th><td>1 sample, digest <code>4567</code>"));
  EXPECT_THAT(html, Not(HasSubstr("Evaluation data")));
}

TEST(PageOrigin, IsLeftOutWhereNothingIsKnownAndTheCommandStaysAsItWasTyped) {
  EXPECT_EQ(html::origin_section({}), "");
  PlanReport plan;
  plan.coverage.type = CodeType::Fp8;
  EXPECT_THAT(to_html(plan), Not(HasSubstr("id=\"origin\"")));
  EXPECT_THAT(to_html(plan, {.command = "detent plan INT8.onnx --type fp8"}), HasSubstr("detent plan INT8.onnx"));
}

}  // namespace
}  // namespace detent
