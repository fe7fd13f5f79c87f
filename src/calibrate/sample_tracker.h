#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "observe/calibration_table.h"

namespace detent {

/// Keeps the samples that a calibration has measured and knows those that an interrupted one had: the list of a table.
/// A sample may be listed twice; then it is measured twice. Thread-safe.
class SampleTracker {
 public:
  /// The treatment of samples that were not measured before.
  enum class Others { Allowed, Refused };

  /// done  samples measured before, sorted.
  explicit SampleTracker(std::span<const TableSample> done = {}, Others others = Others::Allowed);

  /// Returns name and content hash of each sample.
  [[nodiscard]] static std::vector<TableSample> identify(std::span<const Sample> batch);

  /// True when the whole batch was measured before; each earlier measurement counts for one sample.
  /// Errors  TableMismatch when only a part of it was (samples were grouped differently), or none, where others are
  ///         refused.
  [[nodiscard]] bool measured_before(std::span<const TableSample> batch);
  /// Number of samples that were measured before.
  [[nodiscard]] size_t known() const { return known_; }
  /// indices  of the samples in their source, in parallel.
  void add(std::span<const TableSample> batch, std::span<const size_t> indices);

  /// A sample that was added, and its index in the source.
  struct Added {
    TableSample sample;
    size_t index = 0;
    friend auto operator<=>(const Added&, const Added&) = default;
  };
  /// Returns the name of the added sample with this Sample::index; empty without one. A subset keeps the indices of the
  /// whole source.
  [[nodiscard]] std::string name_of(size_t index) const;
  /// Returns the added samples, sorted by sample, then index.
  [[nodiscard]] std::vector<Added> added() const;
  /// Throws TableMismatch naming a sample that was measured before and did not come up: the data has changed.
  void check_all_came_up() const;

 private:
  const size_t known_;
  const Others others_;
  mutable std::mutex mutex_;
  std::map<TableSample, size_t> open_;  // measured before and not seen yet, with their number
  std::vector<Added> added_;
};

/// Returns a digest of the samples' names and contents, which are sorted. "" without samples.
[[nodiscard]] std::string sample_digest(std::span<const TableSample> samples);

}  // namespace detent
