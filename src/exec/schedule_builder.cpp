#include "exec/schedule_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/files/mapped_file.h"
#include "core/text.h"
#include "exec/lean.h"
#include "exec/node_errors.h"
#include "exec/shape_needs.h"
#include "exec/weights_of_codes.h"
#include "ops/find_operator.h"
#include "ops/row_program.h"
#include "ops/self_gated.h"
#include "ops/shape_only.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Up to this size a float copy of all such weights saves more time than it costs memory.
constexpr uint64_t kFewUnpacked = uint64_t{64} << 20;

std::vector<Tensor> outputs_of(const Kernel& kernel, std::span<Tensor> inputs, size_t count) {
  std::vector<Tensor> outputs(count);
  Workspace workspace;
  KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
  kernel.run(call);
  return outputs;
}

/// Returns the output of a DequantizeLinear that is made when its readers pack it and not kept beside their copies.
/// inputs  codes, float scales, and zero points where there are any. node  for errors.
Tensor weight_made_by(std::shared_ptr<const Kernel> kernel, std::vector<Tensor> inputs, std::string node) {
  const Shape shape = inputs[0].shape();
  return Tensor::deferred(DataType::Float32, shape, [kernel = std::move(kernel), inputs = std::move(inputs), node] {
    try {
      std::vector<Tensor> read = inputs;
      Tensor floats = outputs_of(*kernel, read, 1).front();
      let_go_of_pages(read[0].raw(), read[0].byte_count());
      return floats;
    } catch (const Error& error) {
      throw error.in(node);
    }
  });
}

/// True for nodes with subgraphs, which only an executor can run, never the making of a schedule.
bool holds_graphs(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

}  // namespace

ScheduleBuilder::ScheduleBuilder(const Graph& graph, std::span<const ValueId> wanted, const ScheduleOptions& options,
                                 SubgraphScheduler schedule_subgraph)
    : graph_(graph), options_(options), schedule_subgraph_(std::move(schedule_subgraph)), lean_(is_lean(graph)),
      keep_copies_(!lean_ || (options.keep_large_copies && has_room_for_copies(graph))),
      many_codes_(unpacked_bytes(graph) > kFewUnpacked), claimed_(graph.nodes().size()) {
  const size_t values = graph.values().size();
  parts_ = {.graph = &graph,
            .steps = {},
            .wanted = ValueMap<bool>(values),
            .needed = {},
            .constants = ValueMap<Tensor>(values)};
  for (const ValueId value : wanted) parts_.wanted[value] = true;
  if (options.shapes_only) decides_shapes_ = values_that_decide_shapes(graph);
  for (const auto& [value, tensor] : options.known) parts_.constants[value] = tensor;
}

ScheduleParts ScheduleBuilder::build() {
  find_needed();
  refuse_unsupported();
  fold_constants();
  find_needed();
  make_steps();
  find_last_uses(graph_, parts_.steps, [&](ValueId value) { return constant(value) != nullptr; });
  parts_.lean = lean_;
  return std::move(parts_);
}

void ScheduleBuilder::find_needed() {
  node_needed_.assign(graph_.nodes().size(), false);
  parts_.needed.assign(graph_.values().size(), false);
  std::vector<ValueId> open;
  const auto need = [&](ValueId value) {
    if (parts_.needed[value]) return;
    parts_.needed[value] = true;
    if (!constant(value)) open.push_back(value);
  };
  for (const Value& value : graph_.values())
    if (parts_.wanted[value.id]) need(value.id);
  while (!open.empty()) {
    const Node* producer = graph_.producer(open.back());
    open.pop_back();
    if (!producer || node_needed_[producer->id]) continue;
    node_needed_[producer->id] = true;
    for (const ValueId input : present(producer->inputs)) need(input);
    for (const ValueId captured : graph_.captured_by(*producer)) need(captured);
  }
}

void ScheduleBuilder::refuse_unsupported() const {
  std::vector<NodeId> needed;
  for (const Node& node : graph_.nodes())
    if (node_needed_[node.id]) needed.push_back(node.id);
  const std::vector<UnsupportedNode> missing = find_unsupported(graph_, needed);
  if (missing.empty()) return;
  std::string message = plural(missing.size(), "node") + " cannot run:";
  for (const UnsupportedNode& item : missing)
    message +=
        (missing.size() == 1 ? " " : "\n  ") + describe_node(graph_, graph_.node(item.node)) + ": " + item.reason;
  throw Error(ErrorCode::Unsupported, message, "cut the graph before them, or export it with other operators");
}

KernelContext ScheduleBuilder::context_for(const Node& node) const {
  const bool shape_suffices = options_.shapes_only && std::ranges::none_of(present(node.outputs), [&](ValueId value) {
                                return decides_shapes_[value];
                              });
  return {graph_,         node,         graph_.opset(node.domain), {}, &parts_.constants, options_.team,
          shape_suffices, keep_copies_, options_.products};
}

bool ScheduleBuilder::keeps_codes(const Node& node) const { return many_codes_ && unpacks_weight(graph_, node); }

bool ScheduleBuilder::reads_large(const Node& node) const {
  constexpr int64_t kLarge = 1 << 18;  // elements: 1 MiB of floats
  return std::ranges::any_of(present(node.inputs),
                             [&](ValueId value) { return constant(value)->element_count() > kLarge; });
}

bool ScheduleBuilder::is_packed_by_readers(const Node& node) const {
  if (options_.make_all_constants || !makes_weight(graph_, node, {OpKind::MatMul, OpKind::Gemm, OpKind::Conv}))
    return false;
  return !parts_.wanted[*node.output(0)] && reads_large(node) && constant(node.input(1))->type() == DataType::Float32 &&
         node.int_or("output_dtype", 0) == 0;
}

const OperatorDef* ScheduleBuilder::operation_of(const Node& node) const {
  return find_operator(node.domain, node.op_type, graph_.opset(node.domain));
}

bool ScheduleBuilder::could_stay_unread(const Node& node) const {
  if (options_.make_all_constants || traits_of(graph_, node).kind != OpKind::DequantizeLinear) return false;
  const ValueId made = *node.output(0);
  if (parts_.wanted[made] || graph_.value(made).is_output) return false;
  return std::ranges::all_of(needed_uses(made), [&](const Use& use) {
    if (use.slot < 0) return false;
    const OperatorDef* reader = operation_of(graph_.node(use.node));
    // Only weights: whether they are read may depend on the bias, which must be known by then.
    return reader->sums_codes && use.slot == reader->traits.weight_slot;
  });
}

bool ScheduleBuilder::stays_unread(const Node& node) const {
  const Tensor* codes = constant(node.input(0));
  return codes && could_stay_unread(node) && std::ranges::all_of(needed_uses(*node.output(0)), [&](const Use& use) {
           const Node& reader = graph_.node(use.node);
           return operation_of(reader)->sums_codes(context_for(reader));
         });
}

void ScheduleBuilder::fold_constants() {
  fold_constants(Unread::Leave);
  for (const Node& node : graph_.nodes())
    if (node_needed_[node.id] && !constant(node.output(0)) && stays_unread(node))
      parts_.constants[*node.output(0)] = unseen_zeros(constant(node.input(0))->shape());
  fold_constants(Unread::Make);
}

void ScheduleBuilder::fold_constants(Unread unread) {
  for (const Node& node : graph_.nodes()) {
    if (!node_needed_[node.id] || node.inputs.empty() || holds_graphs(node)) continue;
    const auto is_known = [&](ValueId value) { return constant(value) != nullptr; };
    if (!std::ranges::all_of(present(node.inputs), is_known) || std::ranges::all_of(present(node.outputs), is_known))
      continue;
    if ((lean_ || keeps_codes(node)) && reads_large(node)) continue;
    if (unread == Unread::Leave && could_stay_unread(node)) continue;
    const OperatorDef* operation = operation_of(node);
    if (operation->traits.kind == OpKind::Sequence) continue;  // no kernel takes a list as a constant
    std::vector<Tensor> inputs;
    for (const MaybeValue value : node.inputs) inputs.push_back(value ? *constant(value) : Tensor());
    const auto fold = [&] {
      std::shared_ptr<const Kernel> kernel = operation->make(context_for(node));
      if (is_packed_by_readers(node)) {
        parts_.constants[*node.output(0)] =
            weight_made_by(std::move(kernel), std::move(inputs), describe_node(graph_, node));
        return;
      }
      std::vector<Tensor> outputs = outputs_of(*kernel, inputs, node.outputs.size());
      for (size_t i = 0; i < outputs.size(); ++i)
        if (node.outputs[i]) parts_.constants[*node.outputs[i]] = to_plain(outputs[i]);
    };
    try {
      with_node_in_errors(graph_, node, fold);
    } catch (const Error& error) {
      throw as_fault_of_model(error);
    }
  }
}

std::vector<Use> ScheduleBuilder::needed_uses(ValueId value) const {
  std::vector<Use> uses;
  for (const Use& use : graph_.value(value).uses)
    if (node_needed_[use.node]) uses.push_back(use);
  return uses;
}

std::optional<Use> ScheduleBuilder::only_use(MaybeValue value) const {
  if (!value || parts_.wanted[*value]) return std::nullopt;
  const auto uses = needed_uses(*value);
  if (uses.size() != 1 || uses.front().slot < 0) return std::nullopt;
  return uses.front();
}

std::optional<FusedOp> ScheduleBuilder::self_gate_behind(ValueId value) const {
  if (parts_.wanted[value]) return std::nullopt;
  const auto uses = needed_uses(value);
  if (uses.size() != 2) return std::nullopt;
  for (const Use& use : uses) {
    const Node& product = graph_.node(use.node);
    const auto gated = self_gated_activation(graph_, product);
    if (!gated || gated->input != value || gated->kind == OpKind::OtherActivation) continue;
    const auto gate_use = only_use(graph_.node(gated->gate).output(0));
    if (gate_use && gate_use->node == product.id) return FusedOp{&product, gated->kind, -1};
  }
  return std::nullopt;
}

std::optional<FusedOp> ScheduleBuilder::follower(MaybeValue value) const {
  if (!value) return std::nullopt;
  if (auto gated = self_gate_behind(*value)) return gated;
  const auto use = only_use(value);
  if (!use) return std::nullopt;
  const Node& node = graph_.node(use->node);
  const OpKind kind = traits_of(graph_, node).kind;
  if (is_activation(kind) && kind != OpKind::Silu && use->slot == 0) return FusedOp{&node, kind, -1};
  if (kind != OpKind::Add || node.inputs.size() != 2) return std::nullopt;
  if (constant(node.input(1 - use->slot))) return std::nullopt;
  return FusedOp{&node, kind, 1 - use->slot};
}

bool ScheduleBuilder::fuses_exactly(const Node& node, OpKind follower) const {
  if (follower == OpKind::Relu || follower == OpKind::Clip) return true;
  const Tensor* weight = constant(node.input(1));  // a 16-bit result is rounded before its activation
  return is_exponential(follower) && weight && weight->type() == DataType::Float32;
}

std::vector<FusedOp> ScheduleBuilder::followers(const Node& node) const {
  std::vector<FusedOp> chain;
  MaybeValue value = node.output(0);
  while (const auto next = follower(value)) {
    if (options_.exact_fusion && !fuses_exactly(node, next->kind)) break;
    if (claimed_[next->node->id]) break;
    chain.push_back(*next);
    value = next->node->output(0);
  }
  return chain;
}

void ScheduleBuilder::claim(const FusedOp& op) {
  claimed_[op.node->id] = true;
  if (const auto gated = self_gated_activation(graph_, *op.node)) claimed_[gated->gate] = true;
}

void ScheduleBuilder::add_step(const Node& node) {
  const OperatorDef* operation = operation_of(node);
  KernelContext context = context_for(node);
  Step step;
  step.node = node.id;
  step.layout = operation->layout;
  step.any_value = operation->any_value;
  step.weight_axis = operation->traits.weight_axis;
  step.transposed_weight = step.weight_axis == WeightAxis::GemmOutput && node.int_or("transB", 0) != 0;
  step.inputs = node.inputs;
  if (const Node* dequantizer = passed_by_[node.id]) step.inputs[0] = dequantizer->inputs[0];
  step.outputs = node.outputs;
  NodeId position = node.id;
  if (options_.fuse && operation->fuse) {
    step.fused = followers(node);
    step.fused.resize(operation->fuse(context, step.fused));
    for (const FusedOp& op : step.fused) {
      claim(op);
      if (op.residual_slot >= 0) step.residuals.push_back(*op.node->input(op.residual_slot));
      position = std::max(position, op.node->id);
    }
    if (!step.fused.empty()) step.outputs = {step.fused.back().node->output(0)};
  }
  context.fused = step.fused;
  with_node_in_errors(graph_, node, [&] {
    const auto make = [&]() -> std::shared_ptr<const Kernel> {
      std::unique_ptr<Kernel> kernel = operation->make(context);
      if (context.shape_suffices && step.fused.empty())
        kernel = for_shapes_only(std::move(kernel), operation->traits.kind);
      return kernel;
    };
    step.kernel = options_.kernels ? options_.kernels->get(kernel_key(node, step), make) : make();
    step.subgraphs = schedule_subgraphs(node);
  });
  append(std::move(step), position);
}

void ScheduleBuilder::append(Step step, NodeId position) {
  parts_.steps.push_back(std::move(step));
  position_.push_back(position);
}

void ScheduleBuilder::find_row_programs() {
  if (!options_.fuse || options_.shapes_only) return;
  NodeMap<bool> by_rows(graph_.nodes().size());
  for (const Node& node : graph_.nodes())
    by_rows[node.id] =
        node_needed_[node.id] && !claimed_[node.id] && !constant(node.output(0)) && runs_by_rows(context_for(node));
  const auto& nodes = graph_.nodes();
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!by_rows[nodes[i].id]) continue;
    std::vector<const Node*> program = row_program_of(nodes[i], by_rows);
    if (program.size() == 1) continue;
    for (const Node* node : program) claimed_[node->id] = true, by_rows[node->id] = false;
    programs_.push_back(std::move(program));
  }
}

std::vector<const Node*> ScheduleBuilder::row_program_of(const Node& last, const NodeMap<bool>& by_rows) const {
  constexpr size_t kMost = 16;  // nodes; a GELU of tanh has eight, a LayerNormalization nine
  std::vector<const Node*> program{&last};
  const auto holds = [&](NodeId node) { return std::ranges::find(program, node, &Node::id) != program.end(); };
  const auto can_join = [&](const Node& node) {
    if (!by_rows[node.id] || holds(node.id)) return false;
    const ValueId result = *node.output(0);
    return !parts_.wanted[result] &&
           std::ranges::all_of(needed_uses(result), [&](const Use& use) { return use.slot >= 0 && holds(use.node); });
  };
  for (bool grew = true; grew && program.size() < kMost;) {
    grew = false;
    for (size_t i = 0; i < program.size() && program.size() < kMost; ++i)
      for (const ValueId input : present(program[i]->inputs)) {
        const Node* producer = constant(input) ? nullptr : graph_.producer(input);
        if (!producer || program.size() == kMost || !can_join(*producer)) continue;
        program.push_back(producer);
        grew = true;
      }
  }
  std::ranges::sort(program, {}, &Node::id);
  return program;
}

void ScheduleBuilder::add_row_program(std::span<const Node* const> nodes) {
  Step step;
  step.node = nodes.front()->id;
  step.layout = LayoutNeed::Any;
  step.outputs = {nodes.back()->output(0)};
  std::vector<KernelContext> contexts;
  std::vector<ValueId> inputs;
  KernelCache::Key key{{}, {-1}};
  for (const Node* node : nodes) {
    contexts.push_back(context_for(*node));
    if (node != nodes.front()) step.fused.push_back({node, traits_of(graph_, *node).kind, -1});
    key.first.push_back(node->output(0));
    for (const ValueId input : present(node->inputs)) {
      const auto is_input = [&](const Node* other) { return other->output(0) == input; };
      if (std::ranges::any_of(nodes, is_input) || std::ranges::find(inputs, input) != inputs.end()) continue;
      inputs.push_back(input);
    }
  }
  step.inputs.assign(inputs.begin(), inputs.end());
  key.first.insert(key.first.end(), inputs.begin(), inputs.end());
  with_node_in_errors(graph_, *nodes.front(), [&] {
    const auto make = [&]() -> std::shared_ptr<const Kernel> { return make_row_program(contexts, inputs); };
    step.kernel = options_.kernels ? options_.kernels->get(std::move(key), make) : make();
  });
  append(std::move(step), nodes.back()->id);
}

/// Returns a key that holds in every rewiring of a graph: values keep their ids, and nodes are known by their outputs.
KernelCache::Key ScheduleBuilder::kernel_key(const Node& node, const Step& step) {
  std::vector<MaybeValue> values(node.outputs);
  std::vector<int> slots;
  values.insert(values.end(), node.inputs.begin(), node.inputs.end());
  for (const FusedOp& op : step.fused) {
    values.push_back(op.node->output(0));
    slots.push_back(op.residual_slot);
  }
  return {std::move(values), std::move(slots)};
}

std::vector<ScheduledSubgraph> ScheduleBuilder::schedule_subgraphs(const Node& node) const {
  std::vector<ScheduledSubgraph> subgraphs;
  for (const Attribute& attribute : node.attributes) {
    const auto* held = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
    if (!held) continue;
    const Graph& inside = **held;
    ScheduledSubgraph subgraph{.attribute = attribute.name};
    std::vector<std::pair<ValueId, Tensor>> known;
    for (const ValueId inner : inside.captured()) {
      const ValueId outer = *graph_.find_value(inside.value(inner).name);
      if (const Tensor* tensor = constant(outer))
        known.emplace_back(inner, *tensor);
      else
        subgraph.captured.push_back({outer, inner});
    }
    schedule_subgraph_(inside,
                       {.fuse = options_.fuse,
                        .exact_fusion = options_.exact_fusion,
                        .team = options_.team,
                        .known = known,
                        .products = options_.products},
                       subgraph);
    subgraphs.push_back(std::move(subgraph));
  }
  return subgraphs;
}

const Node* ScheduleBuilder::passed_by(const Node& node) const {
  const OperatorDef* operation = operation_of(node);
  if (!options_.fuse || !operation->sums_codes || constant(node.input(0))) return nullptr;
  const Node* before = graph_.producer(node.input(0));
  if (!before || traits_of(graph_, *before).kind != OpKind::DequantizeLinear) return nullptr;
  return operation->sums_codes(context_for(node)) ? before : nullptr;
}

void ScheduleBuilder::find_passed_by() {
  const auto is_needed = [&](const Node& node) { return node_needed_[node.id]; };
  passed_by_.assign(graph_.nodes().size(), nullptr);
  for (const Node& node : graph_.nodes())
    if (is_needed(node)) passed_by_[node.id] = passed_by(node);
  for (const Node* dequantizer : passed_by_) {
    if (!dequantizer || parts_.wanted[*dequantizer->output(0)]) continue;
    claimed_[dequantizer->id] = std::ranges::all_of(needed_uses(*dequantizer->output(0)), [&](const Use& use) {
      return use.slot == 0 && passed_by_[use.node] == dequantizer;
    });
  }
}

void ScheduleBuilder::make_steps() {
  find_passed_by();
  const auto add_steps = [&](bool fusing) {
    for (const Node& node : graph_.nodes())
      if (node_needed_[node.id] && !claimed_[node.id] && bool(operation_of(node)->fuse) == fusing) add_step(node);
  };
  add_steps(true);
  find_row_programs();  // of what is left
  for (const auto& program : programs_) add_row_program(program);
  add_steps(false);
  // A fused step runs at the place of its last node: every residual is computed by then, and nothing reads the inner
  // values.
  std::vector<size_t> order(parts_.steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return position_[a] < position_[b]; });
  std::vector<Step> sorted;
  for (const size_t i : order) sorted.push_back(std::move(parts_.steps[i]));
  parts_.steps = std::move(sorted);
}

void find_last_uses(const Graph& graph, std::span<Step> steps, const std::function<bool(ValueId)>& is_constant) {
  ValueMap<bool> seen(graph.values().size());
  for (size_t i = steps.size(); i-- > 0;) {
    Step& step = steps[i];
    const auto visit = [&](ValueId value) {
      if (seen[value]) return;
      seen[value] = true;
      if (!is_constant(value)) step.last_uses.push_back(value);
    };
    for (const ValueId value : present(step.inputs)) visit(value);
    for (const ValueId value : step.residuals) visit(value);
    for (const ScheduledSubgraph& subgraph : step.subgraphs)
      for (const ScheduledSubgraph::Captured& captured : subgraph.captured) visit(captured.outer);
    for (const ValueId value : present(step.outputs))
      visit(value);  // without a reader: freed right after it was observed
  }
}

}  // namespace detent
