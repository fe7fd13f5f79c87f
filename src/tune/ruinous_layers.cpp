#include "tune/ruinous_layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "calibrators/squared_error.h"
#include "core/text.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/judged_batches.h"
#include "evaluate/sample_scores.h"
#include "evaluate/value_costs.h"
#include "exec/runnable_part.h"
#include "ops/traits.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "run/samples_together.h"
#include "tune/acceptance.h"
#include "tune/layer_errors.h"

namespace detent {

namespace {

constexpr size_t kSuspects = 6;
constexpr size_t kScreened = 2;               // suspects that are measured on all samples
constexpr double kLargestWideShare = 0.2;     // of the multiplications that get 16-bit activations
constexpr double kSuspectDb = kEnoughDb + 6;  // of a value alone: four of them leave kEnoughDb
constexpr double kEnoughWideDb = 20, kWideSuspectDb = kEnoughWideDb + 6;  // 16 bits cost more than a float layer

/// Returns the largest share of the multiplications that may be float.
double largest_share(double reached_db) { return reached_db < kRuinedDb ? 0.2 : 0.02; }

/// Returns the least that a float layer has to raise the outputs by, in dB.
double least_gain(double reached_db) { return reached_db < kRuinedDb ? kRuinDb : kCheapRuinDb; }

/// A value, and the layers that are float when it has no pair.
struct Suspect {
  ValueId value{};
  double db = 0;  ///< what 8 bits keep of it
  KeptFloat layers = {};
};

class Search {
 public:
  Search(PairVariants& variants, const DataSource& source, const RunSettings& settings)
      : variants_(variants), source_(source), settings_(settings),
        all_(source, samples_by_hash(source, kFewestToJudge)) {}

  KeptFloat run() {
    names_ = values_to_compare(variants_.float_model(), all_.samples, settings_);
    if (names_.empty()) return {};
    const std::vector<double> whole = samples_db({{}}, all_).front();
    Step found{{}, score_db(whole)};
    if (found.score >= kEnoughDb) return {};
    if (variants_.widens()) return worst_nodes(found.score);
    few_.emplace(source_, worst_samples(whole, kRoughSamples));
    suspects_ = find_suspects();
    while (found.score < kEnoughDb) {
      Step one = best_step(found);
      if (one.layers == found.layers) break;
      // Two pairs around one activation can hide each other's harm.
      const double least = least_gain(found.score);
      Step taken = one.score >= found.score + least ? one : best_step(one);
      const double steps = taken.layers == one.layers ? 1 : 2;
      if (taken.score < found.score + steps * least) break;
      found = std::move(taken);
    }
    return std::move(found.layers);
  }

 private:
  /// Layers to keep float, and the score with them on all samples.
  struct Step {
    KeptFloat layers = {};
    double score = 0;
  };

  /// Returns the step that raises the score most; the layers given where none may be taken.
  Step best_step(const Step& found) {
    std::vector<const Suspect*> suspects;
    std::vector<KeptFloat> tried{found.layers};
    const double least = share_of(found.layers), most = largest_share(found.score);
    for (const Suspect& suspect : suspects_) {
      KeptFloat layers = joined(found.layers, suspect);
      if (const double share = share_of(layers); share <= least || share > most) continue;
      suspects.push_back(&suspect), tried.push_back(std::move(layers));
    }
    if (suspects.empty()) return found;
    std::vector<double> rough = scores_of(tried, *few_);
    const double before = rough.front();
    rough.erase(rough.begin()), tried.erase(tried.begin());
    if (found.score >= kRuinedDb && std::ranges::max(rough) < before + kCheapRuinDb / 2) return found;
    keep_best(std::move(rough), kScreened, suspects, tried);
    const std::vector<double> scores = scores_of(tried, all_);
    const auto best = static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
    for (auto& [name, reason] : tried[best])
      if (reason.empty())
        reason = fmt::format(
            "8 bits keep {:.1f} dB of '{}'; without them the mean SQNR is {:.1f} dB instead of {:.1f}, on {}",
            suspects[best]->db, name_of(suspects[best]->value), scores[best], found.score,
            plural(all_.samples.size(), "sample"));
    return {std::move(tried[best]), scores[best]};
  }

  /// Returns the nodes to give 16 bits: the shortest beginning of a ranking that reaches kEnoughWideDb, or the best
  /// one; of 1, 2, 4 ... nodes. Many nodes are ranked by their own cost, because 16 bits cost little and operators
  /// without weights count, too.
  KeptFloat worst_nodes(double reached) {
    const LayerErrors errors = measure_layer_errors(variants_, variants_.float_model(), names_, all_.samples, settings_,
                                                    nullptr, LayerVariants::Alone);
    std::vector<std::pair<std::string, std::string>> ranking;
    for (const LayerErrors::Choice& choice : errors.choices)
      if (const double db = worst_sqnr_db(choice.alone); db < kWideSuspectDb)
        ranking.emplace_back(graph().node(choice.what.node).name,
                             fmt::format("8 bits of it alone leave {:.1f} dB at the outputs", db));
    KeptFloat best;
    double score = reached + kRuinDb;
    for (size_t count = 1; count < 2 * ranking.size() && score < kEnoughWideDb; count *= 2) {
      const auto end = ranking.begin() + static_cast<std::ptrdiff_t>(std::min(count, ranking.size()));
      KeptFloat nodes(ranking.begin(), end);
      if (share_of(nodes) > kLargestWideShare) break;
      const double with = scores_of({nodes}, all_).front();
      if (with >= score) best = std::move(nodes), score = with;
    }
    return best;
  }

  static KeptFloat joined(KeptFloat found, const Suspect& suspect) {
    found.insert(suspect.layers.begin(), suspect.layers.end());
    return found;
  }
  [[nodiscard]] const Graph& graph() const { return variants_.graph(); }
  [[nodiscard]] const std::string& name_of(ValueId value) const { return graph().value(value).name; }

  /// Returns the share of the multiplications that become float.
  [[nodiscard]] double share_of(const KeptFloat& layers) const {
    const CoverageReport& whole = variants_.whole().coverage;
    if (whole.macs == 0) return 1;
    return static_cast<double>(whole.int8_macs - variants_.plan(layers).coverage.int8_macs) /
           static_cast<double>(whole.macs);
  }

  /// Returns the values that cost the outputs most, then those that 8 bits keep least of.
  [[nodiscard]] std::vector<Suspect> find_suspects() const {
    const PlacementPlan& plan = variants_.whole();
    const std::map<ValueId, Range> ranges = variants_.ranges().ranges_of(plan);
    std::vector<Suspect> all;
    const auto& histograms = variants_.ranges().calibration().histograms;
    for (const auto& [value, range] : ranges) {
      const auto histogram = histograms.find(value);
      if (graph().value(value).is_constant || histogram == histograms.end()) continue;
      const auto db = expected_sqnr_db(histogram->second, range, variants_.format().range_kind());
      if (db) all.push_back({value, *db});
    }
    std::ranges::stable_sort(all, {}, &Suspect::db);
    const std::vector<ValueCost> costs =
        find_costly_values({variants_.float_model(), plan, ranges, variants_.format(), names_, few_->samples, settings_,
                            "looking for layers that 8 bits ruin"},
                           kSuspects, kSuspectDb);
    for (auto cost = costs.rbegin(); cost != costs.rend(); ++cost) {
      const auto suspect = std::ranges::find(all, cost->value, &Suspect::value);
      if (suspect != all.end()) std::rotate(all.begin(), suspect, suspect + 1);
    }
    all.resize(std::min(all.size(), kSuspects));
    for (Suspect& suspect : all)
      for (std::string& name : layers_around(graph(), plan, suspect.value)) suspect.layers.emplace(std::move(name), "");
    return all;
  }

  /// Samples that sets are measured on.
  struct Part {
    SampleSubset samples;
    std::optional<JudgedBatches> batches = std::nullopt;  // made when they are needed

    Part(const DataSource& source, std::vector<size_t> of) : samples(source, std::move(of)) {}
  };

  /// Returns the positions in the source of those that lose most, the worst first.
  [[nodiscard]] std::vector<size_t> worst_samples(const std::vector<double>& samples_db, size_t count) const {
    std::vector<size_t> order(samples_db.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return samples_db[i]; });
    order.resize(std::min(order.size(), count));
    const std::vector<size_t> positions = samples_by_hash(source_, kFewestToJudge);
    std::ranges::transform(order, order.begin(), [&](size_t i) { return positions[i]; });
    return order;
  }

  /// Keeps the `count` suspects with the highest scores, in their order.
  static void keep_best(std::vector<double> scores, size_t count, std::vector<const Suspect*>& suspects,
                        std::vector<KeptFloat>& tried) {
    for (; scores.size() > count;) {
      const auto worst = std::ranges::min_element(scores) - scores.begin();
      scores.erase(scores.begin() + worst), suspects.erase(suspects.begin() + worst),
          tried.erase(tried.begin() + worst);
    }
  }

  std::vector<double> scores_of(const std::vector<KeptFloat>& sets, Part& part) {
    std::vector<double> scores;
    for (const std::vector<double>& of_one : samples_db(sets, part)) scores.push_back(score_db(of_one));
    return scores;
  }

  /// Returns the score of every sample with each set float. One quantized model at a time is in memory.
  std::vector<std::vector<double>> samples_db(const std::vector<KeptFloat>& sets, Part& part) {
    std::vector<PlacementPlan> plans;
    for (const KeptFloat& layers : sets) plans.push_back(variants_.plan(layers));
    variants_.measure_for(plans);
    const auto model_of = [&](size_t i) { return variants_.model(plans[i]); };
    if (!part.batches)
      part.batches.emplace(variants_.float_model(), names_, part.samples, settings_, nullptr, kJudgedBytes,
                           samples_together(graph(), values_named(graph(), names_), part.samples));
    const Evaluation found =
        evaluate_on_batches(plans.size(), model_of, *part.batches, settings_, "looking for layers that 8 bits ruin");
    return sample_scores(found);
  }

  PairVariants& variants_;
  const DataSource& source_;
  const RunSettings& settings_;
  Part all_;
  std::optional<Part> few_ = std::nullopt;  // the worst of all
  std::vector<std::string> names_;
  std::vector<Suspect> suspects_;
};

}  // namespace

std::vector<std::string> layers_around(const Graph& graph, const PlacementPlan& plan, ValueId value) {
  std::set<std::string> layers, others;
  const auto is_layer = [&](NodeId node) {
    const LayerDecision* layer = plan.find_layer(node);
    return layer && layer->is_quantized();
  };
  for (const EdgeDecision& edge : plan.edges) {
    const EdgeDecision* pair = find_pair(plan, graph, edge.consumer, edge.slot);
    const Node& node = graph.node(edge.consumer);
    if (!pair || pair->value != value || traits_of(graph, node).commutes) continue;
    (is_layer(node.id) ? layers : others).insert(node.name);
  }
  for (const Use& use : graph.value(value).uses)
    if (is_layer(use.node)) layers.insert(graph.node(use.node).name);
  if (const Node* producer = graph.producer(value); producer && is_layer(producer->id)) layers.insert(producer->name);
  const std::set<std::string>& found = layers.empty() ? others : layers;
  return {found.begin(), found.end()};
}

KeptFloat find_ruinous_layers(PairVariants& variants, const DataSource& source, const RunSettings& settings) {
  if (variants.whole().quantized_values().empty()) return {};
  return Search(variants, source, settings).run();
}

}  // namespace detent
