#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "tune/latency/fastest_choice.h"
#include "tune/latency/latency_ledger.h"

namespace detent {

/// The knowledge in a ledger of all sets of its factors. The ledger must outlive it, unchanged.
class LatencyKnowledge {
 public:
  explicit LatencyKnowledge(const LatencyLedger& ledger);

  static constexpr size_t kSpread = 7;

  /// Returns the set whose time is the most useful one; nullopt where no further time is.
  ///
  /// 1. The sets of which least is known and that may be faster than the default, until there are kSpread times beside
  ///    the default's or one for each factor: each time tells something of all factors. Left out where the effects come
  ///    from measurements.
  /// 2. The set whose time is most useful (LatencyModel::most_useful), also one that was timed before.
  /// 3. The last time goes to the set that is expected to be the fastest, unless it has one.
  /// It ends before where no set without a time may be faster than the fastest file beyond the noise, and no further
  /// time can change which set that is: none is within the error of the fastest, or those have three times each.
  /// left  calls that may still be made, this one included
  [[nodiscard]] std::optional<FactorSet> next(size_t left) const;
  /// Returns the set with times that is expected to be the fastest; the default has one.
  [[nodiscard]] FactorSet best() const;
  /// Returns `best` without the factors that save no more than their error: of two files that take the same time the
  /// one with fewer changes is better.
  [[nodiscard]] FactorSet fewer() const;
  /// Returns the factor with halves that saves most time, or may: one half may save more than both.
  [[nodiscard]] std::optional<size_t> to_halve() const;
  /// Returns the row of a set; nullptr without one.
  [[nodiscard]] const LedgerFile* row_of(FactorSet set) const;
  [[nodiscard]] TimeBelief belief_of(FactorSet set) const { return beliefs_[set]; }
  [[nodiscard]] TimeBelief effect_of(size_t factor) const { return model_.effect_of(factor); }
  /// Returns each row as a file that may be chosen; without times where it may not.
  [[nodiscard]] std::vector<TimedFile> choices() const;

 private:
  [[nodiscard]] std::vector<FactorSet> contested() const;

  const LatencyLedger& ledger_;
  std::map<FactorSet, const LedgerFile*> rows_;
  LatencyModel model_;
  std::vector<TimeBelief> beliefs_;
};

/// The next step of a search: a file is asked for its time, or a factor is replaced by its halves.
struct LatencyAsk {
  LatencyLedger::Phase phase{};
  LatencyChoice file = LatencyChoice::Variant;
  Changes changes = {};              ///< of a file with pairs; those of a row: it is timed again
  std::optional<size_t> halve = {};  ///< nothing is asked
};

/// Returns what a search with this ledger does next; nullopt: it stops.
///
/// Variants  LatencyKnowledge::next, while more than three calls are left. When half of the calls are left, or nothing
///           is useful any more, a factor is halved, once.
/// Fewer     the fastest set without what saves nothing.
/// Repeats   the fastest set a second time, and before it the float model where its time is near.
/// left  calls that may still be made
[[nodiscard]] std::optional<LatencyAsk> decide(const LatencyLedger& ledger, size_t left);

}  // namespace detent
