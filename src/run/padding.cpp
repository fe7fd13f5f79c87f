#include "run/padding.h"

#include <algorithm>
#include <array>

#include "detent/error.h"

namespace detent {

namespace {

/// [batch, S], or [S] without a batch axis.
bool is_mask_shaped(const InputSpec& spec) {
  return spec.shape.size() == 2 || (spec.shape.size() == 1 && spec.batch_axis == kNoBatchAxis);
}

bool is_called_mask(const std::string& name) {
  constexpr std::array<const char*, 3> kNames = {"attention_mask", "padding_mask", "input_mask"};
  return std::ranges::any_of(kNames, [&](const char* part) { return name.find(part) != std::string::npos; });
}

class ContentSource final : public DataSource {
 public:
  ContentSource(std::unique_ptr<DataSource> source, size_t mask) : source_(std::move(source)), mask_(mask) {}

  size_t size() const override { return source_->size(); }
  std::string sample_name(size_t i) const override { return source_->sample_name(i); }
  size_t batch() const override { return source_->batch(); }
  Sample read(size_t i) const override {
    Sample sample = source_->read(i);
    const Tensor mask = cast(sample.inputs[mask_], DataType::Float32);
    for (const float value : mask.data<float>()) sample.content.push_back(value != 0);
    if (std::ranges::find(sample.content, 1) == sample.content.end()) sample.content.clear();
    if (mask_ < sample.next.size() && sample.next[mask_] == 0) sample.next.clear();
    return sample;
  }

 private:
  std::unique_ptr<DataSource> source_;
  size_t mask_;
};

}  // namespace

std::optional<size_t> find_padding_mask(std::span<const InputSpec> inputs, std::span<const std::string> named) {
  if (named.size() > 1) throw Error(ErrorCode::Usage, "--mask is given twice; one input tells padding from content");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool meant = named.empty() ? is_called_mask(inputs[i].name) : inputs[i].name == named.front();
    if (!meant) continue;
    if (is_mask_shaped(inputs[i])) return i;
    if (!named.empty())
      throw Error(ErrorCode::InvalidOption, "--mask " + named.front() + ": the input has rank " +
                                                std::to_string(inputs[i].shape.size()) +
                                                "; a mask of padding has one number a position, [batch, S]");
  }
  if (named.empty()) return std::nullopt;
  std::string names;
  for (const InputSpec& input : inputs) names += (names.empty() ? "'" : ", '") + input.name + "'";
  throw Error(ErrorCode::InvalidOption,
              "--mask: the model has no input '" + named.front() + "'; its inputs are " + names);
}

std::unique_ptr<DataSource> with_content(std::unique_ptr<DataSource> source, size_t mask) {
  return std::make_unique<ContentSource>(std::move(source), mask);
}

BatchContent content_of(std::span<const Sample> batch) {
  BatchContent content;
  bool padded = false;
  for (const Sample& sample : batch) {
    const bool has_padding = std::ranges::find(sample.content, 0) != sample.content.end();
    content.push_back(has_padding ? sample.content : std::vector<uint8_t>());
    padded = padded || has_padding;
  }
  return padded ? content : BatchContent();
}

std::vector<uint8_t> counted_elements(const Tensor& value, const BatchContent& content) {
  if (content.empty() || value.empty_handle() || value.is_sequence()) return {};
  const Shape& shape = value.shape();
  const auto samples = static_cast<int64_t>(content.size());
  int64_t length = 0;
  for (const auto& one : content) length = std::max(length, static_cast<int64_t>(one.size()));
  if (length < 2 || shape.rank() == 0) return {};
  const bool merged = shape[0] == samples * length;  // [samples * positions, features]
  if (!merged && shape[0] != samples) return {};

  // Axes in the order of memory, and elements from one index of each to the next.
  std::vector<size_t> order(shape.rank());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (value.layout() == Layout::ChannelsLast) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  int64_t stride = 1;
  std::vector<int64_t> strides;  // of the axes that count positions
  for (size_t i = order.size(); i-- > 0;) {
    if (merged ? order[i] == 0 : order[i] > 0 && shape[order[i]] == length) strides.push_back(stride);
    stride *= shape[order[i]];
  }
  if (strides.empty()) return {};
  const int64_t of_one = stride / samples;
  std::vector<uint8_t> counted(static_cast<size_t>(stride), 1);
  for (int64_t n = 0; n < samples; ++n) {
    const std::vector<uint8_t>& own = content[static_cast<size_t>(n)];
    for (int64_t i = 0; i < of_one && !own.empty(); ++i)
      counted[static_cast<size_t>(n * of_one + i)] =
          std::ranges::any_of(strides, [&](int64_t step) { return own[static_cast<size_t>(i / step % length)] != 0; });
  }
  return counted;
}

std::vector<uint8_t> counted_row_major(const Tensor& value, const BatchContent& content) {
  if (content.empty() || value.empty_handle() || value.is_sequence()) return {};
  return counted_elements(to_plain(value), content);
}

}  // namespace detent
