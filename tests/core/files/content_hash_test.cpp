#include "core/files/content_hash.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

std::string hex_of(std::string_view text) {
  ContentHash hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.digest().hex();
}

// Digests that the author's program prints for MurmurHash3_x64_128 with seed 0.
TEST(ContentHash, EqualsThePublishedDigests) {
  EXPECT_EQ(hex_of(""), "00000000000000000000000000000000");
  EXPECT_EQ(hex_of("hello"), "cbd8a7b341bd9b025b1e906a48ae1d19");
  EXPECT_EQ(hex_of("The quick brown fox jumps over the lazy dog"), "e34bbc7bbc071b6c7a433ca9c49a9347");
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  const std::string text = "The quick brown fox jumps over the lazy dog, twice and again";
  for (size_t piece = 1; piece < text.size(); ++piece) {
    ContentHash hash;
    for (size_t at = 0; at < text.size(); at += piece)
      hash.add(std::as_bytes(std::span(text).subspan(at, std::min(piece, text.size() - at))));
    EXPECT_EQ(hash.digest().hex(), hex_of(text)) << piece;
  }
}

TEST(ContentHash, TellsTextsFromTheirConcatenation) {
  ContentHash one, two;
  one.add_text("ab");
  one.add_text("c");
  two.add_text("a");
  two.add_text("bc");
  EXPECT_NE(one.digest(), two.digest());
}

TEST(ContentHash, MayGoOnAfterADigest) {
  ContentHash hash;
  hash.add(std::as_bytes(std::span(std::string_view("hel"))));
  static_cast<void>(hash.digest());
  hash.add(std::as_bytes(std::span(std::string_view("lo"))));
  EXPECT_EQ(hash.digest().hex(), hex_of("hello"));
}

}  // namespace
}  // namespace detent
