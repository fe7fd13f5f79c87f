#include "core/checked_size.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/broadcast.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

void expand(KernelCall& call) {
  const Tensor& input = call.input(0);
  const Tensor wanted =
      Tensor::view(DataType::UInt8, Shape(integers_of(call.input(1))), nullptr);  // a shape, never read
  const Broadcast broadcast(std::array{&input, &wanted}, call.allocator());
  if (broadcast.output() == input.shape()) return call.set_output(0, input);
  std::vector<CopyLoop> loops;
  int64_t inner = broadcast.output().element_count();
  for (const Broadcast::Loop& loop : broadcast.loops()) {
    if (inner > 0) inner /= loop.extent;
    loops.push_back({loop.extent, loop.strides[0], inner});
  }
  Tensor& output = call.make_output(0, input.type(), broadcast.output());
  copy_strided(input.raw(), output.mutable_raw(), byte_size(input.type()), std::move(loops));
}

void tile(KernelCall& call) {
  Tensor current = call.input(0);
  const std::vector<int64_t> repeats = integers_of(call.input(1));
  if (repeats.size() != current.shape().rank())
    throw Error(ErrorCode::InvalidModel,
                std::to_string(repeats.size()) + " repeats for a tensor of shape " + current.shape().to_string());
  for (size_t axis = 0; axis < repeats.size(); ++axis) {
    if (repeats[axis] == 1) continue;
    if (repeats[axis] < 0) throw Error(ErrorCode::InvalidModel, "a repeat is negative");
    const int64_t extent = current.shape()[axis];
    std::vector<int64_t> table = axis_table(checked_product(extent, repeats[axis], "the extent of the repeated axis"));
    for (size_t i = 0; i < table.size(); ++i) table[i] = as_extent(i) % extent;
    current = gathered(current, axis, table, nullptr, call.allocator());
  }
  call.set_output(0, std::move(current));
}

}  // namespace

std::vector<OperatorDef> tile_expand_operators() {
  return {
      {"Expand", {.kind = OpKind::Expand, .commutes = true, .data_inputs = 1}, stateless<expand>, 8},
      {"Tile", {.kind = OpKind::Tile, .commutes = true, .data_inputs = 1}, stateless<tile>, 6},
  };
}

}  // namespace detent
