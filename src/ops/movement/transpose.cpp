#include <numeric>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// True when only extents of 1 change places.
bool keeps_order(const Shape& shape, const std::vector<int64_t>& order) {
  int64_t last = -1;
  for (const int64_t axis : order) {
    if (shape[as_index(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

void check_permutation(const std::vector<int64_t>& order, size_t rank) {
  const auto seen = axes_from_front(order, rank);
  size_t count = 0;
  for (size_t i = 0; i < rank; ++i) count += seen[i];
  if (order.size() != rank || count != rank)
    throw Error(ErrorCode::InvalidModel, "attribute perm is not a permutation of " + std::to_string(rank) + " axes");
}

void transpose(KernelCall& call, std::vector<int64_t> order) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  if (order.empty() && shape.rank() > 0) {
    order.resize(shape.rank());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  check_permutation(order, shape.rank());
  for (int64_t& axis : order) axis = as_extent(axis_from_front(axis, shape.rank()));
  Shape transposed;
  for (const int64_t axis : order) transposed.push_back(shape[as_index(axis)]);
  if (keeps_order(shape, order)) return call.set_output(0, input.reshaped(transposed));

  std::vector<CopyLoop> loops;
  for (size_t i = 0; i < order.size(); ++i)
    loops.push_back({transposed[i], shape.element_count(as_index(order[i]) + 1, shape.rank()),
                     transposed.element_count(i + 1, transposed.rank())});
  Tensor& output = call.make_output(0, input.type(), transposed);
  copy_strided(input.raw(), output.mutable_raw(), byte_size(input.type()), std::move(loops));
}

std::unique_ptr<Kernel> make_transpose(const KernelContext& context) {
  return kernel_of([order = context.node.ints_or("perm", {})](KernelCall& call) { transpose(call, order); });
}

constexpr OperatorDef kTransposeDefinitions[] = {
    {.op_type = "Transpose",
     .signature = "data -> transposed; perm:ints",
     .traits = {.kind = OpKind::Transpose, .commutes = true, .data_inputs = 1},
     .make = make_transpose},
};

}  // namespace

std::span<const OperatorDef> transpose_operators() { return kTransposeDefinitions; }

}  // namespace detent
