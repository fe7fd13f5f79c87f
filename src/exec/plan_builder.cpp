#include "exec/plan_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace detent {

namespace {

std::string describe(const Graph& graph, const Node& node) {
  return "node '" + node.name + "' (" + (node.domain.empty() ? "" : node.domain + ".") + node.op_type + ", opset " +
         std::to_string(graph.opset(node.domain)) + ")";
}

/// Nodes with subgraphs run on an executor only, never while planning.
bool holds_graphs(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

}  // namespace

PlanBuilder::PlanBuilder(ExecutionPlan& plan, const PlanOptions& options)
    : plan_(plan), graph_(plan.graph()), options_(options), claimed_(graph_.nodes().size()) {}

void PlanBuilder::find_needed() {
  node_needed_.assign(graph_.nodes().size(), false);
  plan_.needed_.assign(graph_.values().size(), false);
  std::vector<ValueId> open;
  const auto need = [&](ValueId value) {
    if (value == kNoValue || plan_.needed_[static_cast<size_t>(value)]) return;
    plan_.needed_[static_cast<size_t>(value)] = true;
    if (!plan_.constant(value)) open.push_back(value);
  };
  for (size_t value = 0; value < plan_.wanted_.size(); ++value)
    if (plan_.wanted_[value]) need(static_cast<ValueId>(value));
  while (!open.empty()) {
    const Node* producer = graph_.producer(open.back());
    open.pop_back();
    if (!producer || node_needed_[static_cast<size_t>(producer->id)]) continue;
    node_needed_[static_cast<size_t>(producer->id)] = true;
    for (const ValueId input : producer->inputs) need(input);
    for (const ValueId captured : graph_.captured_by(*producer)) need(captured);
  }
}

void PlanBuilder::refuse_unsupported() const {
  std::vector<NodeId> needed;
  for (const Node& node : graph_.nodes())
    if (node_needed_[static_cast<size_t>(node.id)]) needed.push_back(node.id);
  const std::vector<UnsupportedNode> missing = find_unsupported(graph_, needed);
  if (missing.empty()) return;
  std::string message = std::to_string(missing.size()) + (missing.size() == 1 ? " node" : " nodes") + " cannot run:";
  for (const UnsupportedNode& item : missing)
    message += (missing.size() == 1 ? " " : "\n  ") + describe(graph_, graph_.node(item.node)) + ": " + item.reason;
  throw Error(ErrorCode::Unsupported, message,
              "leave the layers behind these nodes float with --exclude NODE, cut the graph before them, or export it "
              "with other operators");
}

KernelContext PlanBuilder::context_for(const Node& node) const {
  return {graph_, node, graph_.opset(node.domain), {}, plan_.constants_, options_.team};
}

void PlanBuilder::fold_constants() {
  Workspace workspace;
  for (const Node& node : graph_.nodes()) {
    if (!node_needed_[static_cast<size_t>(node.id)] || node.inputs.empty() || holds_graphs(node)) continue;
    const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(),
                                      [&](ValueId value) { return value == kNoValue || plan_.constant(value); });
    if (!constant) continue;
    const OperatorDef* operation = find_operator(node.domain, node.op_type, graph_.opset(node.domain));
    if (operation->traits.kind == OpKind::Sequence) continue;  // so no kernel is made with a list as its constant
    std::vector<Tensor> inputs;
    for (const ValueId value : node.inputs) inputs.push_back(value == kNoValue ? Tensor() : *plan_.constant(value));
    std::vector<Tensor> outputs(node.outputs.size());
    try {
      KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
      operation->make(context_for(node))->run(call);
    } catch (const Error& error) {
      throw error.in(describe(graph_, node));
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      if (node.outputs[i] != kNoValue) plan_.constants_[static_cast<size_t>(node.outputs[i])] = to_plain(outputs[i]);
  }
}

std::vector<Use> PlanBuilder::needed_uses(ValueId value) const {
  std::vector<Use> uses;
  for (const Use& use : graph_.value(value).uses)
    if (node_needed_[static_cast<size_t>(use.node)]) uses.push_back(use);
  return uses;
}

std::optional<Use> PlanBuilder::only_use(ValueId value) const {
  if (value == kNoValue || plan_.is_wanted(value)) return std::nullopt;
  const auto uses = needed_uses(value);
  if (uses.size() != 1 || uses.front().slot < 0) return std::nullopt;
  return uses.front();
}

/// What x * gate(x) computes: Silu for Sigmoid, HardSwish for HardSigmoid with its parameters.
std::optional<OpKind> PlanBuilder::self_gated(const Node& gate) const {
  const OpKind kind = traits_of(graph_, gate).kind;
  if (kind == OpKind::Sigmoid) return OpKind::Silu;
  if (kind != OpKind::HardSigmoid) return std::nullopt;
  constexpr float kTolerance = 1e-6F;  // exporters write 1/6 with more or fewer digits
  const bool fits = std::abs(gate.float_or("alpha", 0.2F) - 1.0F / 6) < kTolerance &&
                    std::abs(gate.float_or("beta", 0.5F) - 0.5F) < kTolerance;
  return fits ? std::optional(OpKind::HardSwish) : std::nullopt;
}

/// x * gate(x): `value` is read by a gate and by the Mul that also reads that gate, and by nobody else.
std::optional<FusedOp> PlanBuilder::self_gate_behind(ValueId value) const {
  if (plan_.is_wanted(value)) return std::nullopt;
  const auto uses = needed_uses(value);
  if (uses.size() != 2) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Node& gate = graph_.node(uses[i].node);
    const Node& product = graph_.node(uses[1 - i].node);
    const auto kind = self_gated(gate);
    if (!kind || traits_of(graph_, product).kind != OpKind::Mul) continue;
    const auto gate_use = only_use(gate.output(0));
    if (gate_use && gate_use->node == product.id) return FusedOp{&product, *kind, -1};
  }
  return std::nullopt;
}

std::optional<FusedOp> PlanBuilder::follower(ValueId value) const {
  if (auto gated = self_gate_behind(value)) return gated;
  const auto use = only_use(value);
  if (!use) return std::nullopt;
  const Node& node = graph_.node(use->node);
  const OpKind kind = traits_of(graph_, node).kind;
  if (is_activation(kind) && kind != OpKind::Silu && use->slot == 0) return FusedOp{&node, kind, -1};
  if (kind != OpKind::Add || node.inputs.size() != 2) return std::nullopt;
  const ValueId other = node.inputs[static_cast<size_t>(1 - use->slot)];
  if (plan_.constant(other)) return std::nullopt;
  return FusedOp{&node, kind, 1 - use->slot};
}

std::vector<FusedOp> PlanBuilder::followers(const Node& node) const {
  std::vector<FusedOp> chain;
  ValueId value = node.output(0);
  while (const auto next = follower(value)) {
    if (options_.exact_fusion && next->kind != OpKind::Relu && next->kind != OpKind::Clip) break;
    if (claimed_[static_cast<size_t>(next->node->id)]) break;
    chain.push_back(*next);
    value = next->node->output(0);
  }
  return chain;
}

void PlanBuilder::claim(const FusedOp& op) {
  claimed_[static_cast<size_t>(op.node->id)] = true;
  if (traits_of(graph_, *op.node).kind != OpKind::Mul) return;
  for (const ValueId input : op.node->inputs)
    if (const Node* gate = graph_.producer(input); gate && self_gated(*gate))
      claimed_[static_cast<size_t>(gate->id)] = true;
}

void PlanBuilder::add_step(const Node& node) {
  const OperatorDef* operation = find_operator(node.domain, node.op_type, graph_.opset(node.domain));
  KernelContext context = context_for(node);
  Step step;
  step.node = node.id;
  step.layout = operation->layout;
  step.any_value = operation->any_value;
  step.inputs = node.inputs;
  step.outputs = node.outputs;
  NodeId position = node.id;
  if (options_.fuse && operation->fuse) {
    step.fused = followers(node);
    step.fused.resize(operation->fuse(context, step.fused));
    for (const FusedOp& op : step.fused) {
      claim(op);
      if (op.residual_slot >= 0) step.residuals.push_back(op.node->inputs[static_cast<size_t>(op.residual_slot)]);
      position = std::max(position, op.node->id);
    }
    if (!step.fused.empty()) step.outputs = {step.fused.back().node->output(0)};
  }
  context.fused = step.fused;
  try {
    const auto make = [&] { return std::shared_ptr<const Kernel>(operation->make(context)); };
    step.kernel = options_.kernels ? options_.kernels->get(kernel_key(node, step), make) : make();
    step.subgraphs = plan_subgraphs(node);
  } catch (const Error& error) {
    throw error.in(describe(graph_, node));
  }
  plan_.steps_.push_back(std::move(step));
  position_.push_back(position);
}

/// Values keep their ids in every rewiring of a graph, nodes are known by what they write.
KernelCache::Key PlanBuilder::kernel_key(const Node& node, const Step& step) {
  KernelCache::Key key(node.outputs);
  key.insert(key.end(), node.inputs.begin(), node.inputs.end());
  for (const FusedOp& op : step.fused) {
    key.push_back(op.node->output(0));
    key.push_back(op.residual_slot);
  }
  return key;
}

std::vector<Subplan> PlanBuilder::plan_subgraphs(const Node& node) const {
  std::vector<Subplan> subplans;
  for (const Attribute& attribute : node.attributes) {
    const auto* subgraph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
    if (!subgraph) continue;
    Subplan subplan{.attribute = attribute.name};
    std::vector<std::pair<ValueId, Tensor>> known;
    for (const ValueId inner : (*subgraph)->captured()) {
      const ValueId outer = graph_.find_value((*subgraph)->value(inner).name);
      if (const Tensor* constant = plan_.constant(outer))
        known.emplace_back(inner, *constant);
      else
        subplan.captured.push_back({outer, inner});
    }
    subplan.plan = std::make_shared<const ExecutionPlan>(
        **subgraph, (*subgraph)->outputs(),
        PlanOptions{
            .fuse = options_.fuse, .exact_fusion = options_.exact_fusion, .team = options_.team, .known = known});
    std::erase_if(subplan.captured, [&](const auto& value) { return !subplan.plan->needs_input(value.inner); });
    subplans.push_back(std::move(subplan));
  }
  return subplans;
}

void PlanBuilder::make_steps() {
  for (const Node& node : graph_.nodes())
    if (node_needed_[static_cast<size_t>(node.id)] && !claimed_[static_cast<size_t>(node.id)]) add_step(node);
  // A fused step runs where its last node stood: by then every residual is there, and nobody read the inner values.
  std::vector<size_t> order(plan_.steps_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return position_[a] < position_[b]; });
  std::vector<Step> sorted;
  for (const size_t i : order) sorted.push_back(std::move(plan_.steps_[i]));
  plan_.steps_ = std::move(sorted);
}

void PlanBuilder::find_last_uses() {
  std::vector<bool> seen(graph_.values().size());
  for (size_t i = plan_.steps_.size(); i-- > 0;) {
    Step& step = plan_.steps_[i];
    const auto visit = [&](ValueId value) {
      if (value == kNoValue || seen[static_cast<size_t>(value)]) return;
      seen[static_cast<size_t>(value)] = true;
      if (!plan_.constant(value)) step.last_uses.push_back(value);
    };
    for (const ValueId value : step.inputs) visit(value);
    for (const ValueId value : step.residuals) visit(value);
    for (const Subplan& subplan : step.subgraphs)
      for (const Subplan::Captured& captured : subplan.captured) visit(captured.outer);
    for (const ValueId value : step.outputs) visit(value);  // nobody reads it: goes right after it was observed
  }
}

}  // namespace detent
