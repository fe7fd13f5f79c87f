#include "observe/count_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "observe/count_elements.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::ScalableTag<int32_t>;
using Bits = hn::ScalableTag<uint32_t>;
constexpr size_t kMaxLanes = hn::MaxLanes(Floats());

constexpr uint32_t kSignBit = 0x80000000;
constexpr uint32_t kSmallestBits = 0x2b800000;  // 2^-40; bit patterns of magnitudes order as the magnitudes do
// Small enough that the CPU lists one chunk while it still counts the previous one.
constexpr size_t kChunk = 256;
// A list is filled up to a multiple of this: the CPU mispredicts the end of a loop that may end at any number.
constexpr size_t kCountStep = 16;
static_assert((kMaxElementsInTable / kChunk + 1) * (kChunk / kCountsPerBin + 1) <=
              std::numeric_limits<uint16_t>::max());
static_assert(kChunk % (2 * kMaxLanes) == 0 && 2 * kMaxLanes + kCountStep <= kListSlack);
static_assert(kCountStep <= kFirstPositive && kMaxLanes <= kFirstPositive && kCountStep % kCountsPerBin == 0);

/// The extremes of the elements seen so far, by bit pattern, one a lane: compared as signed and unsigned integers they
/// give the extremes of floats of both signs, and NaN and Inf as too large, for three instructions.
struct Seen {
  hn::Vec<Ints> largest;   ///< the greatest x >= 0, where there is one
  hn::Vec<Bits> lowest;    ///< the least x < 0, where there is one
  hn::Vec<Bits> smallest;  ///< the least x >= 0; where there is none, the greatest x < 0
  size_t non_zero = 0;

  Seen()
      : largest(hn::Set(Ints(), std::numeric_limits<int32_t>::min())), lowest(hn::Zero(Bits())),
        smallest(hn::Set(Bits(), std::numeric_limits<uint32_t>::max())) {}

  HWY_INLINE void Add(hn::Vec<Bits> bits) {
    largest = hn::Max(largest, hn::BitCast(Ints(), bits));
    lowest = hn::Max(lowest, bits);
    smallest = hn::Min(smallest, bits);
  }
  /// True when every magnitude has a bit pattern below `limit`.
  [[nodiscard]] HWY_INLINE bool Fits(uint32_t limit) const {
    const Ints di;
    // Without the sign bit the unsigned order of negative elements is the signed one.
    const auto negative = hn::BitCast(di, hn::Xor(lowest, hn::Set(Bits(), kSignBit)));
    return hn::AllTrue(di, hn::Lt(hn::Max(largest, negative), hn::Set(di, static_cast<int32_t>(limit))));
  }
  HWY_INLINE void TellExtremes(Counted& counted) const {
    const int32_t top = hn::GetLane(hn::MaxOfLanes(Ints(), largest));
    const uint32_t bottom = hn::GetLane(hn::MaxOfLanes(Bits(), lowest));
    const uint32_t nearest = hn::GetLane(hn::MinOfLanes(Bits(), smallest));
    counted.max = Value(top >= 0 ? static_cast<uint32_t>(top) : nearest);
    counted.min = Value(bottom >= kSignBit ? bottom : nearest);
  }

 private:
  static float Value(uint32_t bits) { return (bits & ~kSignBit) < kSmallestBits ? 0.0f : std::bit_cast<float>(bits); }
};

#if HWY_TARGET <= HWY_AVX3

/// Entries of a list as 32-bit integers whose upper half has no meaning, and a mask of those that count.
struct Entries {
  __m512i bins;
  __mmask16 counts;
};

/// Computes entries: the bin is the mantissa of |x| / width + 2^23, rounded towards zero: one multiply-add with the
/// term that selects the side.
HWY_INLINE Entries FindBins(__m512 x, __m512 inverse_width, Seen& seen) {
  const __m512i bits = _mm512_castps_si512(x);
  seen.Add(hn::Vec<Bits>{bits});
  constexpr uint32_t kTwoTo23 = 0x4b000000;
  const __m512i positive = _mm512_set1_epi32(static_cast<int>(kTwoTo23 + kFirstPositive));
  const __m512i negative = _mm512_set1_epi32(static_cast<int>(kSignBit | (kTwoTo23 + kFirstNegative)));
  constexpr int kSelect = 0xAC;  // first ? third : second
  const __m512i side = _mm512_ternarylogic_epi32(_mm512_srai_epi32(bits, 31), positive, negative, kSelect);
  const __m512 sum =
      _mm512_fmadd_round_ps(x, inverse_width, _mm512_castsi512_ps(side), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m512i twice = _mm512_add_epi32(bits, bits);  // shifts the sign out
  const __m512i least = _mm512_set1_epi32(static_cast<int>(2 * kSmallestBits));
  return {_mm512_castps_si512(sum), _mm512_cmp_epu32_mask(twice, least, _MM_CMPINT_NLT)};
}

HWY_INLINE uint16_t* ListSome(const Entries& some, uint16_t* bins) {
  const __m512i chosen = _mm512_maskz_compress_epi32(some.counts, some.bins);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(bins), _mm512_cvtepi32_epi16(chosen));
  return bins + hwy::PopCount(some.counts);
}

/// Does VPCOMPRESSW, of AVX-512 VBMI2, in assembly because the functions here are compiled for CPUs without it too.
HWY_INLINE __m512i CompressWords(__mmask32 mask, __m512i words) {
  __m512i packed;
  asm("vpcompressw %1, %0%{%2%}%{z%}" : "=v"(packed) : "v"(words), "Yk"(mask));
  return packed;
}

HWY_INLINE uint16_t* ListSome(const Entries& even, const Entries& odd, uint16_t* bins) {
  const __m512i low = _mm512_maskz_mov_epi32(even.counts, even.bins);
  const __m512i high = _mm512_maskz_slli_epi32(odd.counts, odd.bins, 16);
  const __m512i words = _mm512_mask_blend_epi16(0xaaaaaaaa, low, high);
  const __mmask32 counts = _mm512_test_epi16_mask(words, words);  // no entry is 0
  _mm512_storeu_si512(bins, CompressWords(counts, words));
  return bins + hwy::PopCount(counts);
}

/// Writes the entries of the `chunk` elements at `values` and returns where they end. chunk is a multiple of the lanes.
template <bool kCompressesWords>
HWY_INLINE uint16_t* ListChunk(const float* values, size_t chunk, float inverse_width, Seen& seen, uint16_t* bins) {
  const __m512 inverse = _mm512_set1_ps(inverse_width);
  uint16_t* const begin = bins;
  size_t i = 0;
  if constexpr (kCompressesWords)
    for (; i + 32 <= chunk; i += 32) {
      const Entries even = FindBins(_mm512_loadu_ps(values + i), inverse, seen);
      bins = ListSome(even, FindBins(_mm512_loadu_ps(values + i + 16), inverse, seen), bins);
    }
  for (; i < chunk; i += 16) bins = ListSome(FindBins(_mm512_loadu_ps(values + i), inverse, seen), bins);
  seen.non_zero += static_cast<size_t>(bins - begin);
  return bins;
}

#else

using Words = hn::Rebind<uint16_t, Ints>;

#if HWY_TARGET == HWY_AVX2

/// For each mask of eight words the bytes that move its words to the front, for PSHUFB.
struct Shuffles {
  alignas(16) uint8_t bytes[256][16];
};
constexpr Shuffles make_shuffles() {
  Shuffles shuffles{};
  for (size_t mask = 0; mask < 256; ++mask)
    for (size_t word = 0, to = 0; word < 8; ++word)
      if (mask >> word & 1) {
        shuffles.bytes[mask][to++] = static_cast<uint8_t>(2 * word);
        shuffles.bytes[mask][to++] = static_cast<uint8_t>(2 * word + 1);
      }
  return shuffles;
}
constexpr Shuffles kShuffles = make_shuffles();

HWY_INLINE uint16_t* ListSome(hn::Vec<Ints> bin, hn::Mask<Ints> counts, uint16_t* bins) {
  const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(hn::VecFromMask(Ints(), counts).raw)));
  const __m128i shuffle = _mm_load_si128(reinterpret_cast<const __m128i*>(kShuffles.bytes[mask]));
  const __m128i words = _mm_shuffle_epi8(hn::DemoteTo(Words(), bin).raw, shuffle);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bins), words);
  return bins + hwy::PopCount(mask);
}

#else

/// Leaves zeros in the list, as bins below kFirstPositive, one for each lane because zeros come in runs: Highway 1.0.3
/// leaves lanes out by a table that it copies to the stack for every vector under GCC 12.
HWY_INLINE uint16_t* ListSome(hn::Vec<Ints> bin, hn::Mask<Ints> counts, uint16_t* bins) {
  const auto entry = hn::IfThenElse(counts, bin, hn::Iota(Ints(), 0));
  hn::StoreU(hn::DemoteTo(Words(), entry), Words(), bins);
  return bins + hn::Lanes(Ints());
}

#endif

/// Writes the entries of the `chunk` elements at `values` and returns where they end. chunk is a multiple of the lanes.
template <bool kCompressesWords>
HWY_INLINE uint16_t* ListChunk(const float* values, size_t chunk, float inverse_width, Seen& seen, uint16_t* bins) {
  const Floats df;
  const Ints di;
  const Bits du;
  const auto inverse = hn::Set(df, inverse_width);
  size_t found = 0;
  for (size_t i = 0; i < chunk; i += hn::Lanes(df)) {
    const auto bits = hn::BitCast(du, hn::LoadU(df, values + i));
    seen.Add(bits);
    const auto magnitude = hn::BitCast(di, hn::AndNot(hn::Set(du, kSignBit), bits));
    const auto counts = hn::Gt(magnitude, hn::Set(di, static_cast<int32_t>(kSmallestBits) - 1));
    // A product by a power of two is exact, or so small that bin 0 is right anyway.
    const auto distance = hn::ConvertTo(di, hn::Mul(hn::BitCast(df, magnitude), inverse));
    constexpr int kSignToSide = 31 - 12;  // moves the sign bit to the distance of the sides
    const auto side = hn::And(hn::ShiftRight<kSignToSide>(bits), hn::Set(du, kFirstNegative - kFirstPositive));
    const auto bin = hn::Add(hn::Add(distance, hn::Set(di, kFirstPositive)), hn::BitCast(di, side));
    found += hn::CountTrue(di, counts);
    bins = ListSome(bin, counts, bins);
  }
  seen.non_zero += found;
  return bins;
}

#endif

/// Reads and overwrites up to kCountStep entries behind `end`.
HWY_INLINE void CountBins(const uint16_t* bins, uint16_t* end, uint16_t* table) {
  for (size_t i = 0; i < kCountStep; ++i) end[i] = static_cast<uint16_t>(i);  // no bins
  for (; bins < end; bins += kCountStep)
    for (size_t i = 0; i < kCountStep; ++i) ++table[kCountsPerBin * bins[i] + i % kCountsPerBin];
}

template <bool kCompressesWords>
Counted CountElementsBy(const float* values, size_t count, float inverse_width, uint32_t limit, uint16_t* table) {
  HWY_ALIGN uint16_t bins[kChunk + kListSlack];
  Counted counted;
  Seen seen;
  while (count - counted.elements >= hn::Lanes(Floats())) {
    const size_t rest = count - counted.elements;
    const size_t chunk = std::min(rest - rest % hn::Lanes(Floats()), kChunk);
    Seen with_chunk = seen;
    uint16_t* const end =
        ListChunk<kCompressesWords>(values + counted.elements, chunk, inverse_width, with_chunk, bins);
    if (!with_chunk.Fits(limit)) break;
    CountBins(bins, end, table);
    seen = with_chunk;
    counted.elements += chunk;
  }
  counted.non_zero = seen.non_zero;
  seen.TellExtremes(counted);
  return counted;
}

Counted CountElements(const float* values, size_t count, float inverse_width, uint32_t limit, bool compresses_words,
                      uint16_t* table) {
  return compresses_words ? CountElementsBy<true>(values, count, inverse_width, limit, table)
                          : CountElementsBy<false>(values, count, inverse_width, limit, table);
}

Counted ListBins(const float* values, size_t count, float inverse_width, uint32_t limit, bool compresses_words,
                 uint16_t* bins, size_t* end) {
  Counted counted;
  const size_t whole = count - count % hn::Lanes(Floats());
  Seen seen;
  const uint16_t* const last = compresses_words ? ListChunk<true>(values, whole, inverse_width, seen, bins)
                                                : ListChunk<false>(values, whole, inverse_width, seen, bins);
  if (whole == 0 || !seen.Fits(limit)) return {};
  *end = static_cast<size_t>(last - bins);
  counted.elements = whole;
  counted.non_zero = seen.non_zero;
  seen.TellExtremes(counted);
  return counted;
}

#if HWY_TARGET == HWY_SCALAR  // has no vectors of several 16-bit lanes
void FlushTable(uint16_t* table, uint64_t* counters, size_t bins) {
  for (size_t i = 0; i < bins; ++i)
    for (size_t j = 0; j < kCountsPerBin; ++j) counters[i] += std::exchange(table[kCountsPerBin * i + j], 0);
}
#else
void FlushTable(uint16_t* table, uint64_t* counters, size_t bins) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Repartition<uint16_t, decltype(d)> d16;
  const auto low16 = hn::Set(d, 0x0000ffff0000ffffull);
  const auto low32 = hn::Set(d, 0x00000000ffffffffull);
  for (size_t i = 0; i < bins; i += hn::Lanes(d)) {
    uint16_t* const counts = table + kCountsPerBin * i;
    const auto packed = hn::BitCast(d, hn::LoadU(d16, counts));
    // Most bins of a tail are empty, and the counters are seldom in cache.
    if (hn::AllTrue(d, hn::Eq(packed, hn::Zero(d)))) continue;
    hn::StoreU(hn::Zero(d16), d16, counts);
    const auto pairs = hn::Add(hn::And(packed, low16), hn::And(hn::ShiftRight<16>(packed), low16));
    const auto sum = hn::Add(hn::And(pairs, low32), hn::ShiftRight<32>(pairs));
    hn::StoreU(hn::Add(hn::LoadU(d, counters + i), sum), d, counters + i);
  }
}
#endif

}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(CountElements);
HWY_EXPORT(ListBins);
HWY_EXPORT(FlushTable);

namespace {

/// Returns the bit pattern of 4096 bins of width 2^log2_width; with the largest width the limit is Inf itself.
uint32_t limit_bits(int log2_width) { return static_cast<uint32_t>(127 + 12 + log2_width) << 23; }

}  // namespace

bool cpu_compresses_words() { return (hwy::SupportedTargets() & HWY_AVX3_DL) != 0; }

Counted count_elements(std::span<const float> values, int log2_width, bool compresses_words, uint16_t* table) {
  return HWY_DYNAMIC_DISPATCH(CountElements)(values.data(), values.size(), std::ldexp(1.0f, -log2_width),
                                             limit_bits(log2_width), compresses_words, table);
}

Counted list_bins(std::span<const float> values, int log2_width, bool compresses_words, uint16_t* bins, size_t& end) {
  return HWY_DYNAMIC_DISPATCH(ListBins)(values.data(), values.size(), std::ldexp(1.0f, -log2_width),
                                        limit_bits(log2_width), compresses_words, bins, &end);
}

void flush_table(uint16_t* table, uint64_t* counters, size_t bins) {
  HWY_DYNAMIC_DISPATCH(FlushTable)(table, counters, bins);
}

}  // namespace detent
#endif
