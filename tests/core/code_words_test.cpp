#include "core/code_words.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

TEST(InWordsOf, ReplacesTheWordAndNothingThatHoldsIt) {
  EXPECT_EQ(in_words_of(CodeType::Fp8, "INT8 costs 1 dB; all INT8."), "FP8 costs 1 dB; all FP8.");
  EXPECT_EQ(in_words_of("INT4", "(INT8)"), "(INT4)");
  EXPECT_EQ(in_words_of("INT4", "UINT8, INT8x, INT8_T"), "UINT8, INT8x, INT8_T");
  EXPECT_EQ(in_words_of("INT4", ""), "");
  EXPECT_EQ(in_words_of(CodeType::Fp8, "'net/INT8/x' feeds INT8 'INT8' of the engine's INT8"),
            "'net/INT8/x' feeds FP8 'INT8' of the engine's FP8");
}

TEST(InWordsOf, LeavesASentenceOfINT8AsItIs) {
  EXPECT_EQ(in_words_of(CodeType::Int8, "INT8 costs"), "INT8 costs");
  EXPECT_EQ(in_words_of("INT8", "INT8 costs"), "INT8 costs");
}

}  // namespace
}  // namespace detent
