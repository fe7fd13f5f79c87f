// Counts one activation tensor into its histogram. Names: collector/DATA/ELEMENTS; collector/DATA/ELEMENTS/SET with
// another instruction set than the CPU's best; merge/PAIR_OF_RANGES.
#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <map>

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
  benchmark::RegisterBenchmark("merge/same_width", merge, 1.0f);
  benchmark::RegisterBenchmark("merge/wider", merge, 100.0f);
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace detent::bench
