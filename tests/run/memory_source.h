#pragma once

#include <atomic>
#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// Samples of one input, held in memory; counts how often each is read.
class MemorySource final : public DataSource {
 public:
  explicit MemorySource(std::vector<Tensor> samples) : samples_(std::move(samples)), reads_(samples_.size()) {}
  [[nodiscard]] size_t size() const override { return samples_.size(); }
  [[nodiscard]] std::string sample_name(size_t i) const override { return "sample" + std::to_string(i); }
  [[nodiscard]] Sample read(size_t i) const override {
    ++reads_[i];
    return {i, sample_name(i), {samples_[i]}};
  }
  [[nodiscard]] size_t batch() const override { return batch_; }
  /// batch  the batch that the model fixes.
  void join(size_t batch) { batch_ = batch; }
  [[nodiscard]] int reads(size_t i) const { return reads_[i]; }

 private:
  std::vector<Tensor> samples_;
  size_t batch_ = 1;
  mutable std::vector<std::atomic<int>> reads_;
};

}  // namespace detent
