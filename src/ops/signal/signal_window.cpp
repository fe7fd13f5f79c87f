#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/stop.h"
#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N)
struct Cosines {
  std::string_view op_type;
  double a0, a1, a2;
};

constexpr Cosines kWindows[] = {
    {"HannWindow", 0.5, 0.5, 0},
    {"HammingWindow", 25.0 / 46, 21.0 / 46, 0},
    {"BlackmanWindow", 0.42, 0.5, 0.08},
};

DataType signal_window_type(const Node& node) { return data_type_from_onnx(node.int_or("output_datatype", 1)); }

/// N is the size of a periodic window, one less for a symmetric one.
std::unique_ptr<Kernel> make_window(const KernelContext& context) {
  const auto* window = std::ranges::find(kWindows, std::string_view(context.node.op_type), &Cosines::op_type);
  const bool periodic = context.node.int_or("periodic", 1) != 0;
  return kernel_of([window = *window, periodic, type = signal_window_type(context.node)](KernelCall& call) {
    const std::vector<int64_t> size = integers_of(call.input(0));
    if (size.size() != 1 || size[0] < 0) throw Error(ErrorCode::InvalidData, "one size of 0 or more was expected");
    Tensor values(DataType::Float64, Shape{size[0]}, call.allocator());
    const double period = static_cast<double>(periodic ? size[0] : std::max<int64_t>(1, size[0] - 1));
    auto out = values.mutable_data<double>();
    in_stoppable_blocks(out.size(), [&](size_t first, size_t last) {
      for (size_t n = first; n < last; ++n) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(n) / period;
        out[n] = window.a0 - window.a1 * std::cos(angle) + window.a2 * std::cos(2 * angle);
      }
    });
    call.set_output(0, cast(values, type, call.allocator()));
  });
}

std::optional<Unsupported> refuse_signal_window_type(const KernelContext& context) {
  if (signal_window_type(context.node) != DataType::Undefined) return std::nullopt;
  return Unsupported{"an output element type which Detent does not compute with"};
}

constexpr OperatorDef kSignalWindowDefinitions[] = {
    {.op_type = "HannWindow",
     .signature = "size -> output; output_datatype:int periodic:int",
     .traits = {.data_inputs = 0},
     .make = make_window,
     .first_opset = 17,
     .check = refuse_signal_window_type},
    {.op_type = "HammingWindow",
     .signature = "size -> output; output_datatype:int periodic:int",
     .traits = {.data_inputs = 0},
     .make = make_window,
     .first_opset = 17,
     .check = refuse_signal_window_type},
    {.op_type = "BlackmanWindow",
     .signature = "size -> output; output_datatype:int periodic:int",
     .traits = {.data_inputs = 0},
     .make = make_window,
     .first_opset = 17,
     .check = refuse_signal_window_type},
};

}  // namespace

std::span<const OperatorDef> signal_window_operators() { return kSignalWindowDefinitions; }

}  // namespace detent
