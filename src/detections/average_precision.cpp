#include "detections/average_precision.h"

#include <algorithm>
#include <array>
#include <map>

namespace detent {

namespace {

constexpr size_t kRecalls = 101;

using Starts = std::array<uint32_t, kRecalls>;

/// Returns the numbers of found objects, at least one, that reach the recalls of so many objects.
/// Source  COCOeval: the first of tp / npig that is not below numpy.linspace(0, 1, 101), which is r * 0.01.
Starts starts_of(uint64_t objects) {
  Starts starts;
  const auto all = static_cast<double>(objects);
  for (size_t r = 0; r < kRecalls; ++r) {
    const double recall = static_cast<double>(r) * 0.01;
    auto found = static_cast<uint32_t>(recall * all);
    while (static_cast<double>(found) / all < recall) ++found;
    while (found > 1 && static_cast<double>(found - 1) / all >= recall) --found;
    starts[r] = std::max<uint32_t>(found, 1);
  }
  return starts;
}

}  // namespace

/// The precisions of one category at one threshold, by the number of found objects.
class RankedDetections::Curve {
 public:
  /// counts  of the parts; empty: once
  Curve(const Category& category, size_t threshold, std::span<const uint32_t> counts) {
    uint32_t all = 0;
    for (const Ranked& one : category.ranked) {
      if ((one.ignored >> threshold & 1U) != 0) continue;
      const uint32_t count = counts.empty() ? 1 : counts[one.part];
      if ((one.right >> threshold & 1U) == 0) {
        all += count;
        continue;
      }
      for (uint32_t i = 0; i < count; ++i) ranks_.push_back(++all);
    }
    best_.resize(ranks_.size() + 2);
    for (size_t k = ranks_.size(); k > 0; --k)
      best_[k] = std::max(best_[k + 1], static_cast<double>(k) / static_cast<double>(rank(k)));
  }

  [[nodiscard]] size_t found() const { return ranks_.size(); }
  /// Returns the number of detections up to the one that found the k-th object, k from 1 on.
  [[nodiscard]] uint32_t rank(size_t k) const { return ranks_[k - 1]; }
  /// Returns the largest precision when k objects or more are found; 0 beyond found().
  [[nodiscard]] double best(size_t k) const { return best_[k]; }
  [[nodiscard]] double mean(const Starts& starts) const {
    double sum = 0;
    for (const uint32_t start : starts)
      if (start <= found()) sum += best_[start];
    return sum / kRecalls;
  }

 private:
  std::vector<uint32_t> ranks_;
  std::vector<double> best_;
};

/// The curve of one category at one threshold without one part. Each detection of the part moves all that ranks behind
/// it, in the number of detections and, if it found an object, in that of found objects. Between two of them the move
/// is the same, and so are the best precisions: parts that move the curve equally share a table.
class RankedDetections::LeaveOut {
 public:
  LeaveOut(const Category& category, size_t threshold)
      : category_(category), threshold_(threshold), curve_(category, threshold, {}) {
    uint32_t found = 0;
    for (const Ranked& one : category.ranked) found_.push_back(found += is_right(one));
  }

  [[nodiscard]] const Curve& curve() const { return curve_; }
  /// places  of the part's detections among the ranked ones, in order
  [[nodiscard]] bool changes(std::span<const uint32_t> places) const {
    return std::ranges::any_of(places, [&](uint32_t at) { return !is_ignored(category_.ranked[at]); });
  }
  /// starts  of the objects that stay
  [[nodiscard]] double mean(std::span<const uint32_t> places, const Starts& starts) {
    cuts_.clear();
    Cut cut{.first = 1};
    for (const uint32_t at : places) {
      const Ranked& one = category_.ranked[at];
      if (is_ignored(one)) continue;
      cut.last = found_[at] - is_right(one);
      cuts_.push_back(cut);
      cut = {.first = found_[at] + 1, .right = cut.right + is_right(one), .all = cut.all + 1};
    }
    cut.last = static_cast<uint32_t>(curve_.found());
    cuts_.push_back(cut);

    Walk walk{starts, kRecalls};
    while (walk.recalls > 0 && starts[walk.recalls - 1] + cut.right > curve_.found()) --walk.recalls;
    for (size_t i = cuts_.size(); i-- > 0;) pass(cuts_[i], walk);
    return walk.sum / kRecalls;
  }

 private:
  /// Found objects [first, last], counted with the part, behind `all` of its detections of which `right` found one.
  struct Cut {
    uint32_t first = 0, last = 0, right = 0, all = 0;
  };
  /// The way from the last found object to the first.
  struct Walk {
    const Starts& starts;
    size_t recalls;  // that are not reached yet
    double best = 0, sum = 0;

    /// Adds the recalls that begin at the found object k, counted without the part.
    void reach(uint32_t k) {
      for (; recalls > 0 && starts[recalls - 1] == k; --recalls) sum += best;
    }
  };

  [[nodiscard]] bool is_right(const Ranked& one) const { return (one.right >> threshold_ & 1U) != 0; }
  [[nodiscard]] bool is_ignored(const Ranked& one) const { return (one.ignored >> threshold_ & 1U) != 0; }

  [[nodiscard]] double moved(uint32_t k, uint32_t right, uint32_t all) const {
    return static_cast<double>(k - right) / static_cast<double>(curve_.rank(k) - all);
  }

  void pass(const Cut& cut, Walk& walk) {
    const std::vector<double>* best = find_table(cut);
    uint32_t k = cut.last;
    // The table's best is within the cut if it is higher than behind the cut.
    for (; k >= cut.first && (!best || (*best)[k] == (*best)[cut.last + 1]); --k) {
      walk.best = std::max(walk.best, moved(k, cut.right, cut.all));
      walk.reach(k - cut.right);
    }
    if (k < cut.first) return;
    for (; walk.recalls > 0 && walk.starts[walk.recalls - 1] + cut.right >= cut.first; --walk.recalls)
      walk.sum += std::max(walk.best, (*best)[walk.starts[walk.recalls - 1] + cut.right]);
    walk.best = std::max(walk.best, (*best)[cut.first]);
  }

  /// For each found object the largest precision there or behind, as if all were moved alike.
  struct Table {
    size_t passed = 0;  // objects, one by one
    std::vector<double> best = {};
  };

  /// Returns the table of a cut's move; nullptr as long as passing it one by one has cost less than the table costs.
  const std::vector<double>* find_table(const Cut& cut) {
    constexpr uint32_t kFew = 16;                  // objects that are sooner passed
    constexpr size_t kMostKept = size_t{1} << 21;  // numbers: 16 MB
    if (cut.last < cut.first + kFew) return nullptr;
    Table& table = tables_[{cut.right, cut.all}];
    if (!table.best.empty()) return &table.best;
    table.passed += cut.last - cut.first;
    if (table.passed < curve_.found() || kept_ + curve_.found() > kMostKept) return nullptr;
    kept_ += curve_.found();
    table.best.resize(curve_.found() + 2);
    for (auto k = static_cast<uint32_t>(curve_.found()); k > cut.right && curve_.rank(k) > cut.all; --k)
      table.best[k] = std::max(table.best[k + 1], moved(k, cut.right, cut.all));
    return &table.best;
  }

  const Category& category_;
  size_t threshold_;
  Curve curve_;
  std::vector<uint32_t> found_;  // [place]: found objects up to there
  std::vector<Cut> cuts_;
  std::map<std::pair<uint32_t, uint32_t>, Table> tables_;  // by `right` and `all`
  size_t kept_ = 0;                                        // numbers in them
};

RankedDetections::RankedDetections(std::span<const MatchedDetections* const> parts, ObjectSize of_size)
    : parts_(parts.size()) {
  const auto size = static_cast<size_t>(of_size);
  std::map<int32_t, Category> categories;
  std::map<int32_t, std::vector<std::pair<float, Ranked>>> scored;
  for (uint32_t p = 0; p < parts.size(); ++p)
    for (const MatchedDetections::Count& count : parts[p]->counts) {
      if (count.objects[size] == 0) continue;
      Category& category = categories[count.category];
      category.count += count.objects[size];
      if (category.objects.empty() || category.objects.back().first != p) category.objects.emplace_back(p, 0);
      category.objects.back().second += count.objects[size];
    }
  for (uint32_t p = 0; p < parts.size(); ++p)
    for (const MatchedDetections::Match& match : parts[p]->matches)
      if (categories.contains(match.category))
        scored[match.category].emplace_back(match.score, Ranked{p, match.right[size], match.ignored[size]});
  for (auto& [number, category] : categories) {
    auto& all = scored[number];
    std::ranges::stable_sort(all, std::ranges::greater{}, [](const auto& one) { return one.first; });
    for (const auto& [score, one] : all) category.ranked.push_back(one);
    categories_.push_back(std::move(category));
  }
}

std::optional<AveragePrecision> RankedDetections::precision(std::span<const uint32_t> counts) const {
  AveragePrecision sum;
  size_t categories = 0;
  for (const Category& category : categories_) {
    uint64_t objects = 0;
    for (const auto& [part, count] : category.objects) objects += uint64_t{count} * (counts.empty() ? 1 : counts[part]);
    if (objects == 0) continue;
    ++categories;
    const Starts starts = starts_of(objects);
    for (size_t t = 0; t < kIouThresholds; ++t) {
      const double mean = Curve(category, t, counts).mean(starts);
      sum.map += mean;
      if (t == 0) sum.map50 += mean;
    }
  }
  if (categories == 0) return std::nullopt;
  const auto all = static_cast<double>(categories);
  return AveragePrecision{sum.map / (kIouThresholds * all), sum.map50 / all};
}

std::vector<std::optional<AveragePrecision>> RankedDetections::without_each() const {
  struct Part {
    AveragePrecision change;
    size_t lost = 0;  // categories
  };
  std::vector<Part> changed(parts_);
  AveragePrecision sum;
  for (const Category& category : categories_) {
    std::map<uint32_t, std::vector<uint32_t>> places;  // by part
    for (uint32_t at = 0; at < category.ranked.size(); ++at) places[category.ranked[at].part].push_back(at);
    std::map<uint32_t, uint32_t> objects(category.objects.begin(), category.objects.end());
    for (const auto& [part, count] : objects) places.try_emplace(part);
    for (const auto& [part, count] : objects) changed[part].lost += count == category.count;
    std::map<uint64_t, Starts> starts;
    const auto starts_for = [&](uint64_t count) -> const Starts& {
      const auto [known, added] = starts.try_emplace(count);
      if (added) known->second = starts_of(count);
      return known->second;
    };
    for (size_t t = 0; t < kIouThresholds; ++t) {
      LeaveOut curve(category, t);
      const double whole = curve.curve().mean(starts_for(category.count));
      sum.map += whole;
      if (t == 0) sum.map50 += whole;
      for (const auto& [part, own] : places) {
        const auto known = objects.find(part);
        const uint64_t left = category.count - (known == objects.end() ? 0 : known->second);
        if (left == category.count && !curve.changes(own)) continue;
        const double change = (left == 0 ? 0 : curve.mean(own, starts_for(left))) - whole;
        changed[part].change.map += change;
        if (t == 0) changed[part].change.map50 += change;
      }
    }
  }
  std::vector<std::optional<AveragePrecision>> precisions;
  for (const auto& [change, lost] : changed) {
    const auto left = static_cast<double>(categories_.size() - lost);
    precisions.push_back(left == 0 ? std::nullopt
                                   : std::optional(AveragePrecision{(sum.map + change.map) / (kIouThresholds * left),
                                                                    (sum.map50 + change.map50) / left}));
  }
  return precisions;
}

std::optional<AveragePrecision> average_precision(const MatchedDetections& images, ObjectSize size) {
  const MatchedDetections* all = &images;
  return RankedDetections({&all, 1}, size).precision();
}

}  // namespace detent
