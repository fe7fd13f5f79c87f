#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ModelText, NamesTypesAndShapesOfInputsAndOutputs) {
  ModelReport report{.model = "folder/net.onnx", .ir = 8, .opset = {{"", 17}}};
  report.inputs = {{"x", "float", {1, 3, -1}}, {"number", "int64", {}}};
  report.outputs = {{"y", "float", {}, false}, {"z", "undefined", {}, false}};
  EXPECT_THAT(to_text(report), HasSubstr("net.onnx  IR 8, opset 17\n"
                                         "  parameters  0\n"
                                         "  input       x  float 1x3x?\n"
                                         "  input       number  int64 scalar\n"
                                         "  output      y  float, shape not declared\n"
                                         "  output      z  not declared\n"));
}

TEST(ModelText, ListsNodesThatCannotRun) {
  ModelReport report;
  EXPECT_THAT(to_text(report), HasSubstr("every node can run\n"));
  report.unsupported = {{"loop", "Loop", "has no kernel"}};
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("1 node cannot run\n  node 'loop' (Loop): has no kernel\n"),
                                     Not(HasSubstr("every node"))));
}

TEST(ModelText, TellsTheProvenanceOfAWrittenModel) {
  ModelReport report;
  report.producer = "pytorch 2.1";
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  producer    pytorch 2.1\n"), Not(HasSubstr("calibrat"))));
  report.producer = "detent 0.1.0";
  report.provenance = Provenance{.producer = "detent 0.1.0", .target = "x86", .calibrator = "mse", .ranges = "ab"};
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  calibrator       mse\n  ranges           ab\n"),
                                     HasSubstr("  calibrated with  imported scales\n")));
}

TEST(ModelText, CountsExpandedOperators) {
  ModelReport report;
  EXPECT_THAT(to_text(report), Not(HasSubstr("expanded")));
  report.expanded = {{"LayerNormalization", 1}, {"com.microsoft.FusedConv", 3}};
  EXPECT_THAT(to_text(report), HasSubstr("  expanded    1 LayerNormalization, 3 com.microsoft.FusedConv\n"));
}

TableReport one_value() {
  TableReport report{.table = "folder/net.dct", .bytes = 512, .samples = {"a", "b"}};
  report.values = {{.name = "conv", .count = 8, .zeros = 2, .min = -1, .max = 3, .log2_width = -6, .bins_in_use = 5}};
  return report;
}

TEST(TableText, ListsTheValuesOfAnInspectedTable) {
  EXPECT_THAT(to_text(one_value()),
              AllOf(HasSubstr("net.dct  calibration table, 512 B\n"),
                    HasSubstr("  conv       8  25.0 %   -1    3   2^-6     5"), Not(HasSubstr("wrote"))));
}

TEST(TableText, SaysWhereAMadeTableIs) {
  const auto made = [](const TableReport& report) {
    return to_text(build::document_of(report, build::TableUse::Made), Lists::Capped);
  };
  TableReport report = one_value();
  EXPECT_TRUE(made(report).ends_with("\nwrote folder/net.dct (512 B)\n")) << made(report);
  EXPECT_THAT(made(report), Not(HasSubstr("-1    3")));
  report.kept = true;
  EXPECT_TRUE(made(report).ends_with("\nkept folder/net.dct (512 B)\n")) << made(report);
}

TEST(TableText, MarksImportedScalesAndValuesThatAreNotFinite) {
  TableReport report = one_value();
  report.values[0].nans = 1;
  report.values.push_back({.name = "imported", .scale = 0.125});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  1 NaN, 0 Inf\n"), HasSubstr("  imported  scale 0.125 (imported)\n")));
}

DistributionReport three_rows() {
  DistributionReport report{.table = "folder/net.dct", .value = one_value().values.front()};
  report.rows = {{-1, 0, 1}, {0, 1, 0}, {1, 2, 31}};  // log2(1 + count): 1, 0 and 5
  return report;
}

TEST(DistributionText, DrawsTheLogarithmOfEachRow) {
  EXPECT_EQ(to_text(three_rows()),
            "net.dct  distribution of 'conv'\n"
            "  8 elements, 2 zeros, min -1, max 3, 5 bins 2^-6 wide\n"
            "\nzeros left out; bars are logarithmic\n"
            "  from  to  elements\n"
            "    -1   0         1  ########\n"
            "     0   1         0\n"
            "     1   2        31  " +
                std::string(40, '#') + "\n");
}

TEST(DistributionText, SaysThatThereAreOnlyZerosAndWhatIsLeftOut) {
  DistributionReport report = three_rows();
  EXPECT_THAT(to_text(report), Not(HasSubstr("only zeros")));
  report.rows.clear(), report.value.nans = 3;
  EXPECT_THAT(to_text(report), HasSubstr(" wide\n  3 NaN and 0 Inf left out\n  only zeros\n"));
}

TEST(FindingsText, HasALineForEachKindWithItsLevels) {
  const std::vector<FindingInfo> kinds = {{"no-scale", "error", "a scale is missing"},
                                          {"slow", "note on qnn", "it is slow"}};
  EXPECT_EQ(to_text(kinds),
            "Findings\n"
            "  no-scale  a scale is missing (error)\n"
            "  slow      it is slow (note on qnn)\n"
            "\nsrc/place/RULES.md explains each of them\n");
}

}  // namespace
}  // namespace detent
