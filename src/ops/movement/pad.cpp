#include <algorithm>

#include "core/checked_size.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"

namespace detent {

namespace {

enum class PadMode : uint8_t { Constant, Reflect, Edge, Wrap };

constexpr Named<PadMode> kPadModes[] = {
    {"constant", PadMode::Constant}, {"reflect", PadMode::Reflect}, {"edge", PadMode::Edge}, {"wrap", PadMode::Wrap}};

PadMode pad_mode(const Node& node) { return value_named(node, "mode", "constant", kPadModes); }

struct Padding {
  int64_t begin = 0, end = 0;  // negative crops
};

/// Returns the input index of element `i` of an endlessly padded axis of `extent` elements; -1 for the fill value.
int64_t source_of(PadMode mode, int64_t i, int64_t extent) {
  if (i >= 0 && i < extent) return i;
  if (extent == 0) return -1;
  switch (mode) {
    case PadMode::Constant: return -1;
    case PadMode::Edge: return i < 0 ? 0 : extent - 1;
    case PadMode::Wrap: return ((i % extent) + extent) % extent;
    case PadMode::Reflect: {
      if (extent == 1) return 0;
      const int64_t period = 2 * (extent - 1);
      const int64_t phase = ((i % period) + period) % period;
      return phase < extent ? phase : period - phase;
    }
  }
  return -1;
}

/// Returns the input index of every element of a padded axis. Elements cropped at one end do not come back at the
/// other: the rest is padded, as in ONNX Runtime (the text of ONNX says nothing, numpy.pad refuses negative amounts).
std::vector<int64_t> sources_of(PadMode mode, Padding padding, int64_t extent) {
  const int64_t cropped = std::clamp<int64_t>(-padding.begin, 0, extent);
  const int64_t rest = std::max<int64_t>(extent - cropped - std::max<int64_t>(-padding.end, 0), 0);
  std::vector<int64_t> table = axis_table(extent + padding.begin + padding.end);
  for (size_t i = 0; i < table.size(); ++i) {
    const int64_t at = source_of(mode, as_extent(i) - std::max<int64_t>(padding.begin, 0), rest);
    table[i] = at < 0 ? -1 : at + cropped;
  }
  return table;
}

/// Pads one axis after the other; untouched axes cost nothing.
/// shape_suffices  the elements stay unseen zeros
Tensor pad_axes(const Tensor& input, const std::vector<Padding>& paddings, PadMode mode, const void* fill,
                bool shape_suffices, Allocator& allocator) {
  Tensor current = input;
  for (size_t axis = 0; axis < paddings.size(); ++axis) {
    const auto [begin, end] = paddings[axis];
    if (begin == 0 && end == 0) continue;
    constexpr int64_t kMost = int64_t{1} << 56;  // sums of a few stay within 64 bits; no memory holds as many
    if (std::abs(begin / 2) > kMost || std::abs(end / 2) > kMost)
      throw Error(ErrorCode::InvalidData,
                  "no tensor can be padded by " + std::to_string(begin) + " and " + std::to_string(end));
    Shape shape = current.shape();
    shape[axis] = checked_sum(shape[axis], begin + end, "the extent of the padded axis");
    if (shape[axis] < 0)
      throw Error(ErrorCode::InvalidData, "padding crops axis " + std::to_string(axis) + " below nothing");
    if (shape_suffices)
      current = unseen_zeros(shape, input.type());
    else
      current = gathered(current, axis, sources_of(mode, paddings[axis], current.shape()[axis]), fill, allocator);
  }
  return current;
}

std::vector<Padding> paddings_of(const std::vector<int64_t>& pads, const std::vector<int64_t>& axes, size_t rank) {
  if (pads.size() != 2 * axes.size())
    throw Error(ErrorCode::InvalidModel,
                std::to_string(pads.size()) + " pads for " + std::to_string(axes.size()) + " axes");
  std::vector<Padding> paddings(rank);
  for (size_t i = 0; i < axes.size(); ++i) paddings[axis_from_front(axes[i], rank)] = {pads[i], pads[i + axes.size()]};
  return paddings;
}

std::unique_ptr<Kernel> make_pad(const KernelContext& context) {
  return kernel_of([mode = pad_mode(context.node), value = context.node.float_or("value", 0),
                    pads = IntegerOperand(context, "pads", 1), shape_suffices = context.shape_suffices,
                    axes = IntegerOperand(context, "axes", 3)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const auto amounts = pads.values(call);
    if (!amounts) throw Error(ErrorCode::InvalidModel, "the pads are missing");
    const bool has_value = call.has_input(2) && call.input(2).element_count() == 1;
    const Tensor fill = cast(has_value ? call.input(2) : Tensor::scalar(value), input.type());
    const auto paddings =
        paddings_of(*amounts, axes.values(call).value_or(all_axes(input.shape().rank())), input.shape().rank());
    const bool unseen = shape_suffices && input.type() != DataType::String;
    call.set_output(0, pad_axes(input, paddings, mode, fill.raw(), unseen, call.allocator()));
  });
}

/// Returns the index on an axis of `from` elements for each of `to` centred elements; -1 = zero padding.
std::vector<int64_t> centred_table(int64_t from, int64_t to) {
  const int64_t shift = from >= to ? (from - to) / 2 : -((to - from) / 2);
  std::vector<int64_t> table = axis_table(to);
  for (int64_t i = 0; i < to; ++i) table[as_index(i)] = i + shift >= 0 && i + shift < from ? i + shift : -1;
  return table;
}

std::unique_ptr<Kernel> make_center_crop_pad(const KernelContext& context) {
  return kernel_of([listed = context.node.ints_or("axes", {})](KernelCall& call) {
    Tensor current = call.input(0);
    const std::vector<int64_t> axes = listed.empty() ? all_axes(current.shape().rank()) : listed;
    const std::vector<int64_t> wanted = integers_of(call.input(1));
    if (wanted.size() != axes.size())
      throw Error(ErrorCode::InvalidModel,
                  std::to_string(wanted.size()) + " extents for " + std::to_string(axes.size()) + " axes");
    const uint64_t zero = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t axis = axis_from_front(axes[i], current.shape().rank());
      if (wanted[i] < 0) throw Error(ErrorCode::InvalidData, "an extent of " + std::to_string(wanted[i]));
      current = gathered(current, axis, centred_table(current.shape()[axis], wanted[i]), &zero, call.allocator());
    }
    call.set_output(0, std::move(current));
  });
}

}  // namespace

std::vector<OperatorDef> pad_operators() {
  const OpTraits pad{.kind = OpKind::Pad, .commutes = true, .data_inputs = 1};
  return {
      // Padding with another value than 0 does not commute; whoever moves a pair across a Pad must look at the value.
      {"Pad", pad, make_pad, 2, LayoutNeed::Any, refuse_unreadable<pad_mode>},
      {"CenterCropPad", {.data_inputs = 1}, make_center_crop_pad, 18},
  };
}

}  // namespace detent
