#include <numeric>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Each of `to` centred elements takes this index of an axis of `from` elements; -1 = zero padding.
std::vector<int64_t> centred_table(int64_t from, int64_t to) {
  const int64_t shift = from >= to ? (from - to) / 2 : -((to - from) / 2);
  std::vector<int64_t> table = axis_table(to);
  for (int64_t i = 0; i < to; ++i) table[as_index(i)] = i + shift >= 0 && i + shift < from ? i + shift : -1;
  return table;
}

std::unique_ptr<Kernel> make_center_crop_pad(const KernelContext& context) {
  return kernel_of([listed = context.node.ints_or("axes", {})](KernelCall& call) {
    Tensor current = call.input(0);
    std::vector<int64_t> axes = listed;
    if (axes.empty()) {
      axes.resize(current.shape().rank());
      std::iota(axes.begin(), axes.end(), 0);
    }
    const std::vector<int64_t> wanted = integers_of(call.input(1));
    if (wanted.size() != axes.size())
      throw Error(ErrorCode::InvalidModel,
                  std::to_string(wanted.size()) + " extents for " + std::to_string(axes.size()) + " axes");
    const uint64_t zero = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t axis = axis_from_front(axes[i], current.shape().rank());
      if (wanted[i] < 0) throw Error(ErrorCode::InvalidData, "an extent of " + std::to_string(wanted[i]));
      const AxisView view = view_around(current.shape(), Layout::Plain, axis);
      Shape to = current.shape();
      to[axis] = wanted[i];
      Tensor next(current.type(), to, call.allocator());
      if (next.element_count() > 0)
        gather_axis(current.raw(), next.mutable_raw(), byte_size(current.type()), view,
                    centred_table(view.extent, wanted[i]), &zero);
      current = std::move(next);
    }
    call.set_output(0, std::move(current));
  });
}

constexpr OperatorDef kCenterCropPadDefinitions[] = {
    {"CenterCropPad", "input_data shape -> output_data; axes:ints", {.data_inputs = 1}, make_center_crop_pad, 18},
};

}  // namespace

std::span<const OperatorDef> center_crop_pad_operators() { return kCenterCropPadDefinitions; }

}  // namespace detent
