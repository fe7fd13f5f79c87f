// Choosing a range: one calibrator on one histogram, and all four on the 150 values of a network such as ResNet-50.
#include <benchmark/benchmark.h>

#include "bench_data.h"
#include "detent/base/calibrator.h"

namespace detent::bench {
namespace {

constexpr size_t kElements = 100'000;
constexpr int kValues = 150;

Histogram histogram_of(Kind kind, float scale = 1) {
  std::vector<float> values = random_floats(kElements, kind);
  for (float& x : values) x *= scale;
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

void choose(benchmark::State& state, std::string_view name, Kind kind, RangeKind range) {
  const Histogram histogram = histogram_of(kind);
  const std::unique_ptr<Calibrator> calibrator = make_calibrator(name);
  for (auto _ : state) benchmark::DoNotOptimize(calibrator->choose(histogram, range));
}

/// A third of the data is dense, a third is after ReLU, the rest is clipped or heavy-tailed; scales spread over an
/// octave.
void choose_for_a_network(benchmark::State& state, RangeKind range) {
  std::vector<Histogram> histograms;
  constexpr Kind kMix[] = {Kind::Dense, Kind::Relu, Kind::Dense, Kind::Relu, Kind::Relu6, Kind::HeavyTailed};
  for (int i = 0; i < kValues; ++i)
    histograms.push_back(
        histogram_of(kMix[i % std::size(kMix)], 1 + static_cast<float>(i) / static_cast<float>(kValues)));
  for (auto _ : state)
    for (const CalibratorEntry& entry : calibrator_list())
      for (const Histogram& histogram : histograms) benchmark::DoNotOptimize(entry.make("")->choose(histogram, range));
}

void register_all() {
  for (const auto& [range, suffix] :
       {std::pair{RangeKind::Symmetric, "/symmetric"}, std::pair{RangeKind::Asymmetric, "/asymmetric"}}) {
    for (const CalibratorEntry& entry : calibrator_list())
      for (const Kind kind : kKinds)
        benchmark::RegisterBenchmark((std::string(entry.name) + "/" + name_of(kind) + suffix).c_str(), choose,
                                     entry.name, kind, range)
            ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((std::string("all_on_150_values") + suffix).c_str(), choose_for_a_network, range)
        ->Unit(benchmark::kMillisecond);
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace detent::bench
