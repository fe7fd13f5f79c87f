#include "tune/latency/fastest_choice.h"

#include <numeric>

namespace detent {

namespace {

constexpr double kSameDb = 1;  ///< files whose SQNR differs by less are equally accurate

size_t best_of_the_fastest(const TimedFiles& files, double noise) {
  const double limit = mean_of(files.variants[files.fastest].times) * (1 + noise);
  size_t best = files.fastest;
  for (size_t i = 0; i < files.variants.size(); ++i) {
    const TimedFile &file = files.variants[i], &chosen = files.variants[best];
    if (mean_of(file.times) > limit) continue;
    const double gain = file.sqnr_db - chosen.sqnr_db;
    if (gain > kSameDb || (gain > -kSameDb && file.changes < chosen.changes)) best = i;
  }
  return best;
}

}  // namespace

double mean_of(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

FastestChoice choose_fastest(const TimedFiles& files, double noise) {
  FastestChoice chosen;
  double sqnr_db = files.usual.sqnr_db, faster_than_default = 0;
  if (!files.usual.times.empty()) {
    chosen.ms = mean_of(files.usual.times);
    faster_than_default = chosen.ms * (1 - noise);
    if (files.fastest < files.variants.size()) {
      const size_t best = best_of_the_fastest(files, noise);
      const TimedFile& variant = files.variants[best];
      if (mean_of(variant.times) < faster_than_default && variant.belief < 1 - noise) {
        chosen = {LatencyChoice::Variant, best, mean_of(variant.times)};
        sqnr_db = variant.sqnr_db;
      }
    }
  }
  const auto offer = [&](LatencyChoice choice, const TimedFile& file) {
    if (file.times.empty()) return;
    const double ms = mean_of(file.times);
    const bool replaces_variant = chosen.file == LatencyChoice::Variant && ms <= chosen.ms * (1 + noise) &&
                                  ms < faster_than_default && file.sqnr_db > sqnr_db + kSameDb;
    if (ms >= chosen.ms * (1 - noise) && !replaces_variant) return;
    chosen = {choice, 0, ms};
    sqnr_db = file.sqnr_db;
  };
  offer(LatencyChoice::Float, files.float_model);
  offer(LatencyChoice::Cast, files.cast);
  return chosen;
}

}  // namespace detent
