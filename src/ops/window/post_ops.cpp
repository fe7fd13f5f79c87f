#include "ops/window/post_ops.h"

#include <algorithm>

#include "core/passage.h"
#include "ops/find_operator.h"

namespace detent {

namespace {

/// Returns the kind that names the algorithm of an activation in oneDNN; nullopt for one that is not fused. Every
/// build fuses alike.
std::optional<OpKind> algorithm_of(OpKind kind) {
  switch (kind) {
    case OpKind::Relu:
    case OpKind::LeakyRelu: return OpKind::Relu;
    case OpKind::Clip:
    case OpKind::Sigmoid:
    case OpKind::Tanh:
    case OpKind::Silu:
    case OpKind::HardSwish: return kind;
    default: return std::nullopt;
  }
}

std::optional<ActivationSpec> fusable_activation(const Graph& graph, const FusedOp& op) {
  if (op.kind == OpKind::Silu) return ActivationSpec{OpKind::Silu, 1, 0, UnaryFunction::Silu};
  if (op.kind == OpKind::HardSwish) return ActivationSpec{OpKind::HardSwish, 0, 0, UnaryFunction::HardSwish};
  auto activation = activation_of(graph, *op.node);
  if (!activation || !algorithm_of(activation->kind)) return std::nullopt;
  return activation;
}

}  // namespace

PostOps::PostOps(const KernelContext& context) {
  for (const FusedOp& op : context.fused) {
    Item item;
    if (op.kind == OpKind::Add) {
      item.residual = true;
      item.residual_slot = op.residual_slot;
      const OperatorDef* add = find_operator(op.node->domain, op.node->op_type, context.opset);
      item.add = add->make(KernelContext{context.graph, *op.node, context.opset});
    } else {
      item.activation = *fusable_activation(context.graph, op);
    }
    items_.push_back(std::move(item));
  }
}

/// oneDNN 2.6 computes two activations of one algorithm in a chain (LeakyRelu, Relu) with the parameters of only one of
/// them: the second one stays a separate node.
size_t PostOps::accept(const KernelContext& context, std::span<const FusedOp> candidates) {
  constexpr size_t kMost = 8;  // each residual is an argument of the primitive, which takes 16
  std::vector<OpKind> taken;
  size_t accepted = 0;
  for (const FusedOp& op : candidates.first(std::min(candidates.size(), kMost))) {
    if (op.kind != OpKind::Add) {
      const auto activation = fusable_activation(context.graph, op);
      if (!activation) break;
      const OpKind algorithm = *algorithm_of(activation->kind);
      if (std::ranges::find(taken, algorithm) != taken.end()) break;
      taken.push_back(algorithm);
    }
    ++accepted;
  }
  return accepted;
}

size_t PostOps::accept_activation(const KernelContext& context, std::span<const FusedOp> candidates) {
  return !candidates.empty() && candidates.front().kind != OpKind::Add ? accept(context, candidates.first(1)) : 0;
}

bool PostOps::residuals_fit(const Shape& output, std::span<const Tensor> residuals) const {
  for (const Tensor& residual : residuals)
    if (residual.shape() != output) return false;
  return true;
}

void PostOps::apply(KernelCall& call) const {
  size_t next = 0;
  for (const Item& item : items_) {
    Tensor current = call.take_output(0);
    if (!item.residual) {
      apply_activation(item.activation, current.mutable_data<float>());
      call.set_output(0, std::move(current));
      continue;
    }
    Tensor inputs[2];
    inputs[static_cast<size_t>(item.residual_slot)] =
        to_plain(cast(call.residuals()[next++], DataType::Float32, call.allocator()), call.allocator());
    inputs[static_cast<size_t>(1 - item.residual_slot)] = to_plain(current, call.allocator());
    Tensor sum;
    KernelCall add(inputs, std::span(&sum, 1), {}, call.allocator(), call.workspace());
    item.add->run(add);
    call.set_output(0, std::move(sum));
  }
}

bool PostOps::has_exponential() const {
  return std::ranges::any_of(items_,
                             [](const Item& item) { return !item.residual && is_exponential(item.activation.kind); });
}

void PostOps::apply_in_stretches(KernelCall& call, int threads) const {
  constexpr size_t kStretch = 4096;  // 16 KiB: half of L1
  const Stretches stretches(*this, call);
  const auto elements = static_cast<size_t>(call.output(0).element_count());
  const size_t count = (elements + kStretch - 1) / kStretch;
  const auto finish = [&](size_t i) { stretches.finish(i * kStretch, std::min(elements, (i + 1) * kStretch)); };
  if (threads == 1) {
    for (size_t i = 0; i < count; ++i) finish(i);
    return;
  }
  const Passage whole;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t i = 0; i < count; ++i) {
    const Passage part;
    finish(i);
  }
}

PostOps::Stretches::Stretches(const PostOps& post_ops, KernelCall& call)
    : post_ops_(post_ops), output_(call.output(0).mutable_data<float>().data()) {
  for (const Tensor& residual : call.residuals())
    residuals_.push_back(to_channels_last(cast(residual, DataType::Float32, call.allocator()), call.allocator()));
}

PostOps::Stretches::Stretches(const PostOps& post_ops, KernelCall& call, RegisterFinish& inside)
    : Stretches(post_ops, call) {
  const auto& items = post_ops.items_;
  if (next_ < items.size() && items[next_].residual) {
    inside.residual = residuals_[next_residual_++].data<float>().data();
    ++next_;
  }
  if (next_ == items.size() || items[next_].residual) return;
  const ActivationSpec& activation = items[next_].activation;
  if (activation.kind != OpKind::Relu && activation.kind != OpKind::Clip) return;
  inside.low = activation.kind == OpKind::Clip ? activation.alpha : 0;
  if (activation.kind == OpKind::Clip) inside.high = activation.beta;
  ++next_;
}

void PostOps::Stretches::finish(size_t begin, size_t end) const {
  const std::span<float> stretch(output_ + begin, end - begin);
  size_t residual = next_residual_;
  for (size_t i = next_; i < post_ops_.items_.size(); ++i) {
    const Item& item = post_ops_.items_[i];
    if (item.residual)
      apply_binary(BinaryFunction::Add, stretch.data(), residuals_[residual++].data<float>().data() + begin,
                   stretch.data(), {.length = std::ssize(stretch)});
    else
      apply_activation(item.activation, stretch);
  }
}

}  // namespace detent
