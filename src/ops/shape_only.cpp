#include "ops/shape_only.h"

#include <algorithm>

namespace detent {

namespace {

/// True when the output has type and shape of the first input: all inputs have them, or, for an activation, the others
/// are its bounds.
bool is_like_first_input(const KernelCall& call, OpKind kind) {
  const Tensor& first = call.input(0);
  if (first.empty_handle() || first.is_sequence()) return false;
  if (is_activation(kind)) return true;
  for (size_t i = 1; i < call.input_count(); ++i)
    if (call.input(i).type() != first.type() || call.input(i).shape() != first.shape()) return false;
  return true;
}

class ForShapesOnly final : public Kernel {
 public:
  ForShapesOnly(std::unique_ptr<Kernel> kernel, OpKind kind) : kernel_(std::move(kernel)), kind_(kind) {}

  void run(KernelCall& call) const override {
    if (call.input_count() == 0 || !is_like_first_input(call, kind_)) return kernel_->run(call);
    call.tell_output(call.input(0).shape());
    call.set_output(0, call.input(0));
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

std::unique_ptr<Kernel> for_shapes_only(std::unique_ptr<Kernel> kernel, OpKind kind) {
  const bool arithmetic = kind == OpKind::Add || kind == OpKind::Sub || kind == OpKind::Mul || kind == OpKind::Div;
  if (!is_activation(kind) && !arithmetic) return kernel;
  return std::make_unique<ForShapesOnly>(std::move(kernel), kind);
}

}  // namespace detent
