#include "datasets/array_source.h"

#include <string>
#include <utility>
#include <vector>

#include "detent/error.h"

namespace detent {

namespace {

class ArraySource final : public DataSource {
 public:
  ArraySource(std::span<const Tensor> arrays, std::span<const FeedInput> inputs)
      : arrays_(arrays.begin(), arrays.end()), inputs_(inputs.begin(), inputs.end()) {
    if (arrays_.size() != inputs_.size())
      throw Error(ErrorCode::InvalidData, std::to_string(arrays_.size()) + " arrays were given, the model has " +
                                              std::to_string(inputs_.size()) + " inputs");
    for (size_t i = 0; i < arrays_.size(); ++i) {
      fits_.push_back(fit_array(arrays_[i].shape(), inputs_[i]));
      if (fits_[i].samples == 0)
        throw Error(ErrorCode::InvalidData, "the array for the input '" + inputs_[i].spec.name + "' holds no samples");
      if (fits_[i].samples != fits_[0].samples)
        throw Error(ErrorCode::InvalidData, "the array for the input '" + inputs_[i].spec.name + "' holds " +
                                                std::to_string(fits_[i].samples) + " samples, that for '" +
                                                inputs_[0].spec.name + "' " + std::to_string(fits_[0].samples));
    }
  }

  size_t size() const override { return fits_.front().samples; }
  std::string sample_name(size_t i) const override { return "sample " + std::to_string(i + 1); }
  Sample read(size_t i) const override {
    Sample sample{i, sample_name(i), {}};
    for (size_t k = 0; k < arrays_.size(); ++k) {
      ArraySample one = cut_sample(arrays_[k], fits_[k], i, inputs_[k]);
      sample.inputs.push_back(std::move(one.values));
      sample.next.push_back(one.next);
    }
    return sample;
  }

 private:
  std::vector<Tensor> arrays_;
  std::vector<FeedInput> inputs_;
  std::vector<ArrayFit> fits_;
};

}  // namespace

std::unique_ptr<DataSource> open_arrays(std::span<const Tensor> arrays, std::span<const FeedInput> inputs) {
  return std::make_unique<ArraySource>(arrays, inputs);
}

}  // namespace detent
