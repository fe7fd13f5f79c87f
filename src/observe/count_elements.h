#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace detent {

/// The counts of a bin in the table that takes elements fastest: four interleaved 16-bit counts, so that equal
/// neighbours do not wait for each other's store. Element j of a chunk goes to count j % 4 of its bin.
inline constexpr size_t kCountsPerBin = 4;
/// Bins 4096..8191 hold positive elements, 8192..12287 negative ones. A few bins below take elements that fall into no
/// bin (zeros, where leaving them out is slower than counting them) and are never read.
inline constexpr size_t kFirstPositive = 4096;
inline constexpr size_t kFirstNegative = 8192;
inline constexpr size_t kBinsInTable = 12288;

/// Statistics of a run of elements.
struct Counted {
  size_t elements = 0;     ///< taken from the front
  size_t non_zero = 0;     ///< of these, with 2^-40 <= |x|
  float min = 0, max = 0;  ///< of these, |x| < 2^-40 taken as +0; meaningless when elements == 0
};

/// The most elements in one table; more could overflow a 16-bit count.
inline constexpr size_t kMaxElementsInTable = 250'000;

/// True with AVX-512 VBMI2 (Highway's AVX3_DL), which the two functions below may use together with AVX-512. Asks
/// the CPU: in a virtual machine that takes tens of microseconds.
bool cpu_compresses_words();

/// Counts elements into `table` (kCountsPerBin * kBinsInTable counts) until one does not fit: NaN, Inf, or 4096 bins of
/// width 2^log2_width or more from 0. Stops at most a few hundred elements short of it, and leaves a rest of less than
/// one vector at the end. Reads each element once.
/// Input   at most kMaxElementsInTable elements into a table of zeros.
/// Dispatched at run time to the widest vectors of the CPU.
Counted count_elements(std::span<const float> values, int log2_width, bool compresses_words, uint16_t* table);

/// Room in a list of bins beyond its elements.
inline constexpr size_t kListSlack = 64;

/// Writes the bin of each non-zero element to `bins`, in any order and as numbered in the table (below kFirstPositive:
/// no bin), and sets `end` to their number. Takes all elements except a rest of less than one vector, or none if they
/// do not fit.
/// Input   room in `bins` for as many elements as `values` has and kListSlack more.
/// For few elements: incrementing counters by this list needs no table that must be emptied.
Counted list_bins(std::span<const float> values, int log2_width, bool compresses_words, uint16_t* bins, size_t& end);

/// Adds table[4*i] + ... + table[4*i+3], which become 0, to counters[i]. `bins` is a multiple of 64.
void flush_table(uint16_t* table, uint64_t* counters, size_t bins);

}  // namespace detent
