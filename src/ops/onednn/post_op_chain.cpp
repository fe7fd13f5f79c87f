#include "ops/onednn/post_op_chain.h"

namespace detent::onednn {

void append(const PostOps& post_ops, dnnl::post_ops& chain, const dnnl::memory::desc& output) {
  for (const PostOps::Item& item : post_ops.items()) {
    if (item.residual) {
      chain.append_binary(dnnl::algorithm::binary_add, output);
    } else {
      const auto eltwise = eltwise_of(item.activation);
      chain.append_eltwise(1.0F, eltwise->algorithm, eltwise->alpha, eltwise->beta);
    }
  }
}

void bind(const PostOps& post_ops, const dnnl::memory::desc& output, Arguments& arguments, int first,
          std::span<const Tensor> residuals, Allocator& allocator, std::vector<Tensor>& keep) {
  size_t next = 0;
  int number = first;
  for (const PostOps::Item& item : post_ops.items()) {
    const int post_op = number++;
    if (!item.residual) continue;
    keep.push_back(to_channels_last(cast(residuals[next++], DataType::Float32, allocator), allocator));
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(post_op) | DNNL_ARG_SRC_1, wrap(keep.back(), output)});
  }
}

}  // namespace detent::onednn
