#include "evaluate/detection_judge.h"

#include <algorithm>
#include <filesystem>

#include "datasets/image_transform.h"
#include "detections/graph_layout.h"
#include "evaluate/paired_detections.h"
#include "exec/find_shapes.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

TrueObject placed(const LabelledObject& object, const ImagePlacement& at) {
  const double left = object.left * at.scale_x + at.left, top = object.top * at.scale_y + at.top;
  const double right = left + object.width * at.scale_x, bottom = top + object.height * at.scale_y;
  return {{static_cast<float>(left), static_cast<float>(top), static_cast<float>(right), static_cast<float>(bottom)},
          object.category,
          object.crowd};
}

}  // namespace

DetectionSums& DetectionSums::operator+=(const DetectionSums& other) {
  labelled += other.labelled;
  agreeing += other.agreeing;
  return *this;
}

DetectionSums& DetectionSums::operator-=(const DetectionSums& other) {
  labelled -= other.labelled;
  agreeing -= other.agreeing;
  return *this;
}

void DetectionSums::add_metrics(std::map<std::string, double>& metrics) const {
  if (const auto precision = average_precision(labelled)) {
    metrics[metrics::kMap.name] = precision->map;
    metrics[metrics::kMap50.name] = precision->map50;
  }
  if (const auto precision = average_precision(agreeing)) metrics[metrics::kDetectionAgreement.name] = precision->map;
}

std::optional<DetectionLayout> recognize_detections(const Model& model, const DataSource& samples,
                                                    const RunSettings& settings) {
  const Graph& graph = model.graph();
  if (samples.size() == 0 || std::ranges::none_of(graph.outputs(), [&](ValueId id) {
        const auto& shape = graph.value(id).declared_shape;
        return !shape || shape->size() == 3;
      }))
    return std::nullopt;
  return find_detections(graph, find_shapes(graph, read_first_inputs(samples, settings)));
}

DetectionJudge::DetectionJudge(const EvaluationOptions& options, std::optional<DetectionLayout> recognized)
    : layout_(options.detections, std::move(recognized)) {
  if (gives(options, MetricSource::Objects)) labels_ = read_coco(options.labels);
  if (!options.data.preprocess.empty()) preprocess_ = parse_preprocess(options.data.preprocess);
}

const ObjectLabels::Image* DetectionJudge::image_of(const std::string& sample) const {
  const std::filesystem::path file = std::filesystem::path(sample).lexically_normal();
  for (const std::string& name : {file.generic_string(), file.filename().generic_string()})
    if (const auto found = labels_->images.find(name); found != labels_->images.end()) return &found->second;
  return nullptr;
}

DetectionTruth DetectionJudge::truth_of(const Sample& sample) const {
  DetectionTruth truth{.input = input_size(sample.inputs), .image = std::hash<std::string>()(sample.name)};
  if (!labels_) return truth;
  const ObjectLabels::Image& image = *image_of(sample.name);
  const PixelSize input{static_cast<int>(truth.input.height), static_cast<int>(truth.input.width)};
  const ImagePlacement at = preprocess_ ? placement_of(*preprocess_, image.size, input) : ImagePlacement();
  for (const LabelledObject& object : image.objects) truth.objects.push_back(placed(object, at));
  return truth;
}

std::optional<DetectionSums> DetectionJudge::score(std::span<const DetectionTruth> truths,
                                                   std::span<const std::string> names, std::span<const Tensor> outputs,
                                                   std::span<const Tensor> expected) const {
  const std::optional<DetectionLayout> layout = layout_.of(names, expected);
  if (!layout || truths.empty()) return std::nullopt;
  const auto pairs = PairedDetections::of(*layout, names, expected, outputs, truths.size(), truths.front().input);
  if (!pairs) return std::nullopt;
  DetectionSums sums;
  for (size_t n = 0; n < truths.size(); ++n) {
    if (labels_) sums.labelled += match_objects(pairs->found[n], truths[n].objects, truths[n].image);
    sums.agreeing += pairs->match_shown(n, truths[n].image);
  }
  return sums;
}

}  // namespace detent
