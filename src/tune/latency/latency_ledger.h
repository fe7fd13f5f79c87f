#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "detent/reports/latency_report.h"
#include "tune/latency/latency_model.h"

namespace detent {

/// Returns the mean in the unit of `times`.
/// Empty  NaN
[[nodiscard]] double mean_of(const std::vector<double>& times);
/// Returns the standard deviation of a time as a part of it, from repeated times of the same files; at least kLeast.
/// Without repeated times kUsual, which weighs as much as one repetition.
[[nodiscard]] double noise_of(const std::vector<std::vector<double>>& times);

/// Differences from the default file, by name: nodes that are float, forms of all pairs.
using Changes = std::set<std::string>;

/// Changes that are tried together.
struct LedgerFactor {
  Changes changes = {};
  TimeBelief effect = LatencyModel::kUnknownEffect;  ///< before the times of this search
  bool has_halves = false;                           ///< it may be replaced by two factors
};

/// A row of the ledger: a file, and what is known of it.
struct LedgerFile {
  enum class State : uint8_t {
    Allowed,
    Inaccurate,  ///< beyond the accuracy: not timed
    Same,        ///< a row above has the same pairs; `times` holds its mean, as far as it is known
    Refused      ///< the engine does not take it
  };
  LatencyChoice kind = LatencyChoice::Variant;
  Changes changes = {};    ///< of a file with pairs
  std::string pairs = {};  ///< a text that differs where the pairs of files do
  std::optional<double> sqnr_db = {}, score = {};
  uint64_t bytes = 0;  ///< of the file; 0: not written
  State state = State::Allowed;
  std::vector<double> times = {};  ///< ms

  [[nodiscard]] bool has_pairs() const { return kind == LatencyChoice::Default || kind == LatencyChoice::Variant; }
};

/// All that a search by latency has done: the files, in the order in which they were made, with their times. A row
/// keeps its place and its changes; the search alone adds rows and times (README.md).
struct LatencyLedger {
  /// The parts of a search, in their order.
  enum class Phase : uint8_t { Variants, Fewer, Repeats };

  std::vector<LedgerFactor> factors = {};  ///< at most kMostFactors
  std::vector<LedgerFile> files = {LedgerFile{.kind = LatencyChoice::Default}};
  /// The times of files with pairs, as parts of the default's: what the model is made of. A refused file is as bad as
  /// the slowest one.
  std::vector<std::pair<size_t, double>> parts = {};
  size_t budget = 20;    ///< calls of the search
  bool learned = false;  ///< the effects come from measurements of other networks
  bool halved = false;   ///< a factor was replaced by its halves
  Phase phase = Phase::Variants;
  double noise = noise_of({});  ///< when a file with pairs was timed again; of a time, as a part of it

  /// Sets the factors, beside the times so far. These become parts of the default's mean now; of refused files nothing
  /// is known.
  void set_factors(std::vector<LedgerFactor> now);
  /// Adds a time of a row; nullopt: the engine does not take it.
  void add(size_t file, std::optional<double> ms);

  /// Returns the factors whose changes are all among these.
  [[nodiscard]] FactorSet set_of(const Changes& changes) const;
  /// Returns the changes of these factors.
  [[nodiscard]] Changes changes_of(FactorSet set) const;
  /// Returns the rows of files with pairs by their sets.
  [[nodiscard]] std::map<FactorSet, size_t> by_set() const;
  /// Returns the row of a kind with these changes; nullopt without one.
  [[nodiscard]] std::optional<size_t> find(LatencyChoice kind, const Changes& changes = {}) const;
  /// Returns the row with these pairs, if it is timed or the float model; nullptr without one.
  [[nodiscard]] const LedgerFile* find_same(const std::string& pairs) const;
  [[nodiscard]] size_t count(LedgerFile::State state) const;
  /// Returns the mean time of the first row of a kind, in ms; nullopt without a time.
  [[nodiscard]] std::optional<double> ms_of(LatencyChoice kind) const;
  /// Returns the noise of all times.
  [[nodiscard]] double noise_now() const;
};

}  // namespace detent
