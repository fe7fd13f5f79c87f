#include "evaluate/side_by_side.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/stop.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Keeps the outputs of a model that runs whole, and the values at which others begin, which share the run's memory.
class HeadKeeper final : public Observer {
 public:
  HeadKeeper(const Graph& graph, std::span<const ValueId> wanted) : outputs_(graph, wanted) {}

  void observe(ValueId value, const Tensor& tensor) override {
    outputs_.observe(value, tensor);
    values_[value] = tensor;
  }
  [[nodiscard]] std::vector<Tensor> take_outputs() { return outputs_.take(); }
  /// Returns the values; an empty handle for an absent optional.
  [[nodiscard]] std::vector<Tensor> values(std::span<const ValueId> ids) const {
    std::vector<Tensor> found;
    for (const ValueId id : ids) {
      const auto entry = values_.find(id);
      found.push_back(entry == values_.end() ? Tensor() : entry->second);
    }
    return found;
  }

 private:
  OutputKeeper outputs_;
  std::map<ValueId, Tensor> values_;
};

}  // namespace

size_t ModelsSideBySide::add(const GraphPatch& patch, std::optional<size_t> base) {
  if (graph_ || (base && (*base >= variants_.size() || variants_[*base].base)))
    throw Error(ErrorCode::Internal, "a variant cannot be added here");
  variants_.push_back({.base = base, .wiring = union_.add(patch), .wanted = {}, .schedule = nullptr});
  return variants_.size() - 1;
}

void ModelsSideBySide::find_families() {
  std::map<std::optional<size_t>, std::vector<size_t>> others{{std::nullopt, {}}};  // by head; the float model is first
  for (const Variant& variant : variants_) others[variant.base];
  for (size_t v = 0; v < variants_.size(); ++v)
    if (!others.contains(v)) others[variants_[v].base].push_back(v);
  for (auto& [head, begun] : others) families_.push_back({head, std::move(begun)});
}

/// Computes every constant that some variant computes, once for all.
void ModelsSideBySide::fold_constants(const std::vector<std::string>& names) {
  std::set<std::string> ends(names.begin(), names.end());
  for (const Variant& variant : variants_)
    for (const auto& rewire : variant.wiring.rewire) ends.insert(rewire.value);
  const std::vector<ValueId> wanted = values_named(*graph_, {ends.begin(), ends.end()});
  const Schedule schedule(*graph_, wanted, {.make_all_constants = true});  // variants read them in different ways
  for (const Value& value : graph_->values())
    if (const Tensor* constant = schedule.constant(value.id); constant && !value.is_constant)
      known_.emplace_back(value.id, *constant);
}

void ModelsSideBySide::make_plan(Variant& variant, const std::vector<std::string>& names, int team) {
  std::vector<std::string> here;
  for (const std::string& name : names) here.push_back(variant.wiring.value(name));
  variant.wanted = values_named(*graph_, here);
  std::vector<Rewiring> rewirings;
  for (const auto& [node, slot, value] : variant.wiring.rewire)
    rewirings.push_back({*graph_->find_node(node), slot, values_named(*graph_, {value}).front()});
  const Graph rewired = GraphRewiring::rewired(*graph_, rewirings);
  variant.schedule = std::make_unique<Schedule>(rewired, variant.wanted,
                                                ScheduleOptions{.team = team, .known = known_, .kernels = &kernels_});
  variant.schedule->move_to(*graph_);
}

void ModelsSideBySide::prepare(const std::vector<std::string>& names, int team) {
  const auto first_added = NodeId(model_.graph().nodes().size());
  GraphPatch additions = union_.patch();
  additions.reason = "lay quantized variants side by side";
  apply_patch(model_, additions);
  graph_ = std::make_unique<Graph>(GraphRewiring::moved_up(model_.graph(), first_added));
  fold_constants(names);
  find_families();
  make_plan(float_, names, team);
  for (const Family& family : families_)
    if (family.head) make_plan(variants_[*family.head], names, team);
  for (const Family& family : families_) {
    Schedule& head = *head_of(family).schedule;
    for (const size_t v : family.others) {
      make_plan(variants_[v], names, team);
      variants_[v].schedule->leave_shared_steps_to(head);
      head.watch(variants_[v].schedule->given());
    }
  }
}

std::vector<size_t> ModelsSideBySide::step_counts() const {
  std::vector<size_t> counts{float_.schedule->steps().size()};
  for (const Variant& variant : variants_) counts.push_back(variant.schedule->steps().size());
  return counts;
}

void ModelsSideBySide::run_family(const Family& family, const Wants& wants, std::span<const Tensor> inputs,
                                  BufferPool& pool, const Take& take) const {
  const auto check = [] { stop_if_interrupted(); };
  const bool takes_head = wants(family.head);
  if (!takes_head && std::ranges::none_of(family.others, wants)) return;
  check();
  const Variant& head = head_of(family);
  HeadKeeper kept(*graph_, head.wanted);
  Executor(*head.schedule, pool).run(inputs, kept);
  if (takes_head) take(family.head, kept.take_outputs());
  for (const size_t v : family.others) {
    if (!wants(v)) continue;
    check();
    const Variant& variant = variants_[v];
    OutputKeeper outputs(*graph_, variant.wanted);
    Executor(*variant.schedule, pool).resume(inputs, kept.values(variant.schedule->given()), outputs);
    take(v, outputs.take());
  }
}

void ModelsSideBySide::run(std::span<const Tensor> inputs, BufferPool& pool, const Take& take,
                           const std::vector<bool>* some) const {
  const Wants wants = [&](std::optional<size_t> variant) { return !some || (variant && (*some)[*variant]); };
  for (const Family& family : families_) run_family(family, wants, inputs, pool, take);
}

}  // namespace detent
