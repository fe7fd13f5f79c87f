#include "tune/keep_nodes_float32.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "evaluate/error_sums.h"
#include "evaluate/trial.h"
#include "half/cut_masks.h"
#include "half/half_model.h"
#include "half/insert_casts.h"
#include "half/plan_float_types.h"
#include "model/graph_patch.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr size_t kRankingSamples = 16;
constexpr size_t kNodesAtOnce = 6;     // models in memory
constexpr size_t kMostGivenBack = 24;  // nodes that are worth a measurement each

struct RankedNode {
  NodeId node = kNoNode;
  double alone_db = 0;  ///< at the worst output when only this node is half
};

class NodeSearch {
 public:
  explicit NodeSearch(const HalfQuestion& question)
      : question_(question), model_(question.model.clone()),
        masks_(cut_masks(model_.graph(), question.format, question.reaches)) {
    // As make_half does: nodes behind such masks are half and may be ranked.
    if (!masks_.constants.empty()) apply_patch(model_, masks_.patch);
    plan_ = plan_float_types(model_.graph(), question.format, masks_.reaches);
  }

  ForcedFloat32 find() {
    if (leaves_room({})) return {};
    rank();
    Set found = shortest_beginning();
    if (found.size() <= kMostGivenBack) give_back(found);
    return forced(found);
  }

 private:
  using Set = std::vector<size_t>;  // positions in ranking_, ascending

  const BoundJudge::Score& measure(const Set& set) {
    const auto known = scores_.find(set);
    if (known != scores_.end()) return known->second;
    std::vector<Model> models;
    models.push_back(question_.model.clone());
    static_cast<void>(make_half(models.front(), question_.format, question_.reaches, forced(set)));
    const std::string task =
        fmt::format("measuring {} without pairs, {} more in FP32", question_.judge.metric().name, set.size());
    return scores_.emplace(set, question_.judge.measure(models, task).front()).first->second;
  }

  bool leaves_room(const Set& set) { return question_.judge.leaves_room(measure(set)); }

  /// The float model in which this node alone is half.
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
    const SampleSubset samples(all, samples_by_hash(all, kRankingSamples));
    for (size_t begin = 0; begin < ranking_.size(); begin += kNodesAtOnce) {
      const size_t count = std::min(kNodesAtOnce, ranking_.size() - begin);
      std::vector<Model> models;
      for (size_t i = 0; i < count; ++i) models.push_back(alone(ranking_[begin + i].node));
      const Evaluation found = evaluate_models(models, {question_.reference, question_.judge.float_values(), samples,
                                                        question_.settings, "measuring every node in 16 bits"});
      for (size_t i = 0; i < count; ++i) ranking_[begin + i].alone_db = worst_sqnr_db(found.report(i));
    }
    std::ranges::stable_sort(ranking_, {}, &RankedNode::alone_db);
  }

  static Set beginning(size_t count) {
    Set set(count);
    for (size_t i = 0; i < count; ++i) set[i] = i;
    return set;
  }

  /// All of them where fewer do not do.
  Set shortest_beginning() {
    size_t failed = 0, enough = std::min<size_t>(1, ranking_.size());
    while (enough < ranking_.size() && !leaves_room(beginning(enough))) {
      failed = enough;
      enough = std::min(2 * enough, ranking_.size());
    }
    while (enough - failed > 1) {
      const size_t middle = failed + (enough - failed) / 2;
      (leaves_room(beginning(middle)) ? enough : failed) = middle;
    }
    return beginning(enough);
  }

  void give_back(Set& found) {
    for (size_t i = found.size(); i-- > 0;) {
      Set fewer = found;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (leaves_room(fewer)) found = std::move(fewer);
    }
    const double with = measure(found).sqnr_db;
    for (const size_t i : found) {
      Set fewer = found;
      std::erase(fewer, i);
      gain_[i] = with - measure(fewer).sqnr_db;
    }
  }

  [[nodiscard]] ForcedFloat32 forced(const Set& set) const {
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
  std::map<Set, BoundJudge::Score> scores_;
  std::map<size_t, double> gain_;
};

}  // namespace

ForcedFloat32 keep_nodes_float32(const HalfQuestion& question) { return NodeSearch(question).find(); }

}  // namespace detent
