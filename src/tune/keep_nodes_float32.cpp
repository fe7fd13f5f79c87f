#include "tune/keep_nodes_float32.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/text.h"
#include "evaluate/error_sums.h"
#include "evaluate/trial.h"
#include "half/cut_masks.h"
#include "half/half_model.h"
#include "half/insert_casts.h"
#include "half/plan_float_types.h"
#include "model/graph_patch.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/search.h"

namespace detent {

namespace {

constexpr size_t kNodesAtOnce = 6;     // models in memory
constexpr size_t kMostGivenBack = 24;  // more nodes are not worth a measurement each

struct RankedNode {
  NodeId node{};
  double alone_db = 0;  ///< at the worst output when only this node is half
};

class NodeSearch final : SetJudge {
 public:
  explicit NodeSearch(const HalfQuestion& question)
      : question_(question), model_(question.model.clone()),
        masks_(cut_masks(model_.graph(), question.format, question.reaches)) {
    // Nodes behind such masks are half and may be ranked, as in make_half.
    if (!masks_.constants.empty()) apply_patch(model_, masks_.patch);
    plan_ = plan_float_types(model_.graph(), question.format, masks_.reaches);
  }

  ForcedFloat32 find() {
    if (leaves_room({})) return {};
    rank();
    const std::vector<ChoiceSet> found = search_sets(*this, {.most = ranking_.size()});
    if (found.empty()) return {};
    if (found.front().size() <= kMostGivenBack) note_gains(found.back());
    return forced(found.back());
  }

 private:
  const BoundJudge::Score& measure(const ChoiceSet& set) {
    const auto known = scores_.find(set);
    if (known != scores_.end()) return known->second;
    std::vector<Model> models;
    models.push_back(question_.model.clone());
    static_cast<void>(make_half(models.front(), question_.format, question_.reaches, forced(set)));
    const std::string task =
        fmt::format("measuring {} without INT8, {} in FP32", question_.judge.metric().name, plural(set.size(), "node"));
    return scores_.emplace(set, question_.judge.measure(models, task).front()).first->second;
  }

  bool leaves_room(const ChoiceSet& set) { return question_.judge.leaves_room(measure(set)); }

  /// Makes the float model in which only this node is half.
  [[nodiscard]] Model alone(NodeId node) const {
    FloatPlan plan = plan_;
    for (DataType& type : plan.types)
      if (type == plan.format.type) type = DataType::Float32;
    plan.types[node] = plan.format.type;
    Model model = model_.clone();
    apply_patch(model, insert_casts(model_.graph(), plan, masks_.reaches).patch);
    return model;
  }

  void rank() {
    for (const Node& node : model_.graph().nodes())
      if (plan_.type_of(node.id) == plan_.format.type) ranking_.push_back({node.id});
    const DataSource& all = question_.judge.samples();
    const SampleSubset samples(all, samples_by_hash(all, kProbingSamples));
    for (size_t begin = 0; begin < ranking_.size(); begin += kNodesAtOnce) {
      const size_t count = std::min(kNodesAtOnce, ranking_.size() - begin);
      std::vector<Model> models;
      for (size_t i = 0; i < count; ++i) models.push_back(alone(ranking_[begin + i].node));
      const Evaluation found = evaluate_models(models, {question_.model, question_.judge.float_values(), samples,
                                                        question_.settings, "measuring every node in 16 bits"});
      for (size_t i = 0; i < count; ++i) ranking_[begin + i].alone_db = worst_sqnr_db(found.report(i));
    }
    std::ranges::stable_sort(ranking_, {}, &RankedNode::alone_db);
  }

  std::optional<size_t> first_that(bool yes, const std::vector<ChoiceSet>& sets,
                                   const std::optional<ChoiceSet>& /*base*/) override {
    const auto found = std::ranges::find_if(sets, [&](const ChoiceSet& set) { return meets(set) == yes; });
    return found == sets.end() ? std::nullopt : std::optional(static_cast<size_t>(found - sets.begin()));
  }
  /// All nodes in FP32 meet the bound even where fewer do not.
  bool meets(const ChoiceSet& set) override { return set.size() == ranking_.size() || leaves_room(set); }

  std::vector<std::optional<bool>> meets_without(const ChoiceSet& found, const ChoiceSet& choices) override {
    std::vector<std::optional<bool>> answers;
    for (const ChoiceSet& fewer : each_without(found, choices)) answers.emplace_back(leaves_room(fewer));
    return answers;
  }
  /// Orders the quietest first.
  ChoiceSet order_of(const ChoiceSet& found) override {
    return found.size() > kMostGivenBack ? ChoiceSet{} : ChoiceSet(found.rbegin(), found.rend());
  }

  void note_gains(const ChoiceSet& found) {
    const double with = measure(found).sqnr_db;
    for (const size_t i : found) gain_[i] = with - measure(without(found, std::span(&i, 1))).sqnr_db;
  }

  [[nodiscard]] ForcedFloat32 forced(const ChoiceSet& set) const {
    ForcedFloat32 nodes;
    const std::string type(name_of(plan_.format.type));
    for (const size_t i : set) {
      const RankedNode& ranked = ranking_[i];
      const auto gain = gain_.find(i);
      const std::string cost = gain != gain_.end() && std::isfinite(gain->second)
                                   ? fmt::format("FP32 gains {:.1f} dB at the output, ", gain->second)
                                   : std::string();
      nodes[model_.graph().node(ranked.node).name] = {
          ranked.alone_db, cost + fmt::format("{} there alone leaves {:.1f} dB; {}", type, ranked.alone_db,
                                              question_.judge.bound_text())};
    }
    return nodes;
  }

  const HalfQuestion& question_;
  Model model_;  ///< float, its masks cut
  CutMasks masks_;
  FloatPlan plan_;
  std::vector<RankedNode> ranking_;
  std::map<ChoiceSet, BoundJudge::Score> scores_;
  std::map<size_t, double> gain_;
};

}  // namespace

ForcedFloat32 keep_nodes_float32(const HalfQuestion& question) { return NodeSearch(question).find(); }

}  // namespace detent
