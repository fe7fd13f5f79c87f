#include "detections/decode.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/float_type.h"
#include "core/index.h"
#include "detections/suppress.h"

namespace detent {

namespace {

constexpr size_t kMost = 100;
// As ultralytics validates: what a user of the exports suppresses with.
constexpr float kLeastScore = 0.001F;
constexpr double kSuppressedIou = 0.65;

Box around(float x, float y, float width, float height) {
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

std::vector<Detection> highest(std::vector<Detection> found) {
  std::erase_if(found, [](const Detection& one) {
    return !std::isfinite(one.score) || !std::isfinite(one.box.left + one.box.right + one.box.top + one.box.bottom);
  });
  std::ranges::stable_sort(found, std::ranges::greater{}, &Detection::score);
  found.resize(std::min(found.size(), kMost));
  return found;
}

std::vector<Detection> rows(const Tensor& output, int64_t sample) {
  const int64_t count = output.shape()[1];
  std::vector<Detection> found;
  for (int64_t r = 0; r < count; ++r) {
    const std::span<const float> row = output.data<float>().subspan(as_index((sample * count + r) * 6), 6);
    const float category = std::nearbyint(row[5]);
    if (std::abs(category) < 1e6F)
      found.push_back({{row[0], row[1], row[2], row[3]}, row[4], static_cast<int32_t>(category)});
  }
  return highest(std::move(found));
}

std::vector<Detection> columns(const Tensor& output, int64_t sample) {
  const int64_t channels = output.shape()[1], anchors = output.shape()[2];
  const float* values = output.data<float>().data() + sample * channels * anchors;
  std::vector<Detection> found;
  for (int64_t c = 4; c < channels; ++c)
    for (int64_t a = 0; a < anchors; ++a) {
      const float score = values[c * anchors + a];
      if (!(score > kLeastScore)) continue;
      found.push_back({around(values[a], values[anchors + a], values[2 * anchors + a], values[3 * anchors + a]), score,
                       static_cast<int32_t>(c - 4)});
    }
  return highest(suppress(std::move(found), kSuppressedIou));
}

std::vector<Detection> queries(const Tensor& boxes, const Tensor& logits, int64_t sample, InputSize input) {
  const int64_t count = logits.shape()[1], classes = logits.shape()[2];
  const auto width = static_cast<float>(input.width), height = static_cast<float>(input.height);
  std::vector<Detection> found;
  for (int64_t q = 0; q < count; ++q) {
    const std::span<const float> box = boxes.data<float>().subspan(as_index((sample * count + q) * 4), 4);
    const Box placed = around(box[0] * width, box[1] * height, box[2] * width, box[3] * height);
    for (int64_t c = 0; c < classes; ++c) {
      const double logit = logits.data<float>()[as_index((sample * count + q) * classes + c)];
      found.push_back({placed, static_cast<float>(1 / (1 + std::exp(-logit))), static_cast<int32_t>(c)});
    }
  }
  return highest(std::move(found));
}

bool is_candidate(const Tensor& output, int64_t samples) {
  return !output.empty_handle() && !output.is_sequence() && is_floating_point(output.type()) &&
         output.shape().rank() == 3 && output.shape()[0] == samples && output.shape().element_count() > 0;
}

bool is_probability(float x) { return x >= -0.001F && x <= 1.001F; }

/// True of rows of two corners in order, a probability and a whole number.
bool looks_like_rows(const Tensor& output) {
  const std::span<const float> all = output.data<float>();
  for (size_t r = 0; r + 6 <= all.size(); r += 6) {
    const std::span<const float> row = all.subspan(r, 6);
    if (row[2] < row[0] || row[3] < row[1] || !is_probability(row[4])) return false;
    if (std::abs(row[5] - std::nearbyint(row[5])) > 0.001F) return false;
  }
  return true;
}

/// True of sizes that are not negative above probabilities.
bool looks_like_columns(const Tensor& output) {
  const auto samples = as_index(output.shape()[0]), channels = as_index(output.shape()[1]);
  const auto anchors = as_index(output.shape()[2]);
  for (size_t n = 0; n < samples; ++n) {
    const std::span<const float> one = output.data<float>().subspan(n * channels * anchors, channels * anchors);
    if (std::ranges::any_of(one.subspan(2 * anchors, 2 * anchors), [](float x) { return x < 0; })) return false;
    if (!std::ranges::all_of(one.subspan(4 * anchors), is_probability)) return false;
  }
  return true;
}

/// True of boxes within the image beside logits, some of them below 0.
bool looks_like_queries(const Tensor& boxes, const Tensor& logits) {
  return std::ranges::all_of(boxes.data<float>(), [](float x) { return x >= -0.5F && x <= 1.5F; }) &&
         std::ranges::any_of(logits.data<float>(), [](float x) { return x < 0; });
}

}  // namespace

DetectionReader::DetectionReader(DetectionForm form, Tensor boxes, Tensor scores)
    : form_(form), boxes_(std::move(boxes)), scores_(std::move(scores)) {}

std::optional<DetectionReader> DetectionReader::of(std::span<const Tensor> outputs, int64_t samples,
                                                   std::optional<DetectionForm> form) {
  const auto wanted = [&](DetectionForm one) { return !form || *form == one; };
  std::vector<Tensor> candidates;
  for (const Tensor& output : outputs)
    if (is_candidate(output, samples)) candidates.push_back(cast(output, DataType::Float32));
  for (const Tensor& boxes : candidates) {
    if (!wanted(DetectionForm::BoxesLogits) || boxes.shape()[2] != 4) continue;
    for (const Tensor& logits : candidates)
      if (&logits != &boxes && logits.shape()[1] == boxes.shape()[1] && (form || looks_like_queries(boxes, logits)))
        return DetectionReader(DetectionForm::BoxesLogits, boxes, logits);
  }
  for (const Tensor& output : candidates) {
    const Shape& shape = output.shape();
    if (wanted(DetectionForm::XyxyScoreClass) && shape[2] == 6 && (form || looks_like_rows(output)))
      return DetectionReader(DetectionForm::XyxyScoreClass, output, {});
    if (wanted(DetectionForm::CxcywhScores) && shape[1] > 4 &&
        (form || (shape[1] < shape[2] && looks_like_columns(output))))
      return DetectionReader(DetectionForm::CxcywhScores, output, {});
  }
  return std::nullopt;
}

std::vector<Detection> DetectionReader::read(int64_t sample, InputSize input) const {
  switch (form_) {
    case DetectionForm::XyxyScoreClass: return rows(boxes_, sample);
    case DetectionForm::CxcywhScores: return columns(boxes_, sample);
    case DetectionForm::BoxesLogits: break;
  }
  return queries(boxes_, scores_, sample, input);
}

}  // namespace detent
