#include "evaluate/shown_detections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/text.h"
#include "detections/detection_error.h"
#include "detent/base/error.h"
#include "evaluate/batch_errors.h"
#include "evaluate/prepared_model.h"
#include "exec/buffer_pool.h"
#include "exec/runnable_part.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

bool is_shown(const Detection& one) { return one.score >= ShownDetections::kLeastScore; }

float partner_score(const Detection* one) {
  return one && one->score >= ShownDetections::kLeastPartner ? one->score : 0;
}

bool is_alike(const DetectionPair& pair) {
  return pair.expected && pair.found && pair.iou >= ShownDetections::kAlikeIou &&
         std::abs(pair.expected->score - pair.found->score) <= ShownDetections::kAlikeScores;
}

Error no_detections() {
  return {ErrorCode::InvalidOption, "no output of the model holds detections in this form",
          "--detections takes " + join(kDetectionForms, ", ", [](const DetectionFormName& form) {
            return std::string(form.name) + " " + std::string(form.outputs);
          })};
}

}  // namespace

ShownDetections ShownDetections::of(std::string name, std::span<const Detection> expected,
                                    std::span<const Detection> found) {
  ShownDetections shown{.name = std::move(name)};
  std::set<const Detection*> alike;
  for (const DetectionPair& pair : pair_detections(expected, found)) {
    if ((pair.expected && is_shown(*pair.expected)) || (pair.found && is_shown(*pair.found)))
      shown.scores.emplace_back(partner_score(pair.expected), partner_score(pair.found));
    if (is_alike(pair)) alike.insert({pair.expected, pair.found});
  }
  const auto take = [&](std::span<const Detection> all, std::vector<Detection>& into, std::vector<bool>& into_alike) {
    for (const Detection& one : all) {
      if (!is_shown(one)) continue;
      into.push_back(one);
      into_alike.push_back(alike.contains(&one));
    }
  };
  take(expected, shown.expected, shown.expected_alike);
  take(found, shown.found, shown.found_alike);
  shown.noise = compare_detections(expected, found).noise;
  return shown;
}

void put_worst_first(std::vector<ShownDetections>& samples) {
  std::ranges::stable_sort(samples, std::greater(), [](const ShownDetections& one) {
    return std::isnan(one.noise) ? std::numeric_limits<double>::infinity() : one.noise;
  });
}

std::vector<DetectedSample> detect_in(const Model& model, const DetectionLayout& layout, const DataSource& source,
                                      const RunSettings& settings, std::string_view task) {
  const std::vector<std::string> names = names_of(model.graph(), RunnablePart(model.graph()).ends());
  const PreparedModel prepared(model, names, team_size(settings, source), settings.products);
  const std::vector<SampleAxis> axes = prepared.sample_axes(source, settings);
  std::vector<BufferPool> pools(worker_count(settings));
  using Batch = std::vector<DetectedSample>;
  const auto run = [&](size_t slot, std::vector<Sample>&& samples, size_t real) {
    Batch batch;
    for (size_t n = 0; n < real; ++n)
      batch.push_back({samples[n].name, samples[n].image_size, input_size(samples[n].inputs)});
    const size_t size = samples.size();
    const std::vector<Tensor> inputs = stack_samples(std::move(samples));
    const std::vector<Tensor> found =
        with_samples_in_front(real_part(prepared.run(inputs, pools[slot]), size, real, axes), real, axes);
    const auto reader = DetectionReader::of(layout, names, found, static_cast<int64_t>(real));
    if (!reader) throw no_detections();
    for (size_t n = 0; n < real; ++n) {
      batch[n].found = reader->read(static_cast<int64_t>(n), input_size(inputs));
      batch[n].numbers = reader->numbers();
    }
    return batch;
  };
  std::vector<DetectedSample> all;
  run_over<Batch>({.source = source, .settings = settings, .task = task}, run,
                  [&](Batch&& batch) { std::ranges::move(batch, std::back_inserter(all)); });
  return all;
}

std::vector<ShownDetections> detect(const Model& model, const DetectionLayout& layout, const DataSource& source,
                                    const RunSettings& settings) {
  std::vector<ShownDetections> all;
  for (const DetectedSample& one : detect_in(model, layout, source, settings, "finding detections"))
    all.push_back(ShownDetections::of(one.name, one.found, one.found));
  return all;
}

}  // namespace detent
