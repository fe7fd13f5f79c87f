#include <algorithm>
#include <filesystem>
#include <mutex>
#include <vector>

#include "core/files/reach.h"
#include "datasets/base/tensor_pb.h"
#include "datasets/data_source_list.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// Test data sets of ONNX models.
class TestDataSource final : public DataSource {
 public:
  explicit TestDataSource(const SourceRequest& request) : inputs_(request.inputs.begin(), request.inputs.end()) {
    for (const fs::path& folder : find_test_data_sets(request.src)) {
      Set set{folder, fs::path(folder / "").parent_path().filename().string(), size_, 0, {}};
      fit(set, read_set(folder));
      size_ += set.samples;
      sets_.push_back(std::move(set));
    }
    if (size_ == 0) throw Error(ErrorCode::InvalidData, request.src + ": the test data sets hold no samples");
  }
  size_t size() const override { return size_; }
  std::string sample_name(size_t i) const override {
    const Set& set = set_of(i);
    return set.samples > 1 ? set.name + "[" + std::to_string(i - set.first) + "]" : set.name;
  }
  Sample read(size_t i) const override {
    const Set& set = set_of(i);
    const std::shared_ptr<const Tensors> tensors = cached(set);
    Sample sample{i, sample_name(i), {}};
    for (size_t k = 0; k < inputs_.size(); ++k)
      sample.inputs.push_back(cut_sample((*tensors)[k], set.fits[k], i - set.first, inputs_[k]).values);
    return sample;
  }

 private:
  using Tensors = std::vector<Tensor>;
  struct Set {
    fs::path folder;
    std::string name;
    size_t first, samples;
    std::vector<ArrayFit> fits;
  };

  fs::path file_of(const fs::path& folder, const FeedInput& input) const {
    return folder / ("input_" + std::to_string(input.position) + ".pb");
  }
  Tensors read_set(const fs::path& folder) const {
    Tensors tensors;
    for (const FeedInput& input : inputs_) tensors.push_back(read_tensor_pb(file_of(folder, input)));
    return tensors;
  }
  void fit(Set& set, const Tensors& tensors) const {
    for (size_t k = 0; k < inputs_.size(); ++k) {
      const std::string file = file_of(set.folder, inputs_[k]).string();
      try {
        set.fits.push_back(fit_array(tensors[k].shape(), inputs_[k]));
      } catch (const Error& error) {
        throw error.in(file);
      }
      if (is_shared(set, k)) continue;
      if (set.samples != 0 && set.fits[k].samples != set.samples)
        throw Error(ErrorCode::InvalidData, file + ": holds " + std::to_string(set.fits[k].samples) +
                                                " samples, the inputs before it " + std::to_string(set.samples));
      set.samples = set.fits[k].samples;
    }
    if (set.samples == 0 && !std::ranges::any_of(set.fits, [](const ArrayFit& fit) { return fit.samples == 0; }))
      set.samples = 1;
  }
  /// True when input k has no batch axis and is shared by all samples of the set: a sampling rate beside a batch of
  /// clips.
  bool is_shared(const Set& set, size_t k) const {
    return inputs_[k].batch_axis == kNoBatchAxis && set.fits[k].cut_axis == ArrayFit::kWhole;
  }
  const Set& set_of(size_t i) const {
    const auto after =
        std::upper_bound(sets_.begin(), sets_.end(), i, [](size_t index, const Set& set) { return index < set.first; });
    return *(after - 1);
  }
  /// Returns the tensors of a set. A set with many samples is parsed once for neighbouring samples.
  std::shared_ptr<const Tensors> cached(const Set& set) const {
    const std::lock_guard lock(mutex_);
    if (cached_set_ != &set) {
      cached_tensors_ = std::make_shared<const Tensors>(read_set(set.folder));
      cached_set_ = &set;
    }
    return cached_tensors_;
  }

  std::vector<FeedInput> inputs_;
  std::vector<Set> sets_;
  size_t size_ = 0;
  mutable std::mutex mutex_;
  mutable const Set* cached_set_ = nullptr;
  mutable std::shared_ptr<const Tensors> cached_tensors_;
};

}  // namespace

bool is_test_data_set(const std::string& src) { return is_folder(src) && !find_test_data_sets(src).empty(); }

std::unique_ptr<DataSource> open_test_data_set(const SourceRequest& request) {
  return std::make_unique<TestDataSource>(request);
}

}  // namespace detent
