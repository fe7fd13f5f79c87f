#pragma once

#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "observe/calibration_table.h"

namespace detent {

/// Keeps which samples a calibration has measured, and knows which ones an interrupted one had: what a table lists.
/// A sample may stand in a list twice; then it is measured twice. Any thread may call any function.
class SampleTracker {
 public:
  /// What may come up besides samples that were measured before.
  enum class Others { Allowed, Refused };

  /// done  samples measured before, sorted.
  explicit SampleTracker(std::span<const TableSample> done = {}, Others others = Others::Allowed);

  [[nodiscard]] static std::vector<TableSample> identify(std::span<const Sample> batch);

  /// True when the whole batch was measured before; each earlier measurement answers for one sample.
  /// Errors  TableMismatch when only a part of it was: its samples were grouped otherwise; or none, where others are
  /// refused.
  [[nodiscard]] bool measured_before(std::span<const TableSample> batch);
  /// How many samples were measured before.
  [[nodiscard]] size_t known() const { return known_; }
  /// indices  of the samples in their source, in parallel.
  void add(std::span<const TableSample> batch, std::span<const size_t> indices);

  /// A sample that was added, and its index in the source.
  struct Added {
    TableSample sample;
    size_t index = 0;
    friend auto operator<=>(const Added&, const Added&) = default;
  };
  /// The name of the added sample with this Sample::index, which need not be its place in the source that was run: a
  /// subset keeps the indices of the whole. Empty where none was added.
  [[nodiscard]] std::string name_of(size_t index) const;
  /// Sorted by sample, then index.
  [[nodiscard]] std::vector<Added> added() const;
  /// Errors  TableMismatch naming a sample that was measured before and did not come up: the data is not what it was.
  void check_all_came_up() const;

 private:
  const size_t known_;
  const Others others_;
  mutable std::mutex mutex_;
  std::map<TableSample, size_t> open_;  // measured before and not seen yet, how often
  std::vector<Added> added_;
};

}  // namespace detent
