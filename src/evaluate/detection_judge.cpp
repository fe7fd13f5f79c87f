#include "evaluate/detection_judge.h"

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "datasets/image_transform.h"
#include "detections/graph_layout.h"
#include "detent/base/error.h"
#include "exec/find_shapes.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

std::optional<DetectionForm> form_named(const std::string& name) {
  if (name.empty() || name == "auto") return std::nullopt;
  const auto found = std::ranges::find(kDetectionForms, name, &DetectionFormName::name);
  if (found == kDetectionForms.end())
    throw Error(ErrorCode::InvalidOption, "--detections " + name + ": there is no such form",
                "auto, none, " + join(kDetectionForms, ", ", &DetectionFormName::name));
  return found->form;
}

/// Height and width of the first image among the inputs, channels in front or behind.
InputSize size_of_image(const Sample& sample) {
  for (const Tensor& input : sample.inputs) {
    const Shape& shape = input.shape();
    if (shape.rank() != 4) continue;
    const bool channels_behind = shape[3] <= 4 && shape[1] > 4;
    return channels_behind ? InputSize{shape[1], shape[2]} : InputSize{shape[2], shape[3]};
  }
  return {};
}

TrueObject placed(const LabelledObject& object, const ImagePlacement& at) {
  const double left = object.left * at.scale_x + at.left, top = object.top * at.scale_y + at.top;
  const double right = left + object.width * at.scale_x, bottom = top + object.height * at.scale_y;
  return {{static_cast<float>(left), static_cast<float>(top), static_cast<float>(right), static_cast<float>(bottom)},
          object.category,
          object.crowd};
}

/// Detections that a user of the float model would show.
std::vector<TrueObject> shown_objects(const std::vector<Detection>& found) {
  constexpr float kShownFrom = 0.5F;
  std::vector<TrueObject> objects;
  for (const Detection& one : found)
    if (one.score >= kShownFrom) objects.push_back({one.box, one.category});
  return objects;
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

std::optional<DetectionLayout> recognize_detections(const EvaluationOptions& options, const Model& model,
                                                    const DataSource& samples, const RunSettings& settings) {
  if (!gives(options, MetricSource::Detections)) return std::nullopt;
  return find_detections(model.graph(), find_shapes(model.graph(), read_first_inputs(samples, settings)));
}

DetectionJudge::DetectionJudge(const EvaluationOptions& options, std::optional<DetectionLayout> recognized)
    : form_(form_named(options.detections)), recognized_(std::move(recognized)) {
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
  DetectionTruth truth{.input = size_of_image(sample), .image = std::hash<std::string>()(sample.name)};
  if (!labels_) return truth;
  const ObjectLabels::Image& image = *image_of(sample.name);
  const PixelSize input{static_cast<int>(truth.input.height), static_cast<int>(truth.input.width)};
  const ImagePlacement at = preprocess_ ? placement_of(*preprocess_, image.size, input) : ImagePlacement();
  for (const LabelledObject& object : image.objects) truth.objects.push_back(placed(object, at));
  return truth;
}

std::optional<DetectionSums> DetectionJudge::score(std::span<const DetectionTruth> truths,
                                                   std::span<const std::string> names,
                                                   std::span<const Tensor> outputs,
                                                   std::span<const Tensor> expected) const {
  const std::optional<DetectionLayout> layout = layout_of(names, expected);
  if (!layout) return std::nullopt;
  const auto reference = DetectionReader::of(*layout, names, expected, std::ssize(truths));
  auto reader = DetectionReader::of(*layout, names, outputs, std::ssize(truths));
  if (!reference || !reader) return std::nullopt;
  reader->set_corners(reference->corners());
  DetectionSums sums;
  for (size_t n = 0; n < truths.size(); ++n) {
    const auto& [objects, input, image] = truths[n];
    const auto sample = static_cast<int64_t>(n);
    const std::vector<Detection> found = reader->read(sample, input);
    if (labels_) sums.labelled += match_objects(found, objects, image);
    sums.agreeing += match_objects(found, shown_objects(reference->read(sample, input)), image);
  }
  return sums;
}

std::optional<DetectionLayout> DetectionJudge::layout_of(std::span<const std::string> names,
                                                         std::span<const Tensor> outputs) const {
  if (!form_ || (recognized_ && recognized_->form == *form_)) return recognized_;
  std::vector<NamedShape> shapes;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].empty_handle() && !outputs[i].is_sequence()) shapes.push_back({names[i], outputs[i].shape()});
  return layout_of_form(*form_, shapes);
}

}  // namespace detent
