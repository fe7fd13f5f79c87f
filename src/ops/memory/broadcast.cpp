#include "ops/memory/broadcast.h"

#include <algorithm>
#include <string>

#include "core/extents.h"
#include "ops/memory/memory_order.h"

namespace detent {

Broadcast::Broadcast(std::span<const Tensor* const> operands, Allocator& allocator) {
  find_output_shape(operands);
  choose_layout(operands);
  for (size_t axis = 0; axis < output_.rank(); ++axis)
    loops_[memory_axis(axis, output_.rank(), layout_)].extent = output_[axis];
  for (size_t i = 0; i < operands.size(); ++i) add_operand(i, *operands[i], allocator);
  join_loops();
}

void Broadcast::find_output_shape(std::span<const Tensor* const> operands) {
  size_t rank = 0;
  for (const Tensor* operand : operands) rank = std::max(rank, operand->shape().rank());
  for (size_t axis = 0; axis < rank; ++axis) output_.push_back(1);
  for (const Tensor* operand : operands) {
    const Shape& shape = operand->shape();
    const size_t missing = rank - shape.rank();
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      int64_t& extent = output_[axis + missing];
      if (extent == 1) extent = shape[axis];
      if (shape[axis] != 1 && shape[axis] != extent)
        throw Error(ErrorCode::InvalidData, "operands of shapes " + operands[0]->shape().to_string() + " and " +
                                                shape.to_string() + " cannot be broadcast together");
    }
  }
  check_extents(DataType::UInt8, output_);  // join_loops multiplies extents of several operands
}

void Broadcast::choose_layout(std::span<const Tensor* const> operands) {
  for (const Tensor* operand : operands)
    if (operand->layout() == Layout::ChannelsLast && operand->shape().rank() == output_.rank() &&
        !layout_is_moot(operand->shape()))
      layout_ = Layout::ChannelsLast;
}

void Broadcast::add_operand(size_t index, const Tensor& operand, Allocator& allocator) {
  Tensor tensor = operand;
  const size_t rank = tensor.shape().rank();
  if (layout_ == Layout::ChannelsLast && rank == output_.rank() && !layout_is_moot(tensor.shape()))
    tensor = to_channels_last(tensor, allocator);
  else
    tensor = to_plain(tensor, allocator);
  if (tensor.raw() != operand.raw()) reordered_.push_back(tensor);
  data_[index] = tensor.raw();

  const Shape memory = memory_shape(tensor.shape(), tensor.layout());
  const size_t missing = output_.rank() - rank;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (tensor.shape()[axis] == 1) continue;
    const size_t at = memory_axis(axis, rank, tensor.layout());
    loops_[memory_axis(axis + missing, output_.rank(), layout_)].strides[index] = memory.element_count(at + 1, rank);
  }
}

void Broadcast::join_loops() {
  for (size_t axis = 0; axis < output_.rank(); ++axis) {
    const Loop loop = loops_[axis];
    if (loop.extent == 1) continue;
    Loop* const last = loop_count_ > 0 ? &loops_[loop_count_ - 1] : nullptr;
    const bool continues =
        last && std::ranges::equal(last->strides, loop.strides, {}, {}, [&](int64_t s) { return s * loop.extent; });
    if (continues) {
      last->extent *= loop.extent;
      last->strides = loop.strides;
    } else {
      loops_[loop_count_++] = loop;
    }
  }
  if (loop_count_ == 0) loops_[loop_count_++] = {};
}

}  // namespace detent
