// Transpose, DepthToSpace and SpaceToDepth: copies with the axes in another order.

#include <array>
#include <numeric>

#include "core/checked_size.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"

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

struct TransposeOptions {
  std::vector<int64_t> order;
  bool shape_suffices;

  explicit TransposeOptions(const KernelContext& context)
      : order(context.node.ints_or("perm", {})), shape_suffices(context.shape_suffices) {}
};

void transpose(KernelCall& call, const TransposeOptions& options) {
  std::vector<int64_t> order = options.order;
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
  if (leave_unseen(call, 0, options.shape_suffices, transposed, input.type())) return;

  std::vector<CopyLoop> loops;
  for (size_t i = 0; i < order.size(); ++i)
    loops.push_back({transposed[i], shape.element_count(as_index(order[i]) + 1, shape.rank()),
                     transposed.element_count(i + 1, transposed.rank())});
  Tensor& output = call.make_output(0, input.type(), transposed);
  copy_strided(input.raw(), output.mutable_raw(), byte_size(input.type()), std::move(loops));
}

std::unique_ptr<Kernel> make_transpose(const KernelContext& context) {
  return kernel_of([options = TransposeOptions(context)](KernelCall& call) { transpose(call, options); });
}

/// Extents of channels and space as six axes, of which two change places with the others.
using Six = std::array<int64_t, 6>;

/// Copies input 0 to output 0. order[i]  the input axis that output axis i walks along.
void permute(KernelCall& call, const Six& extents, const std::array<size_t, 6>& order, const Shape& shape) {
  const Tensor& input = call.input(0);
  Six strides{};
  int64_t stride = 1;
  for (size_t i = 6; i-- > 0; stride *= extents[i]) strides[i] = stride;
  std::vector<CopyLoop> loops(6);
  int64_t out_stride = 1;
  for (size_t i = 6; i-- > 0; out_stride *= extents[order[i]])
    loops[i] = {extents[order[i]], strides[order[i]], out_stride};
  Tensor& output = call.make_output(0, input.type(), shape);
  copy_strided(input.raw(), output.mutable_raw(), byte_size(input.type()), std::move(loops));
}

int64_t block_of(const KernelContext& context) {
  const int64_t block = context.node.int_or("blocksize", 0);
  constexpr int64_t kMost = 1 << 20;  // squared and multiplied with an extent it stays within 64 bits
  if (block < 1 || block > kMost)
    throw Error(ErrorCode::InvalidModel,
                "attribute 'blocksize' is " + std::to_string(block) + ", expected 1 to " + std::to_string(kMost));
  return block;
}

[[noreturn]] void refuse_depth(const Shape& shape, int64_t block) {
  throw Error(ErrorCode::InvalidData,
              "a tensor of shape " + shape.to_string() + " cannot be cut into blocks of " + std::to_string(block));
}

/// Returns true when the channels of a block's element lie together, one group of all channels an element (DCR); false
/// when the elements of each channel do (CRD).
bool is_depth_first(const KernelContext& context) {
  constexpr Named<bool> kModes[] = {{"DCR", true}, {"CRD", false}};
  return value_named(context.node, "mode", "DCR", kModes);
}

std::unique_ptr<Kernel> make_depth_to_space(const KernelContext& context) {
  return kernel_of([block = block_of(context), depth_first = is_depth_first(context)](KernelCall& call) {
    const Shape& s = call.input(0).shape();
    if (s.rank() != 4 || s[1] % (block * block) != 0) refuse_depth(s, block);
    const int64_t depth = s[1] / (block * block);
    const Shape shape{s[0], depth, checked_product(s[2], block, "the height"),
                      checked_product(s[3], block, "the width")};
    if (depth_first)
      permute(call, {s[0], block, block, depth, s[2], s[3]}, {0, 3, 4, 1, 5, 2}, shape);
    else
      permute(call, {s[0], depth, block, block, s[2], s[3]}, {0, 1, 4, 2, 5, 3}, shape);
  });
}

std::unique_ptr<Kernel> make_space_to_depth(const KernelContext& context) {
  return kernel_of([block = block_of(context), depth_first = is_depth_first(context)](KernelCall& call) {
    const Shape& s = call.input(0).shape();
    if (s.rank() != 4 || s[2] % block != 0 || s[3] % block != 0) refuse_depth(s, block);
    const Shape shape{s[0], checked_product(s[1], block * block, "the number of channels"), s[2] / block, s[3] / block};
    const Six extents{s[0], s[1], s[2] / block, block, s[3] / block, block};
    if (depth_first)
      permute(call, extents, {0, 3, 5, 1, 2, 4}, shape);
    else
      permute(call, extents, {0, 1, 3, 5, 2, 4}, shape);
  });
}

}  // namespace

std::vector<OperatorDef> permute_operators() {
  return {
      {"Transpose", {.kind = OpKind::Transpose, .commutes = true, .data_inputs = 1}, make_transpose},
      {"DepthToSpace", {.kind = OpKind::DepthToSpace, .commutes = true, .data_inputs = 1}, make_depth_to_space},
      {"SpaceToDepth", {.kind = OpKind::SpaceToDepth, .commutes = true, .data_inputs = 1}, make_space_to_depth},
  };
}

}  // namespace detent
