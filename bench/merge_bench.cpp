#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "detent/detent.h"
#include "observe/calibration_table.h"

namespace {

using namespace detent;
namespace fs = std::filesystem;

constexpr size_t kValues = 1000, kShards = 64, kElements = 20000;

/// Numbers with a bell-shaped part and a Relu's zeros: 1500 to 3000 bins in use, as in tables of real networks.
std::vector<float> numbers(std::mt19937& bits) {
  std::vector<float> drawn(kElements);
  for (float& x : drawn) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<float>(bits() >> 8) * 0x1p-24F - 0.5F;
    x = sum;
  }
  return drawn;
}

/// 64 tables of 1000 values on disk, made once.
const std::vector<fs::path>& shards() {
  static const std::vector<fs::path> paths = [] {
    const fs::path folder = fs::temp_directory_path() / "detent_merge_bench";
    fs::create_directories(folder);
    std::mt19937 bits(1);
    std::vector<Histogram> histograms(16);
    for (Histogram& histogram : histograms) histogram.add(numbers(bits));
    std::vector<fs::path> made;
    for (size_t shard = 0; shard < kShards; ++shard) {
      CalibrationTable table;
      table.model = std::string(32, 'a');
      table.shards = {{kShards, static_cast<uint32_t>(shard + 1)}};
      table.samples = {{"sample " + std::to_string(shard), {shard, shard}}};
      for (size_t value = 0; value < kValues; ++value)
        table.values["value " + std::to_string(value)].histogram = histograms[(value + shard) % histograms.size()];
      made.push_back(folder / (std::to_string(shard) + ".dct"));
      write_table(table, made.back());
    }
    return made;
  }();
  return paths;
}

/// `detent merge` of the first N tables: reading, adding and writing.
void merge(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  MergeTablesOptions options;
  options.tables.assign(shards().begin(), shards().begin() + static_cast<std::ptrdiff_t>(count));
  options.output = shards().front().parent_path() / "merged.dct";
  options.overwrite = true;
  uintmax_t bytes = 0;
  for (const fs::path& path : options.tables) bytes += fs::file_size(path);
  for (auto _ : state) benchmark::DoNotOptimize(merge_tables(options));
  state.counters["MB_read"] = static_cast<double>(bytes) / 1e6;
  state.counters["tables"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(merge)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
