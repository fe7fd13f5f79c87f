#include "ops/shape_only.h"

#include <algorithm>
#include <optional>

namespace detent {

namespace {

/// True for operators whose only output has type and shape of their first input, whatever the others are.
bool keeps_first(OpKind kind) {
  switch (kind) {
    case OpKind::Gelu:
    case OpKind::Softmax:
    case OpKind::LogSoftmax:
    case OpKind::BatchNorm:
    case OpKind::LayerNorm:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm:
    case OpKind::Sqrt:
    case OpKind::Log:
    case OpKind::Abs: return true;
    default: return is_activation(kind);
  }
}

/// True for operators whose operands are broadcast, and whose output has their type.
bool joins_operands(OpKind kind) {
  switch (kind) {
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Pow:
    case OpKind::Min:
    case OpKind::Max: return true;
    default: return false;
  }
}

/// Extends a shape by another operand's extents. False where they do not fit.
bool extend(Shape& shape, const Shape& other) {
  if (other.rank() > shape.rank()) {
    Shape wider = other;
    if (!extend(wider, shape)) return false;
    shape = wider;
    return true;
  }
  for (size_t i = 1; i <= other.rank(); ++i) {
    int64_t& extent = shape[shape.rank() - i];
    const int64_t beside = other[other.rank() - i];
    if (extent != beside && extent != 1 && beside != 1) return false;
    if (extent == 1) extent = beside;
  }
  return true;
}

/// Returns the shape of the output, which has the type of the first input. nullopt where the kernel has to tell, or to
/// refuse.
std::optional<Shape> output_shape(const KernelCall& call, OpKind kind) {
  const Tensor& first = call.input(0);
  if (first.empty_handle() || first.is_sequence() || call.output_count() > 1) return std::nullopt;
  if (keeps_first(kind)) return first.shape();
  Shape shape = first.shape();
  for (size_t i = 1; i < call.input_count(); ++i) {
    const Tensor& other = call.input(i);
    if (other.empty_handle() || other.is_sequence() || other.type() != first.type() || !extend(shape, other.shape()))
      return std::nullopt;
  }
  return shape;
}

class ForShapesOnly final : public Kernel {
 public:
  ForShapesOnly(std::unique_ptr<Kernel> kernel, OpKind kind) : kernel_(std::move(kernel)), kind_(kind) {}

  void run(KernelCall& call) const override {
    const std::optional<Shape> shape = call.input_count() == 0 ? std::nullopt : output_shape(call, kind_);
    if (!shape) return kernel_->run(call);
    const Tensor& first = call.input(0);
    call.tell_output(*shape);
    call.set_output(0, *shape == first.shape() ? first : unseen_zeros(*shape, first.type()));
  }

 private:
  std::unique_ptr<Kernel> kernel_;
  OpKind kind_;
};

}  // namespace

Tensor unseen_zeros(const Shape& shape, DataType type) {
  return Tensor::deferred(type, shape, [shape, type] {
    Tensor zeros(type, shape);
    std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
    return zeros;
  });
}

bool leave_unseen(KernelCall& call, size_t i, bool suffices, const Shape& shape, DataType type) {
  if (!suffices || type == DataType::String) return false;
  if (i == 0) call.tell_output(shape);
  call.set_output(i, unseen_zeros(shape, type));
  return true;
}

std::unique_ptr<Kernel> for_shapes_only(std::unique_ptr<Kernel> kernel, OpKind kind) {
  if (!keeps_first(kind) && !joins_operands(kind)) return kernel;
  return std::make_unique<ForShapesOnly>(std::move(kernel), kind);
}

}  // namespace detent
