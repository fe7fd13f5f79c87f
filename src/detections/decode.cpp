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
         output.shape().rank() == 3 && output.shape()[0] == samples;
}

}  // namespace

DetectionReader::DetectionReader(DetectionForm form, Tensor boxes, Tensor scores)
    : form_(form), boxes_(std::move(boxes)), scores_(std::move(scores)) {}

std::optional<DetectionReader> DetectionReader::of(std::span<const Tensor> outputs, int64_t samples,
                                                   std::optional<DetectionForm> form) {
  const auto wanted = [&](DetectionForm one) { return !form || *form == one; };
  const auto plain = [](const Tensor& output) { return cast(output, DataType::Float32); };
  for (const Tensor& boxes : outputs) {
    if (!is_candidate(boxes, samples) || !wanted(DetectionForm::BoxesLogits) || boxes.shape()[2] != 4) continue;
    for (const Tensor& logits : outputs)
      if (&logits != &boxes && is_candidate(logits, samples) && logits.shape()[1] == boxes.shape()[1])
        return DetectionReader(DetectionForm::BoxesLogits, plain(boxes), plain(logits));
  }
  for (const Tensor& output : outputs) {
    if (!is_candidate(output, samples)) continue;
    if (wanted(DetectionForm::XyxyScoreClass) && output.shape()[2] == 6)
      return DetectionReader(DetectionForm::XyxyScoreClass, plain(output), {});
    if (wanted(DetectionForm::CxcywhScores) && output.shape()[1] > 4 && (form || output.shape()[1] < output.shape()[2]))
      return DetectionReader(DetectionForm::CxcywhScores, plain(output), {});
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
