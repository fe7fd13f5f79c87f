#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "observe/calibration_table.h"

namespace detent {

/// Reads as another source does, and keeps which samples were read: a report then says what it rests on.
class IdentifiedSamples final : public DataSource {
 public:
  explicit IdentifiedSamples(std::unique_ptr<DataSource> source);

  [[nodiscard]] size_t size() const override { return source_->size(); }
  [[nodiscard]] std::string sample_name(size_t i) const override { return source_->sample_name(i); }
  [[nodiscard]] size_t batch() const override { return source_->batch(); }
  /// Hashes the sample when it is read first: 0.2 ms for 224 x 224 pixels in FP32.
  [[nodiscard]] Sample read(size_t i) const override;

  /// How many samples were read so far.
  [[nodiscard]] size_t count() const;
  /// Those, in the order they were read.
  [[nodiscard]] std::vector<TableSample> identities() const;
  /// sample_digest() of those: the same for any order, and for any number of reads of each.
  [[nodiscard]] std::string digest() const;

 private:
  std::unique_ptr<DataSource> source_;
  mutable std::vector<std::atomic<bool>> seen_;  // by index
  mutable std::mutex mutex_;
  mutable std::vector<TableSample> identities_;
};

}  // namespace detent
