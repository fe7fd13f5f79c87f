#include "detections/average_precision.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace detent {

namespace {

constexpr size_t kThresholds = 10, kRecalls = 101, kMostOfCategory = 100;

using Match = MatchedDetections::Match;

double threshold(size_t t) { return 0.5 + 0.05 * static_cast<double>(t); }

bool is_finite(const Detection& found) {
  return std::isfinite(found.score) && std::isfinite(found.box.left) && std::isfinite(found.box.top) &&
         std::isfinite(found.box.right) && std::isfinite(found.box.bottom);
}

/// IoU; of a crowd the share of the detection that lies in it.
double overlap(const Box& found, const TrueObject& object) {
  const double shared = shared_area(found, object.box);
  const double whole = object.crowd ? found.area() : found.area() + object.box.area() - shared;
  return whole > 0 ? shared / whole : 0;
}

/// Matches the detections of one category with its objects, both in the order in which they take each other.
void match_category(std::span<const Detection* const> found, std::span<const TrueObject* const> objects, uint64_t image,
                    std::vector<Match>& matches) {
  const size_t first = matches.size();
  for (const Detection* one : found) matches.push_back({image, one->category, one->score, 0, 0});
  for (size_t t = 0; t < kThresholds; ++t) {
    std::vector<bool> taken(objects.size());
    for (size_t d = 0; d < found.size(); ++d) {
      // A rounded IoU of exactly the threshold counts.
      double best = std::min(threshold(t), 1 - 1e-10);
      std::optional<size_t> match;
      for (size_t o = 0; o < objects.size(); ++o) {
        const bool crowd = objects[o]->crowd;
        if (taken[o] && !crowd) continue;
        if (match && crowd && !objects[*match]->crowd) break;  // objects come before crowds
        const double iou = overlap(found[d]->box, *objects[o]);
        if (iou < best) continue;
        best = iou;
        match = o;
      }
      if (!match) continue;
      taken[*match] = true;
      const auto bit = static_cast<uint16_t>(1U << t);
      auto& bits = objects[*match]->crowd ? matches[first + d].ignored : matches[first + d].right;
      bits = static_cast<uint16_t>(bits | bit);
    }
  }
}

/// Average precision of one category at one threshold; `matches` in the order of falling scores.
double precision_at(std::span<const Match> matches, size_t t, uint64_t objects) {
  std::vector<double> recall, precision;
  uint64_t right = 0, wrong = 0;
  for (const Match& match : matches) {
    if ((match.ignored >> t & 1U) != 0) continue;
    ++((match.right >> t & 1U) != 0 ? right : wrong);
    recall.push_back(static_cast<double>(right) / static_cast<double>(objects));
    precision.push_back(static_cast<double>(right) / static_cast<double>(right + wrong));
  }
  for (size_t i = precision.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double sum = 0;
  for (size_t r = 0; r < kRecalls; ++r) {
    const auto at = std::ranges::lower_bound(recall, static_cast<double>(r) / (kRecalls - 1));
    if (at != recall.end()) sum += precision[static_cast<size_t>(at - recall.begin())];
  }
  return sum / kRecalls;
}

}  // namespace

MatchedDetections& MatchedDetections::operator+=(const MatchedDetections& other) {
  matches.insert(matches.end(), other.matches.begin(), other.matches.end());
  counts.insert(counts.end(), other.counts.begin(), other.counts.end());
  return *this;
}

MatchedDetections& MatchedDetections::operator-=(const MatchedDetections& other) {
  std::set<uint64_t> images;
  for (const Match& match : other.matches) images.insert(match.image);
  for (const Count& count : other.counts) images.insert(count.image);
  const auto is_removed = [&](const auto& one) { return images.contains(one.image); };
  std::erase_if(matches, is_removed);
  std::erase_if(counts, is_removed);
  return *this;
}

MatchedDetections match_objects(std::span<const Detection> found, std::span<const TrueObject> objects, uint64_t image) {
  std::map<int32_t, std::pair<std::vector<const Detection*>, std::vector<const TrueObject*>>> categories;
  for (const Detection& one : found)
    if (is_finite(one)) categories[one.category].first.push_back(&one);
  for (const TrueObject& object : objects) categories[object.category].second.push_back(&object);
  MatchedDetections matched;
  for (auto& [category, both] : categories) {
    auto& [detections, truths] = both;
    std::ranges::stable_sort(detections, std::ranges::greater{}, [](const Detection* one) { return one->score; });
    detections.resize(std::min(detections.size(), kMostOfCategory));
    std::ranges::stable_sort(truths, {}, [](const TrueObject* object) { return object->crowd; });
    match_category(detections, truths, image, matched.matches);
    const auto crowds = std::ranges::count_if(truths, [](const TrueObject* object) { return object->crowd; });
    if (const auto real = truths.size() - static_cast<size_t>(crowds); real > 0)
      matched.counts.push_back({image, category, static_cast<uint32_t>(real)});
  }
  return matched;
}

std::optional<AveragePrecision> average_precision(const MatchedDetections& images) {
  std::map<int32_t, uint64_t> objects;
  for (const MatchedDetections::Count& count : images.counts) objects[count.category] += count.objects;
  if (objects.empty()) return std::nullopt;
  std::vector<Match> ranked = images.matches;
  std::ranges::stable_sort(ranked, {}, [](const Match& match) { return std::pair(match.category, -match.score); });
  AveragePrecision mean;
  for (const auto& [category, count] : objects) {
    const auto of_category = std::ranges::equal_range(ranked, category, {}, &Match::category);
    for (size_t t = 0; t < kThresholds; ++t) {
      const double precision = precision_at(of_category, t, count);
      mean.map += precision;
      if (t == 0) mean.map50 += precision;
    }
  }
  const auto categories = static_cast<double>(objects.size());
  return AveragePrecision{mean.map / (kThresholds * categories), mean.map50 / categories};
}

}  // namespace detent
