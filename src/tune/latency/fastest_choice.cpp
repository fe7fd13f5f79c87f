#include "tune/latency/fastest_choice.h"

#include <algorithm>

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
    const bool replaces_variant = now.kind == LatencyChoice::Variant && ms <= chosen.ms * (1 + noise) &&
                                  ms < faster_than_default && file.sqnr_db > now.sqnr_db + kSameDb;
    if (ms < chosen.ms * (1 - noise) || replaces_variant) take(i);
  }
  return chosen;
}

}  // namespace detent
