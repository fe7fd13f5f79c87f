#pragma once

#include <vector>

#include "ops/onednn/onednn.h"
#include "ops/window/post_ops.h"

namespace detent::onednn {

/// Appends all of `post_ops` to `chain`; residuals lie in memory like `output`.
void append(const PostOps& post_ops, dnnl::post_ops& chain, const dnnl::memory::desc& output);

/// Adds the residuals (channels-last, like `output`) to the arguments, the first of these post-ops being number `first`
/// of its chain; `keep` holds reordered copies alive.
void bind(const PostOps& post_ops, const dnnl::memory::desc& output, Arguments& arguments, int first,
          std::span<const Tensor> residuals, Allocator& allocator, std::vector<Tensor>& keep);

}  // namespace detent::onednn
