#pragma once

#include <unordered_map>
#include <vector>

#include "ops/onednn.h"

namespace detent {

/// The followers that were fused into a convolution or matrix product: activations and residual adds, in order.
class PostOps {
 public:
  explicit PostOps(const KernelContext& context);

  [[nodiscard]] bool empty() const { return items_.empty(); }
  /// True when every residual has the output's shape, so that oneDNN can add it.
  [[nodiscard]] bool residuals_fit(const Shape& output, std::span<const Tensor> residuals) const;
  /// Attributes with all of them as oneDNN post-ops; residuals lie in memory like `output`.
  [[nodiscard]] dnnl::primitive_attr attributes(const dnnl::memory::desc& output) const;
  /// Adds the residuals (in `layout`) to the arguments; `keep` holds reordered copies alive.
  void bind(std::unordered_map<int, dnnl::memory>& arguments, std::span<const Tensor> residuals, Layout layout,
            Allocator& allocator, std::vector<Tensor>& keep) const;
  /// The same arithmetic as separate passes over call's output 0, with ONNX broadcasting.
  void apply(KernelCall& call) const;

  /// How many of `candidates` can be fused.
  static size_t accept(const KernelContext& context, std::span<const FusedOp> candidates);
  /// The same for operators that take one activation and nothing else: 0 or 1.
  static size_t accept_activation(const KernelContext& context, std::span<const FusedOp> candidates);
  /// That activation; nullptr when there is none.
  [[nodiscard]] const ActivationSpec* only_activation() const {
    return items_.empty() ? nullptr : &items_.front().activation;
  }

 private:
  struct Item {
    bool residual = false;
    ActivationSpec activation{};
    std::unique_ptr<Kernel> add;  // residual: the Add on its own, for shapes that need broadcasting
    int residual_slot = 0;
  };
  std::vector<Item> items_;
};

}  // namespace detent
