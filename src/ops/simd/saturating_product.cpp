#include "ops/simd/saturating_product.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/saturating_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {

// Highway 1.0 has no vpmaddubsw, so the instruction is named here.
#if HWY_TARGET <= HWY_AVX3
struct Block {  // 16 columns
  __m512i sums;
  HWY_INLINE Block() : sums(_mm512_setzero_si512()) {}  // written out: an implicit one is compiled for the oldest CPU
  HWY_INLINE void add(int32_t codes, const int8_t* weights) {
    const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi32(codes), _mm512_loadu_si512(weights));
    sums = _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
  HWY_INLINE void store(int32_t* out) const { _mm512_storeu_si512(out, sums); }
};
#elif HWY_TARGET <= HWY_AVX2
struct Block {
  __m256i low, high;
  HWY_INLINE Block() : low(_mm256_setzero_si256()), high(_mm256_setzero_si256()) {}
  HWY_INLINE void add(int32_t codes, const int8_t* weights) {
    const __m256i a = _mm256_set1_epi32(codes), ones = _mm256_set1_epi16(1);
    const auto* b = reinterpret_cast<const __m256i*>(weights);
    low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_maddubs_epi16(a, _mm256_loadu_si256(b)), ones));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_maddubs_epi16(a, _mm256_loadu_si256(b + 1)), ones));
  }
  HWY_INLINE void store(int32_t* out) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + 1, high);
  }
};
#else
struct Block {
  int32_t sums[kSaturatingColumns] = {};
  HWY_INLINE void add(int32_t codes, const int8_t* weights) {
    uint8_t a[kSaturatingRows];
    std::memcpy(a, &codes, sizeof a);
    for (size_t c = 0; c < kSaturatingColumns; ++c, weights += kSaturatingRows)
      for (size_t k = 0; k < kSaturatingRows; k += 2)
        sums[c] += std::clamp(a[k] * weights[k] + a[k + 1] * weights[k + 1], -32768, 32767);
  }
  HWY_INLINE void store(int32_t* out) const { std::memcpy(out, sums, sizeof sums); }
};
#endif

/// `kRows` rows by one block of columns, whose sums stay in registers.
template <size_t kRows>
HWY_INLINE void tile(const uint8_t* a, size_t quads, const int8_t* packed, int32_t* sums, size_t sums_row) {
  Block blocks[kRows];
  for (size_t q = 0; q < quads; ++q)
    for (size_t r = 0; r < kRows; ++r) {
      int32_t codes;
      std::memcpy(&codes, a + (r * quads + q) * kSaturatingRows, sizeof codes);
      blocks[r].add(codes, packed + q * kSaturatingColumns * kSaturatingRows);
    }
  for (size_t r = 0; r < kRows; ++r) blocks[r].store(sums + r * sums_row);
}

void multiply(const uint8_t* a, size_t rows, size_t quads, const int8_t* packed, size_t column_blocks, int32_t* sums) {
  constexpr size_t kRows = 8;
  const size_t row_bytes = quads * kSaturatingRows, sums_row = column_blocks * kSaturatingColumns;
  for (size_t block = 0; block < column_blocks; ++block) {
    const int8_t* weights = packed + block * quads * kSaturatingColumns * kSaturatingRows;
    int32_t* out = sums + block * kSaturatingColumns;
    size_t r = 0;
    for (; r + kRows <= rows; r += kRows) tile<kRows>(a + r * row_bytes, quads, weights, out + r * sums_row, sums_row);
    for (; r < rows; ++r) tile<1>(a + r * row_bytes, quads, weights, out + r * sums_row, sums_row);
  }
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(multiply);

void multiply_saturating(const uint8_t* a, size_t rows, size_t quads, const int8_t* packed, size_t column_blocks,
                         int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(multiply)(a, rows, quads, packed, column_blocks, sums);
}

}  // namespace detent
#endif
