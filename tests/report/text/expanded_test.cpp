#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text/text.h"

namespace detent {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExpandedText, ReportsOfAModelAndOfARunCountOperators) {
  const std::map<std::string, int64_t> expanded{{"LayerNormalization", 1}, {"com.microsoft.FusedConv", 3}};
  ModelReport model;
  EXPECT_THAT(to_text(model), Not(HasSubstr("expanded")));
  model.expanded = expanded;
  EXPECT_THAT(to_text(model), HasSubstr("  expanded    1 LayerNormalization, 3 com.microsoft.FusedConv\n"));
  RunReport run;
  EXPECT_THAT(to_text(run), Not(HasSubstr("expanded")));
  run.expanded = expanded;
  EXPECT_THAT(to_text(run), HasSubstr("expanded 1 LayerNormalization, 3 com.microsoft.FusedConv\n"));
}

}  // namespace
}  // namespace detent
