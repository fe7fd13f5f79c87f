#include <algorithm>
#include <numeric>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/join.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"

namespace detent {

namespace {

/// Returns the layout for the result: channels-last where an input has it and its order differs.
Layout common_layout(std::span<const Tensor> inputs) {
  const bool last = std::ranges::any_of(inputs, [](const Tensor& input) {
    return input.layout() == Layout::ChannelsLast && !layout_is_moot(input.shape());
  });
  return last ? Layout::ChannelsLast : Layout::Plain;
}

std::unique_ptr<Kernel> make_concat(const KernelContext& context) {
  if (!context.node.has("axis")) throw Error(ErrorCode::InvalidModel, "attribute axis is missing");
  return kernel_of([axis = context.node.int_or("axis", 0), shape_suffices = context.shape_suffices](KernelCall& call) {
    if (call.input_count() == 0) throw Error(ErrorCode::InvalidModel, "at least one input was expected");
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < call.input_count(); ++i) inputs.push_back(call.input(i));
    const Shape shape = joined_shape(inputs, axis);
    call.tell_output(shape);
    const Tensor& first = inputs.front();
    const bool numbers = !first.is_sequence() && first.type() != DataType::String;
    call.set_output(0, shape_suffices && numbers  // a value that is joined with itself grows beyond any memory
                           ? unseen_zeros(shape, first.type())
                           : join(inputs, axis, call.allocator(), common_layout(inputs)));
  });
}

/// Returns the extents of the parts when the model does not list them: equal, the last one smaller where they do not
/// divide (opset 18).
std::vector<int64_t> equal_parts(int64_t extent, size_t parts) {
  const auto count = as_extent(parts);
  const int64_t each = extent / count + (extent % count != 0);
  std::vector<int64_t> extents;
  for (int64_t i = 0; i < count; ++i) extents.push_back(std::clamp(extent, int64_t{0}, each)), extent -= extents.back();
  return extents;
}

std::unique_ptr<Kernel> make_split(const KernelContext& context) {
  const auto parts =
      static_cast<size_t>(context.node.int_or("num_outputs", static_cast<int64_t>(context.node.outputs.size())));
  constexpr size_t kMostParts = 1 << 16;
  if (parts < 1 || parts > kMostParts)
    throw Error(ErrorCode::InvalidModel, "attribute 'num_outputs' must be 1 to " + std::to_string(kMostParts));
  return kernel_of([parts, axis_attribute = context.node.int_or("axis", 0), shape_suffices = context.shape_suffices,
                    lengths = IntegerOperand(context, "split", 1)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const size_t axis = axis_from_front(axis_attribute, input.shape().rank());
    const int64_t extent = input.shape()[axis];
    const std::vector<int64_t> split = lengths.values(call).value_or(equal_parts(extent, parts));
    const auto outside = [&](int64_t part) { return part < 0 || part > extent; };
    // No sum of parts that fit overflows.
    if (std::ranges::any_of(split, outside) || std::accumulate(split.begin(), split.end(), int64_t{0}) != extent)
      throw Error(ErrorCode::InvalidData,
                  "the parts do not add up to axis " + std::to_string(axis) + " of " + input.shape().to_string());
    const size_t bytes = byte_size(input.type());
    const AxisView view = view_around(input.shape(), input.layout(), axis);
    const bool unseen = shape_suffices && input.type() != DataType::String;
    const std::byte* source = unseen ? nullptr : static_cast<const std::byte*>(input.raw());
    for (size_t i = 0; i < split.size(); ++i) {
      const int64_t run = input.element_count() == 0 ? 0 : split[i] * view.inner;
      if (call.wants_output(i)) {
        Shape shape = input.shape();
        shape[axis] = split[i];
        if (leave_unseen(call, i, unseen, shape, input.type())) continue;
        Tensor& output = call.make_output(i, input.type(), shape, input.layout());
        if (output.element_count() == 0) continue;  // its extents may be too large for offsets
        copy_strided(source, output.mutable_raw(), bytes, {{view.outer, view.extent * view.inner, run}, {run, 1, 1}});
      }
      if (!unseen) source += as_index(run) * bytes;
    }
  });
}

}  // namespace

std::vector<OperatorDef> concat_split_operators() {
  return {
      {"Concat", {.kind = OpKind::Concat, .commutes = true}, make_concat, 4, LayoutNeed::Any},
      {"Split", {.kind = OpKind::Split, .commutes = true, .data_inputs = 1}, make_split, 2, LayoutNeed::Any},
  };
}

}  // namespace detent
