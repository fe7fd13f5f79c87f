#include <algorithm>
#include <string>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Makes a kernel that returns the extents [start, end), both clamped as slices are (opset 15).
std::unique_ptr<Kernel> make_shape(const KernelContext& context) {
  const int64_t start = context.node.int_or("start", 0);
  const int64_t end = context.node.int_or("end", static_cast<int64_t>(Shape::kMaxRank));
  return kernel_of([start, end](KernelCall& call) {
    const Shape& shape = call.input(0).shape();
    const auto rank = as_extent(shape.rank());
    const int64_t first = std::clamp(start < 0 ? start + rank : start, int64_t{0}, rank);
    const int64_t last = std::clamp(end < 0 ? end + rank : end, first, rank);
    auto out = call.make_output(0, DataType::Int64, Shape{last - first}).mutable_data<int64_t>();
    std::copy(shape.begin() + first, shape.begin() + last, out.begin());
  });
}

void run_size(KernelCall& call) {
  call.make_output(0, DataType::Int64, Shape{}).mutable_data<int64_t>()[0] = call.input(0).element_count();
}

Shape resolve_reshape(const Shape& input, const std::vector<int64_t>& wanted, bool allow_zero) {
  Shape shape;
  int64_t known = 1;
  size_t open = wanted.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t extent = wanted[i];
    if (extent == 0 && !allow_zero && i < input.rank()) extent = input[i];
    if (extent == -1 && open == wanted.size())
      open = i;
    else if (extent < 0)
      throw Error(ErrorCode::InvalidModel, "shape has more than one -1 or another negative extent");
    else
      known = Shape{known, extent}.element_count();
    shape.push_back(extent);
  }
  if (open < wanted.size()) shape[open] = known == 0 ? 0 : input.element_count() / known;
  if (shape.element_count() != input.element_count())
    throw Error(ErrorCode::InvalidData,
                "a tensor of shape " + input.to_string() + " cannot be viewed as " + shape.to_string());
  return shape;
}

std::unique_ptr<Kernel> make_reshape(const KernelContext& context) {
  const bool allow_zero = context.node.int_or("allowzero", 0) != 0;
  return kernel_of([allow_zero, wanted = IntegerOperand(context, "shape", 1)](KernelCall& call) {
    const auto values = wanted.values(call);
    if (!values) throw Error(ErrorCode::InvalidModel, "the new shape is missing");
    call.set_output(0, call.input(0).reshaped(resolve_reshape(call.input(0).shape(), *values, allow_zero)));
  });
}

std::unique_ptr<Kernel> make_flatten(const KernelContext& context) {
  return kernel_of([axis = context.node.int_or("axis", 1)](KernelCall& call) {
    const Shape& shape = call.input(0).shape();
    const auto rank = as_extent(shape.rank());
    if (axis < -rank || axis > rank)
      throw Error(ErrorCode::InvalidModel,
                  "axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
    const auto split = as_index(axis < 0 ? axis + rank : axis);
    call.set_output(
        0, call.input(0).reshaped(Shape{shape.element_count(0, split), shape.element_count(split, shape.rank())}));
  });
}

std::unique_ptr<Kernel> make_squeeze(const KernelContext& context) {
  return kernel_of([operand = IntegerOperand(context, "axes", 1)](KernelCall& call) {
    const Shape& shape = call.input(0).shape();
    const auto axes = operand.values(call);
    const auto drop = axes_from_front(axes.value_or(std::vector<int64_t>{}), shape.rank());
    Shape squeezed;
    for (size_t i = 0; i < shape.rank(); ++i) {
      if (axes && drop[i] && shape[i] != 1)
        throw Error(ErrorCode::InvalidData,
                    "axis " + std::to_string(i) + " of " + shape.to_string() + " is not 1 and cannot be dropped");
      const bool dropped = axes ? drop[i] : shape[i] == 1;
      if (!dropped) squeezed.push_back(shape[i]);
    }
    call.set_output(0, call.input(0).reshaped(squeezed));
  });
}

std::unique_ptr<Kernel> make_unsqueeze(const KernelContext& context) {
  return kernel_of([operand = IntegerOperand(context, "axes", 1)](KernelCall& call) {
    const auto axes = operand.values(call);
    if (!axes) throw Error(ErrorCode::InvalidModel, "the axes are missing");
    const Shape& shape = call.input(0).shape();
    const size_t rank = shape.rank() + axes->size();
    if (rank > Shape::kMaxRank)
      throw Error(ErrorCode::Unsupported, "the result would have " + std::to_string(rank) + " dimensions");
    const auto added = axes_from_front(*axes, rank);
    Shape unsqueezed;
    for (size_t i = 0, next = 0; i < rank; ++i) {
      if (!added[i] && next == shape.rank()) throw Error(ErrorCode::InvalidModel, "an axis is listed twice");
      unsqueezed.push_back(added[i] ? 1 : shape[next++]);
    }
    call.set_output(0, call.input(0).reshaped(unsqueezed));
  });
}

void run_identity(KernelCall& call) { call.set_output(0, call.input(0)); }

constexpr OpTraits kSameElements{.kind = OpKind::Reshape, .commutes = true, .data_inputs = 1};
constexpr OpTraits kShapeOf{.kind = OpKind::ShapeOf, .data_inputs = 1};

}  // namespace

std::vector<OperatorDef> shape_operators() {
  return {
      {"Shape", kShapeOf, make_shape, 1, LayoutNeed::Any},
      {"Size", kShapeOf, stateless<run_size>, 1, LayoutNeed::Any},
      {"Reshape", kSameElements, make_reshape},
      {"Flatten", kSameElements, make_flatten},
      {"Squeeze", kSameElements, make_squeeze},
      {"Unsqueeze", kSameElements, make_unsqueeze},
      {.op_type = "Identity",
       .traits = kSameElements,
       .make = stateless<run_identity>,
       .layout = LayoutNeed::Any,
       .any_value = true},
  };
}

}  // namespace detent
