#include "report/output_errors.h"
#include "report/build/sections.h"
#include "report/text/document.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/lists.h"
#include "report/text/text.h"

namespace detent {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

const ErrorReport::Output kMask{"mask", 45.14, 0.99997, 0.9991, OutputKind::Scores};
const ErrorReport::Output kCopy{"copy", kUnlimited, 1.0};
const ErrorReport::Output kZeros{.name = "zeros"};

ErrorReport::Output integers(uint64_t differing) {
  return {.name = "ids",
          .agreement = 1 - static_cast<double>(differing) / 1600,
          .kind = OutputKind::Integers,
          .elements = 1600,
          .differing = differing};
}

std::string words_of(const ErrorReport::Output& output) { return plain_text(build::error_words(output)); }

std::string worst_of(const std::vector<ErrorReport::Output>& outputs) {
  return plain_text(build::worst_words({.outputs = outputs}));
}

TEST(ErrorWords, SaysWhatIsTrueOfEachKind) {
  EXPECT_EQ(words_of(kMask), "SQNR 45.1 dB, cosine 0.99997, argmax agreement 99.91 %");
  EXPECT_EQ(words_of({"y", -3, 0.5, 0.75, OutputKind::Signs}), "SQNR -3.0 dB, cosine 0.50000, sign agreement 75.00 %");
  EXPECT_EQ(words_of({"y", 20, 0.9}), "SQNR 20.0 dB, cosine 0.90000") << "numbers agree on nothing";
  EXPECT_EQ(words_of(kCopy), "exact");
  EXPECT_EQ(words_of(kZeros), "0 throughout in FP32");
  EXPECT_EQ(words_of(integers(3)), "3 of 1600 elements differ");
  EXPECT_EQ(words_of(integers(0)), "exact");
}

TEST(WorstWords, TellsAllOfASingleOutput) {
  EXPECT_EQ(worst_of({kMask}), words_of(kMask));
  EXPECT_EQ(worst_of({integers(3)}), "3 of 1600 elements differ");
}

TEST(WorstWords, NamesTheWorstOfSeveral) {
  EXPECT_EQ(worst_of({kCopy, kMask}), "SQNR 45.1 dB at 'mask', the worst of 2 outputs");
  EXPECT_EQ(worst_of({kCopy, integers(3)}), "3 of 1600 elements differ at 'ids', the worst of 2 outputs");
  EXPECT_EQ(worst_of({kCopy, integers(0)}), "none: all 2 outputs exact");
  EXPECT_EQ(worst_of({}), "no output could be compared");
}

TEST(WorstFirst, PutsExactOutputsAndZerosLast) {
  const auto sorted =
      worst_first({kZeros, kCopy, integers(3), kMask, {"nan", std::numeric_limits<double>::quiet_NaN()}});
  std::string names;
  for (const auto& output : sorted) names += output.name + " ";
  EXPECT_EQ(names, "nan mask ids copy zeros ");
}

TEST(OutputsText, HasALineForEachOfSeveralAndACap) {
  Listing capped(Lists::Capped), all(Lists::All);
  const auto text = [](const std::vector<ErrorReport::Output>& outputs, Listing& listing) {
    return to_text({document::Topic::Error, {build::outputs_table(outputs)}}, listing);
  };
  EXPECT_EQ(text({kMask}, capped), "") << "a sentence says the same";
  EXPECT_NE(text({kMask}, all), "");
  EXPECT_EQ(text({kCopy, kMask}, capped),
            "  Output      SQNR   Cosine  In words\n"
            "  mask    45.14 dB  0.99997  argmax agreement 99.91 %\n"
            "  copy       exact  1.00000  exact\n");
  EXPECT_EQ(capped.closing(), "");
  const std::vector<ErrorReport::Output> many(20, kMask);
  EXPECT_NE(text(many, capped).find("  and 12 more outputs\n"), std::string::npos);
  EXPECT_NE(capped.closing(), "") << "--all lists them";
  EXPECT_EQ(text(many, all).find("more outputs"), std::string::npos);
}

}  // namespace
}  // namespace detent
