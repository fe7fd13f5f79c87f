#include "tune/latency/fastest_choice.h"

#include <algorithm>
#include <utility>

#include "tune/latency/latency_ledger.h"

namespace detent {

namespace {

constexpr double kSameDb = 1;  ///< files whose SQNR differs by less are equally accurate

bool is_variant(const TimedFile& file) { return file.kind == LatencyChoice::Variant && !file.times.empty(); }

/// Returns the file to take beside the fastest variant by the model; 0 where that is the default.
size_t best_of_the_fastest(const std::vector<TimedFile>& files, double noise) {
  size_t fastest = 0;
  for (size_t i = 1; i < files.size(); ++i)
    if (is_variant(files[i]) && files[i].belief < files[fastest].belief) fastest = i;
  if (fastest == 0) return 0;
  const double limit = mean_of(files[fastest].times) * (1 + noise);
  size_t best = fastest;
  for (size_t i = 1; i < files.size(); ++i) {
    const TimedFile &file = files[i], &chosen = files[best];
    if (!is_variant(file) || mean_of(file.times) > limit) continue;
    const double gain = file.sqnr_db - chosen.sqnr_db;
    if (gain > kSameDb || (gain > -kSameDb && file.changes < chosen.changes)) best = i;
  }
  return best;
}

}  // namespace

FastestChoice choose_fastest(const std::vector<TimedFile>& files, double noise) {
  FastestChoice chosen;
  double faster_than_default = 0;
  const auto take = [&](size_t file) { chosen = {file, mean_of(files[file].times)}; };
  if (!files.front().times.empty()) {
    take(0);
    faster_than_default = chosen.ms * (1 - noise);
    const size_t best = best_of_the_fastest(files, noise);
    if (best > 0 && mean_of(files[best].times) < faster_than_default && files[best].belief < 1 - noise) take(best);
  }
  for (size_t i = 1; i < files.size(); ++i) {
    const TimedFile &file = files[i], &now = files[chosen.file];
    if (file.kind == LatencyChoice::Variant || file.times.empty()) continue;
    const double ms = mean_of(file.times);
    const bool more_accurate = file.sqnr_db > now.sqnr_db + kSameDb;
    const bool replaces_variant =
        now.kind == LatencyChoice::Variant && ms <= chosen.ms * (1 + noise) && ms < faster_than_default;
    if (ms < chosen.ms * (1 - noise) || (more_accurate && (ms < chosen.ms || replaces_variant))) take(i);
  }
  return chosen;
}

FastestChoice choose_file(const std::vector<TimedFile>& files, double noise, LatencyPrefer prefer) {
  const FastestChoice fastest = choose_fastest(files, noise);
  if (prefer == LatencyPrefer::Speed) return fastest;
  constexpr double kSameSize = 1.01;
  const bool by_size = prefer == LatencyPrefer::Size;
  double float_ms = std::numeric_limits<double>::infinity();
  for (const TimedFile& file : files)
    if (file.kind == LatencyChoice::Float && !file.times.empty()) float_ms = mean_of(file.times);
  const double most = float_ms * (by_size ? 1 + noise : 1 - noise);
  const auto is_better = [&](const TimedFile& file, const TimedFile& than) {
    const auto [a, b] = std::pair(static_cast<double>(file.bytes), static_cast<double>(than.bytes));
    if (by_size && (a * kSameSize < b || b * kSameSize < a)) return a < b;
    if (!by_size && file.sqnr_db != than.sqnr_db) return file.sqnr_db > than.sqnr_db;
    return mean_of(file.times) < mean_of(than.times);
  };
  const TimedFile* best = nullptr;
  for (const TimedFile& file : files) {
    const bool fast =
        !file.times.empty() && (mean_of(file.times) <= most || (by_size && file.kind == LatencyChoice::Float));
    if (fast && (!best || is_better(file, *best))) best = &file;
  }
  for (const TimedFile& file : files)
    if (!best && file.kind == LatencyChoice::Float && !file.times.empty()) best = &file;
  return best ? FastestChoice{static_cast<size_t>(best - files.data()), mean_of(best->times)} : fastest;
}

std::vector<size_t> front_of(const std::vector<TimedFile>& files) {
  std::vector<size_t> front;
  const auto beats = [](const TimedFile& a, const TimedFile& b) {
    const double a_ms = mean_of(a.times), b_ms = mean_of(b.times);
    return a_ms <= b_ms && a.bytes <= b.bytes && a.sqnr_db >= b.sqnr_db &&
           (a_ms < b_ms || a.bytes < b.bytes || a.sqnr_db > b.sqnr_db);
  };
  for (size_t i = 0; i < files.size(); ++i) {
    const auto beats_it = [&](const TimedFile& other) { return !other.times.empty() && beats(other, files[i]); };
    if (!files[i].times.empty() && std::ranges::none_of(files, beats_it)) front.push_back(i);
  }
  std::ranges::stable_sort(front, {}, [&](size_t file) { return mean_of(files[file].times); });
  return front;
}

}  // namespace detent
