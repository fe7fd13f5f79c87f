#include "evaluate/detection_judge.h"

#include <algorithm>
#include <filesystem>

#include "datasets/image_transform.h"
#include "datasets/label_folder.h"
#include "detections/graph_layout.h"
#include "evaluate/compared_values.h"
#include "evaluate/paired_detections.h"
#include "exec/find_shapes.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

/// unit  pixels of the image in 1 of the object's numbers
TrueObject placed(const LabelledObject& object, PixelSize unit, const ImagePlacement& at) {
  const double scale_x = at.scale_x * unit.width, scale_y = at.scale_y * unit.height;
  const double left = object.left * scale_x + at.left, top = object.top * scale_y + at.top;
  const double right = left + object.width * scale_x, bottom = top + object.height * scale_y;
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
                                                    const RunSettings& settings, std::vector<OutputBlock>* blocks) {
  const Graph& graph = model.graph();
  if (samples.size() == 0 || std::ranges::none_of(graph.outputs(), [&](ValueId id) {
        const auto& shape = graph.value(id).declared_shape;
        return !shape || shape->size() == 3 || (blocks && shape->size() > 3);
      }))
    return std::nullopt;
  const ValueShapes shapes = find_shapes(graph, read_first_inputs(samples, settings));
  const std::vector<std::string> judged = judged_ends(graph, settings);
  const auto counts = [&](const std::string& name) { return name.empty() || std::ranges::count(judged, name) > 0; };
  if (blocks) {
    *blocks = find_blocks(graph, shapes);
    std::erase_if(*blocks, [&](const OutputBlock& one) { return !counts(one.output); });
  }
  auto layout = find_detections(graph, shapes);
  if (layout && (!counts(layout->boxes) || !counts(layout->scores))) layout.reset();
  return layout;
}

DetectionJudge::DetectionJudge(const EvaluationOptions& options, std::optional<DetectionLayout> recognized)
    : layout_(options.detections, recognized) {
  if (gives(options, MetricSource::Objects))
    labels_ = std::filesystem::is_directory(options.labels)
                  ? read_label_folder(options.labels, recognized ? recognized->classes : 0)
                  : read_coco(options.labels);
  if (!options.data.preprocess.empty()) preprocess_ = parse_preprocess(options.data.preprocess);
}

DetectionTruth DetectionJudge::truth_of(const Sample& sample) const {
  DetectionTruth truth{.input = input_size(sample.inputs), .image = std::hash<std::string>()(sample.name)};
  if (!labels_) return truth;
  const ObjectLabels::Image* image = labels_->find(sample.name);
  if (!image) return truth;
  const PixelSize input{static_cast<int>(truth.input.height), static_cast<int>(truth.input.width)};
  PixelSize size = image->size;
  if (size.height <= 0 || size.width <= 0) size = {sample.image_size[0], sample.image_size[1]};
  if (size.height == 0) size = input;  // arrays are what the network reads
  const PixelSize unit = labels_->form == ObjectLabels::Form::Yolo ? size : PixelSize{1, 1};
  const ImagePlacement at = preprocess_ ? placement_of(*preprocess_, size, input) : ImagePlacement();
  for (const LabelledObject& object : image->objects) truth.objects.push_back(placed(object, unit, at));
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
