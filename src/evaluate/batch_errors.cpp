#include "evaluate/batch_errors.h"

#include <cstring>

namespace detent {

namespace {

/// `count` rows of a plain tensor from `first` on.
Tensor rows_of(const Tensor& tensor, size_t first, int64_t count) {
  Shape shape = tensor.shape();
  shape[0] = count;
  Tensor part(tensor.type(), shape);
  const size_t row = part.byte_count() / static_cast<size_t>(count);
  std::memcpy(part.mutable_raw(), static_cast<const std::byte*>(tensor.raw()) + first * row, part.byte_count());
  return part;
}

/// The first `count` samples.
Tensor first_samples(const Tensor& tensor, size_t axis, const SampleCut& cut, size_t count) {
  Shape shape = tensor.shape();
  shape[axis] = shape[axis] / static_cast<int64_t>(cut.samples) * static_cast<int64_t>(count);
  Tensor part(tensor.type(), shape);
  const size_t block = cut.inner * byte_size(tensor.type());
  const auto* from = static_cast<const std::byte*>(tensor.raw());
  auto* to = static_cast<std::byte*>(part.mutable_raw());
  for (size_t outer = 0; outer < cut.outer; ++outer)
    std::memcpy(to + outer * count * block, from + outer * cut.samples * block, count * block);
  return part;
}

SampleAxis axis_at(OutputAxes axes, size_t i) { return axes.empty() ? SampleAxis{} : axes[i]; }

}  // namespace

std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real, OutputAxes axes) {
  if (real == batch) return outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty_handle() || outputs[i].is_sequence()) continue;
    const SampleAxis where = axis_at(axes, i);
    if (const auto cut = where.cut(outputs[i].shape(), batch))
      outputs[i] = first_samples(outputs[i], where.axis, *cut, real);
  }
  return outputs;
}

std::vector<Tensor> row_of(const std::vector<Tensor>& outputs, size_t row) {
  std::vector<Tensor> rows;
  for (const Tensor& output : outputs) rows.push_back(rows_of(output, row, 1));
  return rows;
}

std::vector<ErrorSums> errors_of(const std::vector<Tensor>& expected, const std::vector<Tensor>& outputs,
                                 const BatchContent& content, OutputAxes axes, std::vector<bool>& comparable) {
  std::vector<ErrorSums> sums(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].type() == outputs[i].type() && expected[i].shape() == outputs[i].shape())
      sums[i] =
          ErrorSums::of(expected[i], outputs[i], counted_elements(expected[i].shape(), content, axis_at(axes, i)));
    else
      comparable[i] = false;
  }
  return sums;
}

}  // namespace detent
