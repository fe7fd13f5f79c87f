#include <array>

#include "core/checked_size.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Channels and space as six axes of which two change places with the others.
using Six = std::array<int64_t, 6>;

/// `order[i]` is the input axis that output axis i walks along.
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

/// True when the channels of a block's element lie together, one group of all channels an element (DCR); false when the
/// elements of each channel do (CRD).
bool is_depth_first(const KernelContext& context) {
  const std::string mode = context.node.string_or("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") throw Error(ErrorCode::Unsupported, "attribute mode='" + mode + "'");
  return mode == "DCR";
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

constexpr OperatorDef kSpaceDepthDefinitions[] = {
    {.op_type = "DepthToSpace",
     .signature = "input -> output; blocksize:int! | 11: input -> output; blocksize:int! mode:string(DCR|CRD)",
     .traits = {.kind = OpKind::DepthToSpace, .commutes = true, .data_inputs = 1},
     .make = make_depth_to_space},
    {.op_type = "SpaceToDepth",
     .signature = "input -> output; blocksize:int!",
     .traits = {.kind = OpKind::SpaceToDepth, .commutes = true, .data_inputs = 1},
     .make = make_space_to_depth},
};

}  // namespace

std::span<const OperatorDef> space_depth_operators() { return kSpaceDepthDefinitions; }

}  // namespace detent
