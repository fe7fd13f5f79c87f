#include <algorithm>

#include "model/graph/file_boundary.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// FrameBoundary(value, frame, lengths) -> (one frame of the value, number of frames). With the attribute `keep` the
/// axis stays, with extent 1. A frame behind the last one is the last one.
struct FrameSettings {
  int64_t axis = 1;
  bool keep = true;
};

FrameSettings read_settings(const Node& node) { return {node.int_or("axis", 1), node.int_or("keep", 1) != 0}; }

int64_t frame_count(KernelCall& call, int64_t extent) {
  if (!call.has_input(2)) return extent;
  const std::vector<int64_t> lengths = integers_of(call.input(2));
  return lengths.empty() ? extent : std::clamp<int64_t>(lengths.front(), 0, extent);
}

void take_frame(KernelCall& call, const FrameSettings& settings) {
  const Tensor& value = call.input(0);
  const Shape& shape = value.shape();
  const size_t axis = axis_from_front(settings.axis, shape.rank());
  const int64_t extent = shape[axis];
  if (extent == 0)
    throw Error(ErrorCode::InvalidData,
                "there is no frame: axis " + std::to_string(axis) + " of " + shape.to_string() + " is empty");
  const std::vector<int64_t> wanted = integers_of(call.input(1));
  const int64_t frame = std::clamp<int64_t>(wanted.empty() ? 0 : wanted.front(), 0, extent - 1);
  Shape one(shape.dims().first(axis));
  if (settings.keep) one.push_back(1);
  for (size_t i = axis + 1; i < shape.rank(); ++i) one.push_back(shape[i]);
  const int64_t before = shape.element_count(0, axis), behind = shape.element_count(axis + 1, shape.rank());
  Tensor& output = call.make_output(0, value.type(), one);
  const size_t bytes = byte_size(value.type());
  if (output.element_count() > 0)
    copy_strided(static_cast<const std::byte*>(value.raw()) + static_cast<size_t>(frame * behind) * bytes,
                 output.mutable_raw(), bytes, {{before, extent * behind, behind}, {behind, 1, 1}});
  if (!call.wants_output(1)) return;
  call.make_output(1, DataType::Int64, Shape{1}).mutable_data<int64_t>()[0] = frame_count(call, extent);
}

}  // namespace

const OperatorDef& frame_boundary_operator() {
  static const OperatorDef definition{
      .op_type = kFrameBoundary, .traits = {.data_inputs = 1}, .make = make_with<read_settings, take_frame>};
  return definition;
}

}  // namespace detent
