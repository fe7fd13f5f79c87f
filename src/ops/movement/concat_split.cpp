#include <algorithm>
#include <numeric>

#include "core/checked_size.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"

namespace detent {

namespace {

Layout common_layout(const KernelCall& call) {
  for (size_t i = 0; i < call.input_count(); ++i)
    if (call.input(i).layout() == Layout::ChannelsLast && !layout_is_moot(call.input(i).shape()))
      return Layout::ChannelsLast;
  return Layout::Plain;
}

Shape concatenated_shape(const KernelCall& call, size_t axis) {
  Shape shape = call.input(0).shape();
  for (size_t i = 1; i < call.input_count(); ++i) {
    const Shape& other = call.input(i).shape();
    bool fits = other.rank() == shape.rank();
    for (size_t k = 0; fits && k < shape.rank(); ++k) fits = k == axis || other[k] == shape[k];
    if (!fits || call.input(i).type() != call.input(0).type())
      throw Error(ErrorCode::InvalidData,
                  "input " + std::to_string(i) + " of shape " + other.to_string() + " and type " +
                      std::string(name_of(call.input(i).type())) + " does not fit the first one of shape " +
                      call.input(0).shape().to_string() + " along axis " + std::to_string(axis));
    shape[axis] = checked_sum(shape[axis], other[axis], "the extent of the joined axis");
  }
  return shape;
}

std::unique_ptr<Kernel> make_concat(const KernelContext& context) {
  if (!context.node.has("axis")) throw Error(ErrorCode::InvalidModel, "attribute axis is missing");
  return kernel_of(
      [axis_attribute = context.node.int_or("axis", 0), shape_suffices = context.shape_suffices](KernelCall& call) {
        if (call.input_count() == 0) throw Error(ErrorCode::InvalidModel, "at least one input was expected");
        const size_t axis = axis_from_front(axis_attribute, call.input(0).shape().rank());
        const Shape shape = concatenated_shape(call, axis);
        const bool numbers = !call.input(0).is_sequence() && call.input(0).type() != DataType::String;
        if (shape_suffices && numbers) {  // a value that is joined with itself grows beyond any memory
          call.tell_output(shape);
          return call.set_output(0, unseen_zeros(shape, call.input(0).type()));
        }
        const Layout layout = common_layout(call);
        const size_t bytes = byte_size(call.input(0).type());
        Tensor& output = call.make_output(0, call.input(0).type(), shape, layout);
        if (output.element_count() == 0) return;  // its extents may be too large for offsets
        const AxisView view = view_around(shape, layout, axis);
        auto* target = static_cast<std::byte*>(output.mutable_raw());
        for (size_t i = 0; i < call.input_count(); ++i) {
          const Tensor input = layout == Layout::Plain ? to_plain(call.input(i), call.allocator())
                                                       : to_channels_last(call.input(i), call.allocator());
          const int64_t run = input.shape()[axis] * view.inner;
          copy_strided(input.raw(), target, bytes, {{view.outer, run, view.extent * view.inner}, {run, 1, 1}});
          target += as_index(run) * bytes;
        }
      });
}

/// Extents of the parts when the model does not list them: equal, the last one smaller where it does not divide (opset
/// 18).
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
  return kernel_of([parts, axis_attribute = context.node.int_or("axis", 0),
                    lengths = IntegerOperand(context, "split", 1)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const size_t axis = axis_from_front(axis_attribute, input.shape().rank());
    const int64_t extent = input.shape()[axis];
    const std::vector<int64_t> split = lengths.values(call).value_or(equal_parts(extent, parts));
    const auto outside = [&](int64_t part) { return part < 0 || part > extent; };
    // Without those no sum overflows.
    if (std::ranges::any_of(split, outside) || std::accumulate(split.begin(), split.end(), int64_t{0}) != extent)
      throw Error(ErrorCode::InvalidData,
                  "the parts do not add up to axis " + std::to_string(axis) + " of " + input.shape().to_string());
    const size_t bytes = byte_size(input.type());
    const AxisView view = view_around(input.shape(), input.layout(), axis);
    const auto* source = static_cast<const std::byte*>(input.raw());
    for (size_t i = 0; i < split.size(); ++i) {
      const int64_t run = input.element_count() == 0 ? 0 : split[i] * view.inner;
      if (call.wants_output(i)) {
        Shape shape = input.shape();
        shape[axis] = split[i];
        Tensor& output = call.make_output(i, input.type(), shape, input.layout());
        if (output.element_count() == 0) continue;  // its extents may be too large for offsets
        copy_strided(source, output.mutable_raw(), bytes, {{view.outer, view.extent * view.inner, run}, {run, 1, 1}});
      }
      source += as_index(run) * bytes;
    }
  });
}

constexpr OperatorDef kConcatSplitDefinitions[] = {
    {.op_type = "Concat",
     .signature = "inputs+ -> concat_result; axis:int!",
     .traits = {.kind = OpKind::Concat, .commutes = true},
     .make = make_concat,
     .first_opset = 4,
     .layout = LayoutNeed::Any},
    {.op_type = "Split",
     .signature = "input -> outputs+; axis:int split:ints | 13: input split? -> outputs+; axis:int | 18: input split? "
                  "-> outputs+; axis:int num_outputs:int",
     .traits = {.kind = OpKind::Split, .commutes = true, .data_inputs = 1},
     .make = make_split,
     .first_opset = 2,
     .layout = LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> concat_split_operators() { return kConcatSplitDefinitions; }

}  // namespace detent
