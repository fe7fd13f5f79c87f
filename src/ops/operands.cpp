#include "ops/operands.h"

#include <numeric>

#include "core/index.h"

namespace detent {

std::vector<int64_t> integers_of(const Tensor& tensor) {
  if (tensor.type() == DataType::Float32 || tensor.type() == DataType::Float64 || tensor.type() == DataType::Float16)
    throw Error(ErrorCode::InvalidModel, "expected a tensor of integers, got " + std::string(name_of(tensor.type())));
  const Tensor wide = cast(to_plain(tensor), DataType::Int64);
  const auto data = wide.data<int64_t>();
  return {data.begin(), data.end()};
}

void check_not_empty(const Tensor& tensor) {
  if (tensor.element_count() < 1) throw Error(ErrorCode::InvalidModel, "expected a scalar, got an empty tensor");
}

float scalar_of(const Tensor& tensor) {
  check_not_empty(tensor);
  return cast(tensor, DataType::Float32).data<float>()[0];
}

size_t axis_from_front(int64_t axis, size_t rank) {
  const auto extent = as_extent(rank);
  if (axis < -extent || axis >= extent)
    throw Error(ErrorCode::InvalidModel,
                "axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
  return as_index(axis < 0 ? axis + extent : axis);
}

std::array<bool, Shape::kMaxRank> axes_from_front(const std::vector<int64_t>& axes, size_t rank) {
  std::array<bool, Shape::kMaxRank> which{};
  for (const int64_t axis : axes) which[axis_from_front(axis, rank)] = true;
  return which;
}

std::vector<int64_t> all_axes(size_t rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

IntegerOperand::IntegerOperand(const KernelContext& context, std::string_view attribute, int slot) : slot_(slot) {
  if (context.node.has(attribute)) {
    fixed_ = context.node.ints_or(attribute, {});
  } else if (slot >= 0) {
    if (const Tensor* constant = context.constant(static_cast<size_t>(slot))) fixed_ = integers_of(*constant);
  }
}

std::optional<std::vector<int64_t>> IntegerOperand::values(const KernelCall& call) const {
  if (fixed_ || slot_ < 0 || !call.has_input(static_cast<size_t>(slot_))) return fixed_;
  return integers_of(call.input(static_cast<size_t>(slot_)));
}

void check_same_type(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type())
    throw Error(ErrorCode::InvalidModel, "operands of types " + std::string(name_of(a.type())) + " and " +
                                             std::string(name_of(b.type())) + ", expected one type");
}

Error unsupported_type(DataType type) {
  return {ErrorCode::Unsupported, "elements of type " + std::string(name_of(type)) + " are not supported here"};
}

}  // namespace detent
