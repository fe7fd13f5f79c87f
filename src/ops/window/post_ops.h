#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ops/elementwise/activation.h"
#include "ops/kernel.h"
#include "ops/simd/register_finish.h"

namespace detent {

/// The followers that were fused into a convolution or matrix product: activations and residual adds, in order.
class PostOps {
 public:
  struct Item {
    bool residual = false;
    ActivationSpec activation{};
    std::unique_ptr<Kernel> add;  // residual: the Add alone, for shapes that need broadcasting
    int residual_slot = 0;
  };

  explicit PostOps(const KernelContext& context);

  [[nodiscard]] std::span<const Item> items() const { return items_; }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] bool has_residual() const { return std::ranges::any_of(items_, &Item::residual); }
  /// True when every residual has the output's shape, so that a kernel can add it element by element.
  [[nodiscard]] bool residuals_fit(const Shape& output, std::span<const Tensor> residuals) const;
  /// True where one of them needs an exponential: oneDNN 2.6 takes twice as long for it as Detent's own pass over the
  /// finished output.
  [[nodiscard]] bool has_exponential() const;
  /// Does the same arithmetic as separate passes over the call's output 0, with ONNX broadcasting.
  void apply(KernelCall& call) const;
  /// Does the same where residuals_fit() and the output is channels-last, stretch by stretch while it is in cache.
  /// threads  share the stretches
  void apply_in_stretches(KernelCall& call, int threads) const;

  /// The same arithmetic for ChannelsLastConvolution, whose residuals have the output's shape: steps that fit go into
  /// `inside`, the rest is done stretch by stretch.
  class Stretches final : public StretchFinish {
   public:
    Stretches(const PostOps& post_ops, KernelCall& call);  ///< nothing goes inside
    Stretches(const PostOps& post_ops, KernelCall& call, RegisterFinish& inside);
    void finish(size_t begin, size_t end) const override;
    /// Returns this; nullptr when nothing is left for finish().
    [[nodiscard]] const StretchFinish* or_null() const { return next_ < post_ops_.items_.size() ? this : nullptr; }

   private:
    const PostOps& post_ops_;
    std::vector<Tensor> residuals_;  // channels-last
    float* output_;
    size_t next_ = 0;           // first item that finish() does
    size_t next_residual_ = 0;  // and the first residual it adds
  };

  /// Counts the first `candidates` that can be fused.
  static size_t accept(const KernelContext& context, std::span<const FusedOp> candidates);
  /// Counts the same for operators that take only one activation: 0 or 1.
  static size_t accept_activation(const KernelContext& context, std::span<const FusedOp> candidates);
  /// Returns that activation; nullptr when there is none.
  [[nodiscard]] const ActivationSpec* only_activation() const {
    return items_.empty() ? nullptr : &items_.front().activation;
  }

 private:
  std::vector<Item> items_;
};

}  // namespace detent
