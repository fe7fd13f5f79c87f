#include "detections/average_precision.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace detent::bench {
namespace {

constexpr int kMostObjects = 14;      // an image of COCO's val2017 has 7.3 in the mean
constexpr int kWrongDetections = 90;  // and a detector gives up to 100
constexpr size_t kCategories = 80;

/// Objects and detections of random images: categories as unevenly frequent as in COCO, three quarters of the objects
/// found, boxes up to 8 % off, and wrong detections of low score.
std::vector<MatchedDetections> random_images(size_t count) {
  std::mt19937_64 bits(1);
  const auto draw = [&](double from, double to) { return std::uniform_real_distribution(from, to)(bits); };
  std::vector<double> weights(kCategories);
  for (size_t c = 0; c < kCategories; ++c) weights[c] = 1.0 / static_cast<double>(c + 1);
  std::discrete_distribution<int> category(weights.begin(), weights.end());
  const auto box = [](double x, double y, double side) {
    return Box{static_cast<float>(x), static_cast<float>(y), static_cast<float>(x + side),
               static_cast<float>(y + side)};
  };
  std::vector<MatchedDetections> images;
  for (size_t i = 0; i < count; ++i) {
    std::vector<TrueObject> objects;
    std::vector<Detection> found;
    for (auto left = static_cast<int>(draw(1, kMostObjects + 1)); left > 0; --left) {
      const double x = draw(0, 600), y = draw(0, 600), side = draw(10, 160), error = side * draw(-.08, .08);
      objects.push_back({box(x, y, side), category(bits), draw(0, 1) < .02, side * side});
      if (draw(0, 1) < .75)
        found.push_back(
            {box(x + error, y + error, side), static_cast<float>(std::pow(draw(0, 1), .7)), objects.back().category});
    }
    for (int wrong = 0; wrong < kWrongDetections; ++wrong)
      found.push_back({box(draw(0, 600), draw(0, 600), draw(10, 160)),
                       static_cast<float>(.9 * std::pow(draw(0, 1), 5) + .001), category(bits)});
    images.push_back(match_objects(found, objects, 1));
  }
  return images;
}

const std::vector<const MatchedDetections*>& images(size_t count) {
  static std::map<size_t, std::pair<std::vector<MatchedDetections>, std::vector<const MatchedDetections*>>> made;
  auto& [owned, parts] = made[count];
  if (owned.empty()) {
    owned = random_images(count);
    for (const MatchedDetections& one : owned) parts.push_back(&one);
  }
  return parts;
}

/// Ranking and one score.
void score(benchmark::State& state) {
  const auto& parts = images(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(RankedDetections(parts).precision());
}
BENCHMARK(score)->Arg(500)->Arg(5000)->Unit(benchmark::kMillisecond);

/// The cost that an interval adds: the score without each image.
void without_each(benchmark::State& state) {
  const RankedDetections ranked(images(static_cast<size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(ranked.without_each());
}
BENCHMARK(without_each)->Arg(500)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace detent::bench
