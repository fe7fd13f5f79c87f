#include "core/files/content_hash.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/index.h"

namespace detent {

namespace {

static_assert(std::endian::native == std::endian::little, "blocks are read as little-endian words");

constexpr uint64_t kFirst = 0x87c37b91114253d5u, kSecond = 0x4cf5ad432745937fu;

uint64_t scrambled(uint64_t word, uint64_t before, int turn, uint64_t after) {
  return std::rotl(word * before, turn) * after;
}

uint64_t finished(uint64_t word) {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccdu;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53u;
  return word ^ (word >> 33);
}

}  // namespace

std::string Digest::hex() const { return fmt::format("{:016x}{:016x}", first, second); }

void ContentHash::add_block(const std::byte* block) {
  uint64_t words[2];
  std::memcpy(words, block, sizeof words);
  first_ ^= scrambled(words[0], kFirst, 31, kSecond);
  first_ = (std::rotl(first_, 27) + second_) * 5 + 0x52dce729;
  second_ ^= scrambled(words[1], kSecond, 33, kFirst);
  second_ = (std::rotl(second_, 31) + first_) * 5 + 0x38495ab5;
}

void ContentHash::add(std::span<const std::byte> bytes) {
  const size_t waiting = length_ % rest_.size();
  length_ += bytes.size();
  if (waiting > 0) {
    const size_t taken = std::min(bytes.size(), rest_.size() - waiting);
    std::copy_n(bytes.begin(), taken, rest_.begin() + as_extent(waiting));
    bytes = bytes.subspan(taken);
    if (waiting + taken < rest_.size()) return;
    add_block(rest_.data());
  }
  for (; bytes.size() >= rest_.size(); bytes = bytes.subspan(rest_.size())) add_block(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

void ContentHash::add_text(std::string_view text) {
  add_number(text.size());
  add(std::as_bytes(std::span(text)));
}

void ContentHash::add_number(uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }

Digest ContentHash::digest() const {
  uint64_t words[2] = {};
  std::memcpy(words, rest_.data(), length_ % rest_.size());
  uint64_t first = first_ ^ scrambled(words[0], kFirst, 31, kSecond) ^ length_;
  uint64_t second = second_ ^ scrambled(words[1], kSecond, 33, kFirst) ^ length_;
  first += second;
  second += first;
  first = finished(first);
  second = finished(second);
  first += second;
  return {first, second + first};
}

}  // namespace detent
