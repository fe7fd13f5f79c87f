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

}  // namespace

std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real) {
  if (real == batch) return outputs;
  for (Tensor& output : outputs)
    if (!output.empty_handle() && !output.is_sequence() && output.shape().rank() > 0 &&
        output.shape()[0] == static_cast<int64_t>(batch))
      output = rows_of(output, 0, static_cast<int64_t>(real));
  return outputs;
}

std::vector<Tensor> row_of(const std::vector<Tensor>& outputs, size_t row) {
  std::vector<Tensor> rows;
  for (const Tensor& output : outputs) rows.push_back(rows_of(output, row, 1));
  return rows;
}

std::vector<ErrorSums> errors_of(const std::vector<Tensor>& expected, const std::vector<Tensor>& outputs,
                                 const BatchContent& content, std::vector<bool>& comparable) {
  std::vector<ErrorSums> sums(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].type() == outputs[i].type() && expected[i].shape() == outputs[i].shape())
      sums[i] = ErrorSums::of(expected[i], outputs[i], counted_elements(expected[i], content));
    else
      comparable[i] = false;
  }
  return sums;
}

}  // namespace detent
