#include <gmock/gmock.h>

#include <cmath>

#include "nesting_fault.h"
#include "report/html/document.h"

namespace detent::html {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns a plot of a file with 20 dB, one with 30 dB, which is marked, and an exact one.
document::Scatter three_points() {
  document::Scatter plot{.x_title = "SQNR in dB",
                         .y_title = "ms",
                         .at_infinity = "exact",
                         .label = "ms over SQNR",
                         .mark = "the written file",
                         .others = "other files",
                         .reference = 1,
                         .reference_meaning = "time of the float model"};
  plot.points = {{.x = 20, .y = 0.5, .words = "default: 0.5 ms", .label = "default"},
                 {.x = 30, .y = 0.25, .words = "variant: 0.25 ms", .label = "written", .marked = true},
                 {.x = INFINITY, .y = 1, .words = "float: 1 ms", .label = "float"}};
  return plot;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Scatter, PlacesPointsOnBothAxes) {
  // 8 % of margin: x from 19.2 to 30.8 over 86 % of the width, so 20 lies at 0.8 / 11.6 * 86 % = 5.93 %, 30 at 80.07
  // %. y from 0.19 to 1.06 over 240 px, so 0.25 lies at 0.81 / 0.87 * 240 = 223.4, 0.5 at 154.5, 1 at 16.6.
  const std::string html = drawing_markup(three_points());
  EXPECT_EQ(nesting_fault("<!doctype html><html><body>" + html + "<script>"), "");
  EXPECT_THAT(html, HasSubstr("<circle class=\"before\" cx=\"5.93%\" cy=\"154.5\" r=\"4.5\"><title>default: 0.5 ms"));
  EXPECT_THAT(html, HasSubstr("<circle class=\"after\" cx=\"80.07%\" cy=\"223.4\" r=\"6\"><title>variant: 0.25 ms"));
  EXPECT_THAT(html, HasSubstr("<line class=\"reference\" x2=\"100%\" y1=\"16.6\" y2=\"16.6\"/>"));
}

TEST(Scatter, PutsExactPointsBehindAnEdge) {
  const std::string html = drawing_markup(three_points());
  EXPECT_THAT(html, HasSubstr("<circle class=\"before\" cx=\"93%\" cy=\"16.6\" r=\"4.5\"><title>float: 1 ms"));
  EXPECT_THAT(html, AllOf(HasSubstr("<line class=\"edge\" x1=\"86%\" x2=\"86%\""), HasSubstr(">exact</text>")));
  document::Scatter finite = three_points();
  finite.points.pop_back();
  EXPECT_THAT(drawing_markup(finite), AllOf(Not(HasSubstr("exact")), Not(HasSubstr("class=\"edge\""))));
}

TEST(Scatter, OfExactPointsAloneHasNoTicksOfX) {
  document::Scatter plot = three_points();
  plot.points.erase(plot.points.begin(), plot.points.begin() + 2);
  const std::string html = drawing_markup(plot);
  EXPECT_THAT(html, HasSubstr(">exact</text>"));
  EXPECT_THAT(html, Not(HasSubstr(">0.5</text>"))) << "of an axis from -1 to 1";
}

TEST(Scatter, ExplainsItsMarks) {
  const std::string html = drawing_markup(three_points());
  EXPECT_THAT(html, AllOf(HasSubstr("</svg>the written file</span>"), HasSubstr("</svg>other files</span>"),
                          HasSubstr("</svg>time of the float model</span>")));
  document::Scatter plain = three_points();
  for (auto& point : plain.points) point.marked = false;
  plain.reference = NAN;
  EXPECT_THAT(drawing_markup(plain), AllOf(Not(HasSubstr("the written file")), Not(HasSubstr("class=\"reference\""))));
}

TEST(Scatter, LeavesOutPointsWithoutANumber) {
  document::Scatter plot = three_points();
  plot.points[0].x = NAN, plot.points[1].y = NAN;
  EXPECT_EQ(count_of(drawing_markup(plot), "<title>"), 1U);
  plot.points[2].x = NAN;
  EXPECT_EQ(drawing_markup(plot), "");
  EXPECT_EQ(drawing_markup(document::Scatter{}), "");
}

TEST(Scatter, LeavesOutALabelThatWouldCoverAnother) {
  document::Scatter plot = three_points();
  EXPECT_EQ(count_of(drawing_markup(plot), "class=\"name\""), 3U);
  plot.points.push_back({.x = 29, .y = 0.26, .words = "cast: 0.26 ms", .label = "cast"});
  const std::string html = drawing_markup(plot);
  EXPECT_THAT(html, AllOf(HasSubstr(">written</text>"), Not(HasSubstr(">cast</text>")))) << "marked ones come first";
  EXPECT_EQ(count_of(html, "class=\"name\""), 3U);
}

TEST(Scatter, EscapesEveryText) {
  document::Scatter plot = three_points();
  plot.label = "<b>\"", plot.points[0].words = plot.points[1].label = plot.x_title = plot.y_title = "<b>";
  const std::string html = drawing_markup(plot);
  EXPECT_EQ(nesting_fault("<!doctype html><html><body>" + html + "<script>"), "");
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
}

}  // namespace
}  // namespace detent::html
