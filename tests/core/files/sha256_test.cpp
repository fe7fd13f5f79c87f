#include "core/files/sha256.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

// Vectors: NIST, "Examples with Intermediate Values", SHA-256; and the empty message.
TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, EveryLengthAroundABlockAndEveryByteCounts) {
  for (size_t length = 50; length < 70; ++length) {
    const std::string text(length, 'a');
    EXPECT_NE(sha256(text), sha256(text + 'a'));
    EXPECT_NE(sha256(text), sha256(text.substr(1) + 'b'));
  }
}

TEST(Sha256, InstructionsOfTheCpuGiveTheSameDigits) {
  std::string text;
  for (size_t i = 0; i < 1000; ++i) text += static_cast<char>(i * 131 % 251);
  for (const size_t length :
       {0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1000})  // one to three blocks, and many
    EXPECT_EQ(sha256(text.substr(0, length)), sha256(text.substr(0, length), Sha256Way::Portable)) << length;
}

}  // namespace
}  // namespace detent
