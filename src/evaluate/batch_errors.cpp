#include "evaluate/batch_errors.h"

#include <cstring>

namespace detent {

namespace {

Tensor first_rows(const Tensor& tensor, int64_t rows) {
  Shape shape = tensor.shape();
  shape[0] = rows;
  Tensor part(tensor.type(), shape);
  std::memcpy(part.mutable_raw(), tensor.raw(), part.byte_count());
  return part;
}

}  // namespace

std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real) {
  if (real == batch) return outputs;
  for (Tensor& output : outputs)
    if (!output.empty_handle() && !output.is_sequence() && output.shape().rank() > 0 &&
        output.shape()[0] == static_cast<int64_t>(batch))
      output = first_rows(output, static_cast<int64_t>(real));
  return outputs;
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
