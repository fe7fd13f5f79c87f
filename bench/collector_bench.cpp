// Counts one activation tensor into its histogram. Names: collector/DATA/ELEMENTS; collector/DATA/ELEMENTS/SET with
// another instruction set than the CPU's best; merge/PAIR_OF_RANGES. count/WAY: from a list of bins that is ready, ways
// to count it; `store` only writes to each bin and is the bound of all that count in memory.
#include <benchmark/benchmark.h>
#include <hwy/targets.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstddef>
#include <map>
#include <span>

#include "bench_data.h"
#include "observe/collector.h"

namespace detent::bench {
namespace {

constexpr size_t kSmall[] = {64, 512, 2048, 8192};  // the cost of one call
constexpr size_t kInCache = size_t{1} << 14;
constexpr size_t kOutOfCache = size_t{1} << 24;
constexpr int64_t kBestTarget = 0;

void choose_instructions(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void collect(benchmark::State& state, Kind kind, size_t elements, int64_t target) {
  choose_instructions(target);
  const Tensor tensor = random_tensor(Shape{static_cast<int64_t>(elements)}, kind);
  const ValueId watched[] = {ValueId{0}};
  Collector collector(Graph{}, watched);
  collector.observe(watched[0], tensor);  // the bins have grown before the clock starts
  for (auto _ : state) collector.observe(watched[0], tensor);
  benchmark::DoNotOptimize(collector.histogram(watched[0]).count());
  const auto total = static_cast<double>(elements) * static_cast<double>(state.iterations());
  state.counters["B/s"] = benchmark::Counter(total * sizeof(float), benchmark::Counter::kIsRate);
  // Seconds an element: google benchmark prints it with its prefix, 250p is 0.25 ns.
  state.counters["s/element"] =
      benchmark::Counter(total, benchmark::Counter::Flags(benchmark::Counter::kIsRate | benchmark::Counter::kInvert));
  choose_instructions(kBestTarget);
}

/// Merges two workers' histograms of one value; with `factor` 1 their bins are equally wide.
void merge(benchmark::State& state, float factor) {
  std::vector<float> values = random_floats(kInCache, Kind::Dense);
  Histogram other;
  other.add(values);
  for (float& x : values) x *= factor;
  Histogram histogram;
  histogram.add(values);
  for (auto _ : state) histogram.merge(other);
  benchmark::DoNotOptimize(histogram.count());
}

/// Returns the bins of nearly normal elements, below kListedBins.
constexpr size_t kListedBins = 4096;
std::vector<uint32_t> listed_bins() {
  std::vector<uint32_t> bins;
  for (const float x : random_floats(kInCache, Kind::Dense))
    bins.push_back(std::min<uint32_t>(static_cast<uint32_t>(std::abs(x) * 1000), kListedBins - 1));
  return bins;
}

/// Adds one to a count of each bin. kCopies counts a bin take neighbours in turn.
template <typename Count, size_t kCopies>
void increment(std::span<const uint32_t> bins, std::byte* table) {
  auto* counts = reinterpret_cast<Count*>(table);
  for (size_t i = 0; i < bins.size(); i += kCopies)
    for (size_t j = 0; j < kCopies; ++j) ++counts[kCopies * bins[i + j] + j];
}

void store(std::span<const uint32_t> bins, std::byte* table) {
  auto* counts = reinterpret_cast<uint16_t*>(table);
  for (size_t i = 0; i < bins.size(); i += 2)
    for (size_t j = 0; j < 2; ++j) counts[2 * bins[i + j] + j] = static_cast<uint16_t>(i);
}

#if defined(__x86_64__)
/// Sixteen bins at once, by AVX-512CD: how often a bin stands before each lane, gather, add, scatter.
__attribute__((target("avx512f,avx512cd,avx512vpopcntdq"))) void scatter(std::span<const uint32_t> bins,
                                                                         std::byte* table) {
  for (size_t i = 0; i < bins.size(); i += 16) {
    const __m512i at = _mm512_loadu_si512(bins.data() + i);
    const __m512i before = _mm512_popcnt_epi32(_mm512_conflict_epi32(at));
    const __m512i counts = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, at, table, 4);
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(counts, before), _mm512_set1_epi32(1));
    _mm512_i32scatter_epi32(table, at, sum, 4);  // of equal bins the last lane, with the largest sum, is written
  }
}
#endif

void count(benchmark::State& state, void (*way)(std::span<const uint32_t>, std::byte*)) {
  const std::vector<uint32_t> bins = listed_bins();
  std::vector<std::byte> table(kListedBins * 16);
  for (auto _ : state) {
    way(bins, table.data());
    benchmark::ClobberMemory();
  }
  state.counters["s/element"] =
      benchmark::Counter(static_cast<double>(bins.size()) * static_cast<double>(state.iterations()),
                         benchmark::Counter::Flags(benchmark::Counter::kIsRate | benchmark::Counter::kInvert));
}

void register_all() {
  const auto add = [](Kind kind, size_t elements, int64_t target, const std::string& suffix) {
    const std::string name = "collector/" + name_of(kind) + "/" + std::to_string(elements) + suffix;
    benchmark::RegisterBenchmark(name.c_str(), collect, kind, elements, target);
  };
  for (const Kind kind : kKinds) {
    for (const size_t elements : kSmall) add(kind, elements, kBestTarget, "");
    add(kind, kInCache, kBestTarget, "");
    add(kind, kOutOfCache, kBestTarget, "");
  }
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    for (const Kind kind : {Kind::Dense, Kind::Relu})
      add(kind, kInCache, target, std::string("/") + hwy::TargetName(target));
  benchmark::RegisterBenchmark("count/store", count, store);
  benchmark::RegisterBenchmark("count/1x32", count, increment<uint32_t, 1>);
  benchmark::RegisterBenchmark("count/2x16", count, increment<uint16_t, 2>);
  benchmark::RegisterBenchmark("count/4x16", count, increment<uint16_t, 4>);
  benchmark::RegisterBenchmark("count/8x16", count, increment<uint16_t, 8>);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vpopcntdq")) benchmark::RegisterBenchmark("count/scatter", count, scatter);
#endif
  benchmark::RegisterBenchmark("merge/same_width", merge, 1.0f);
  benchmark::RegisterBenchmark("merge/wider", merge, 100.0f);
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace detent::bench
