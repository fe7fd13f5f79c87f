#include "report/text/aligned.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

Table two_rows() {
  return {.columns = {{"name", Kind::Name}, {"ms"}, {"why", Kind::Words}},
          .rows = {{{{"convolution"}, {"1.5"}, {"big"}}, "best"}, {{{"add"}, {"10.25"}, {}}}}};
}

TEST(TextTable, AlignsColumnsAndMarksTheBestRow) {
  EXPECT_EQ(to_text(two_rows()),
            "  name            ms  why\n"
            "* convolution    1.5  big\n"
            "  add          10.25\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  Table table = two_rows();
  table.rows[1].cells[0].text = "\u00e9\u00e9";
  EXPECT_NE(to_text(table).find("  \u00e9\u00e9           10.25"), std::string::npos) << to_text(table);
}

TEST(TextTable, HasNoHeadWhereNoColumnHasOne) {
  EXPECT_EQ(to_text({.columns = {{"", Kind::Name}, {""}}, .rows = {{{{"a"}, {"1"}}}}}), "  a  1\n");
  EXPECT_EQ(to_text({.columns = {{"", Kind::Name}, {""}}}), "");
}

TEST(TextTable, KeepsAColumnAtItsWidthAndNeverCutsACell) {
  const Table table{.columns = {{"n", Kind::Name, "", 4, 4}, {"x", Kind::Number, "", 3}},
                    .rows = {{{{"longer"}, {"1"}}}, {{{"a"}, {"22"}}}}};
  EXPECT_EQ(to_text(table), "  n       x\n  longer    1\n  a      22\n");
}

}  // namespace
}  // namespace detent
