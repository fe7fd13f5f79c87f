#include "core/sha256.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace detent {
namespace {

constexpr size_t kBlock = 64;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<uint32_t, 8>;

void add_block(const char* block, State& state) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 64; ++i) {
    if (i < 16) {
      for (size_t j = 0; j < 4; ++j) w[i] = w[i] << 8 | static_cast<unsigned char>(block[4 * i + j]);
      continue;
    }
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25), choice = (e & f) ^ (~e & g);
    const uint32_t t1 = h + s1 + choice + kRound[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22), majority = (a & b) ^ (a & c) ^ (b & c);
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + s0 + majority;
  }
  const State added{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint64_t bits = 8 * static_cast<uint64_t>(bytes.size());
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add_block(bytes.data(), state);
  // The rest, one set bit, zeros, and the length in the last 8 bytes of one or two blocks.
  std::array<char, 2 * kBlock> last{};
  std::ranges::copy(bytes, last.begin());
  last[bytes.size()] = static_cast<char>(0x80);
  const size_t end = bytes.size() + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (size_t i = 0; i < 8; ++i) last[end - 1 - i] = static_cast<char>(bits >> (8 * i) & 0xFF);
  for (size_t at = 0; at < end; at += kBlock) add_block(last.data() + at, state);
  std::string digits;
  for (const uint32_t word : state) digits += fmt::format("{:08x}", word);
  return digits;
}

}  // namespace detent
