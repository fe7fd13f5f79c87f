#include "run/padding.h"

#include <algorithm>
#include <cstring>

#include "core/index.h"
#include "core/text.h"
#include "datasets/base/made_sources.h"
#include "datasets/base/mask_names.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// True for [batch, S], or [S] without a batch axis.
bool is_mask_shaped(const InputSpec& spec) {
  return spec.shape.size() == 2 || (spec.shape.size() == 1 && spec.batch_axis == kNoBatchAxis);
}

}  // namespace

std::optional<size_t> find_padding_mask(std::span<const InputSpec> inputs, std::span<const std::string> named) {
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
  const std::string names = join(inputs, ", ", [](const InputSpec& input) { return "'" + input.name + "'"; });
  throw Error(ErrorCode::InvalidOption,
              "--mask: the model has no input '" + named.front() + "'; its inputs are " + names);
}

std::unique_ptr<DataSource> with_content(std::unique_ptr<DataSource> source, size_t mask) {
  return std::make_unique<ChangedSource>(std::move(source), [mask](Sample& sample, size_t) {
    const Tensor numbers = cast(sample.inputs[mask], DataType::Float32);
    for (const float value : numbers.data<float>()) sample.content.push_back(value != 0);
    if (std::ranges::find(sample.content, 1) == sample.content.end()) sample.content.clear();
    if (mask < sample.next.size() && sample.next[mask] == 0) sample.next.clear();
  });
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

std::vector<uint8_t> counted_elements(const Shape& shape, const BatchContent& content, const SampleAxis& where) {
  if (content.empty()) return {};
  const auto cut = where.cut(shape, content.size());
  size_t length = 0;
  for (const auto& one : content) length = std::max(length, one.size());
  if (length < 2 || !cut) return {};

  // Elements from one index to the next of each axis, or part of the samples' axis, that counts positions.
  std::vector<size_t> strides;
  size_t stride = 1;
  const auto pass = [&](size_t extent) {
    if (extent == length) strides.push_back(stride);
    stride *= extent;
  };
  for (size_t axis = shape.rank(); axis-- > 0;) {
    const auto extent = as_index(shape[axis]);
    const bool shared = cut->samples > 1 && axis == where.axis;
    const size_t inner = shared ? cut->inner / stride : extent;
    pass(inner);
    if (!shared) continue;
    stride *= cut->samples;
    pass(extent / (inner * cut->samples));
  }
  if (strides.empty() || stride == 0) return {};
  std::vector<uint8_t> counted(stride, 1);
  // Every stride is a multiple of the first one: a run of so many elements has one answer, as far as it has one sample.
  const size_t run = cut->inner % strides.front() == 0 ? strides.front() : 1;
  for (size_t i = 0; i < stride; i += run) {
    const std::vector<uint8_t>& own = content[i / cut->inner % cut->samples];
    if (own.empty()) continue;
    const bool counts = std::ranges::any_of(strides, [&](size_t step) { return own[i / step % length] != 0; });
    std::fill_n(counted.begin() + static_cast<std::ptrdiff_t>(i), run, counts);
  }
  return counted;
}

namespace {

/// Returns the tensor with slice `from[p]` of the axis at each position p.
Tensor gather_slices(const Tensor& tensor, size_t axis, const std::vector<size_t>& from) {
  const Tensor plain = to_plain(tensor);
  Tensor result(plain.type(), plain.shape());
  const Shape& shape = plain.shape();
  const size_t bytes = as_index(shape.element_count(axis + 1, shape.rank())) * byte_size(plain.type());
  const auto* read = static_cast<const std::byte*>(plain.raw());
  auto* write = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t outer = 0; outer < shape.element_count(0, axis); ++outer, read += from.size() * bytes)
    for (const size_t position : from) {
      std::memcpy(write, read + position * bytes, bytes);
      write += bytes;
    }
  return result;
}

}  // namespace

Sample with_padding_filled(Sample sample) {
  std::vector<size_t> content, from(sample.content.size());
  for (size_t p = 0; p < from.size(); ++p)
    if (sample.content[p] != 0) content.push_back(p);
  if (content.empty() || content.size() == from.size()) return sample;
  for (size_t p = 0, padding = 0; p < from.size(); ++p)
    from[p] = sample.content[p] != 0 ? p : content[padding++ % content.size()];
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    const Shape& shape = sample.inputs[i].shape();
    const int batch = sample.batch_axes.empty() ? 0 : sample.batch_axes[i];
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      if (static_cast<int>(axis) == batch || shape[axis] != std::ssize(from)) continue;
      sample.inputs[i] = gather_slices(sample.inputs[i], axis, from);
      break;
    }
  }
  sample.content.assign(from.size(), 1);
  return sample;
}

}  // namespace detent
