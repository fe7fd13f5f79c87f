#include "evaluate/detection_judge.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/files/reach.h"
#include "core/text.h"
#include "datasets/images/image_transform.h"
#include "datasets/images/label_folder.h"
#include "detections/average_precision.h"
#include "detections/graph_layout.h"
#include "detent/base/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/shown_detections.h"
#include "exec/find_shapes.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

std::optional<DetectionForm> form_named(const std::string& name) {
  if (name.empty() || name == "auto" || name == "none") return std::nullopt;
  const auto found = std::ranges::find(kDetectionForms, name, &DetectionFormName::name);
  if (found == kDetectionForms.end())
    throw Error(ErrorCode::InvalidOption, "--detections " + name + ": there is no such form",
                "auto, none, " + join(kDetectionForms, ", ", &DetectionFormName::name));
  return found->form;
}

/// Returns the layout of the outputs that have this form.
/// Errors  InvalidOption when none has it.
DetectionLayout named_layout(const Graph& graph, const ValueShapes& shapes, DetectionForm form) {
  const std::vector<NamedShape> outputs = name_shapes(graph, shapes);
  if (auto layout = layout_of_form(form, outputs)) return *layout;
  const auto shape_text = [](const NamedShape& one) { return "'" + one.name + "' " + one.shape.to_string(); };
  const auto wanted = std::ranges::find(kDetectionForms, form, &DetectionFormName::form);
  throw Error(ErrorCode::InvalidOption, "--detections " + std::string(wanted->name) + ": no output has the form " +
                                            std::string(wanted->outputs) + "; the outputs are " +
                                            join(outputs, ", ", shape_text));
}

/// form  nullopt: by the graph
std::optional<DetectionLayout> judged_layout(const Graph& graph, const ValueShapes& shapes,
                                             std::optional<DetectionForm> form, const RunSettings& settings) {
  if (settings.detections == "none") return std::nullopt;
  const std::vector<std::string> judged = judged_ends(graph, settings);
  const auto counts = [&](const std::string& name) { return name.empty() || std::ranges::count(judged, name) > 0; };
  auto layout = find_detections(graph, shapes);
  if (form && (!layout || layout->form != *form)) layout = named_layout(graph, shapes, *form);
  if (layout && (!counts(layout->boxes) || !counts(layout->scores))) layout.reset();
  return layout;
}

/// Describes how annotations and outputs are read.
std::string describe_reading(const ClassNumbering& numbering, const NumberForm& numbers) {
  std::string text = "classes are numbered " + std::string(numbering.name) + "; boxes are " +
                     (numbers.corners ? "two corners" : "centres and sizes") +
                     (numbers.pixels ? " in pixels" : " in 0..1");
  if (numbers.no_object)
    text += "; scores are a Softmax, whose column " + std::to_string(*numbers.no_object) + " is \"no object\"";
  return text;
}

/// unit  pixels of the image in 1 of the object's numbers
TrueObject placed(const LabelledObject& object, PixelSize unit, const ImagePlacement& at) {
  const double scale_x = at.scale_x * unit.width, scale_y = at.scale_y * unit.height;
  const double left = object.left * scale_x + at.left, top = object.top * scale_y + at.top;
  const double right = left + object.width * scale_x, bottom = top + object.height * scale_y;
  return {{static_cast<float>(left), static_cast<float>(top), static_cast<float>(right), static_cast<float>(bottom)},
          object.category,
          object.crowd,
          object.area > 0 ? object.area : object.width * unit.width * object.height * unit.height};
}

}  // namespace

DetectionSums& DetectionSums::operator+=(const DetectionSums& other) {
  labelled += other.labelled;
  agreeing += other.agreeing;
  return *this;
}

const MatchedDetections* DetectionSums::scored_by(const Metric& metric) const {
  if (metric == metrics::kMap) return &labelled;
  return metric == metrics::kDetectionAgreement ? &agreeing : nullptr;
}

void DetectionSums::add_metrics(std::map<std::string, double>& metrics) const {
  if (const auto precision = average_precision(labelled)) {
    metrics[metrics::kMap.name] = precision->map;
    metrics[metrics::kMap50.name] = precision->map50;
  }
  constexpr std::array<std::pair<ObjectSize, Metric>, 3> kSizes{{{ObjectSize::Small, metrics::kMapSmall},
                                                                 {ObjectSize::Medium, metrics::kMapMedium},
                                                                 {ObjectSize::Large, metrics::kMapLarge}}};
  for (const auto& [size, metric] : kSizes)
    if (const auto precision = average_precision(labelled, size)) metrics[metric.name] = precision->map;
  if (const auto precision = average_precision(agreeing)) metrics[metrics::kDetectionAgreement.name] = precision->map;
}

std::optional<DetectionLayout> recognize_detections(const Model& model, const DataSource& samples,
                                                    const RunSettings& settings) {
  const Graph& graph = model.graph();
  const std::optional<DetectionForm> form = form_named(settings.detections);
  if (samples.size() == 0 || (!form && !may_hold_detections(graph))) return std::nullopt;
  return judged_layout(graph, find_shapes(graph, read_first_inputs(samples, settings)), form, settings);
}

OutputForms recognize_outputs(const Model& model, const DataSource& samples, const RunSettings& settings,
                              std::optional<DetectionLayout> known) {
  const Graph& graph = model.graph();
  const std::optional<DetectionForm> form = form_named(settings.detections);
  if (samples.size() == 0) return {};
  const ValueShapes shapes = find_shapes(graph, read_first_inputs(samples, settings));
  if (!known) known = judged_layout(graph, shapes, form, settings);
  OutputForms forms{known, find_blocks(graph, shapes), find_free_rows(graph, shapes),
                    read_outputs(graph, shapes, known, samples.batch())};
  const std::vector<std::string> judged = judged_ends(graph, settings);
  const auto detected = [&](const std::string& name) { return forms.detections && forms.detections->holds(name); };
  std::erase_if(forms.blocks, [&](const OutputBlock& one) {
    return detected(one.output) || std::ranges::count(judged, one.output) == 0;
  });
  std::erase_if(forms.rows, [&](const FreeRows& one) {
    return std::ranges::any_of(one.outputs, detected, &FreeRows::Axis::output);
  });
  return forms;
}

DetectionJudge::DetectionJudge(const EvaluationOptions& options, std::optional<PreprocessSpec> preprocess,
                               int64_t classes)
    : labels_name_(options.labels.string()), preprocess_(std::move(preprocess)) {
  if (gives(options, MetricSource::Objects))
    labels_ = is_folder(options.labels) ? read_label_folder(options.labels, classes) : read_coco(options.labels);
}

void DetectionJudge::learn_classes(const Model& reference, const DetectionLayout& layout, const DataSource& samples,
                                   const RunSettings& settings) {
  if (!labels_) return;
  const SampleSubset some(samples, spread_samples(samples, kProbingSamples));
  std::vector<ProbedSample> probed;
  std::optional<NumberForm> numbers;
  for (DetectedSample& one : detect_in(reference, layout, some, settings, "comparing detections with --labels")) {
    probed.push_back({place(one.name, one.image_size, one.input).objects, std::move(one.found)});
    if (!numbers) numbers = one.numbers;
  }
  numbering_ = find_numbering(probed, *labels_);
  reading_ = describe_reading(numbering_, numbers.value_or(NumberForm{}));
  for (ProbedSample& one : probed) renumber(one.objects, *labels_, numbering_);
  require_fit(probed, labels_name_);
}

bool DetectionJudge::has_objects(const std::string& sample) const {
  const ObjectLabels::Image* image = labels_ ? labels_->find(sample) : nullptr;
  return image && std::ranges::any_of(image->objects, [](const LabelledObject& one) { return !one.crowd; });
}

DetectionTruth DetectionJudge::truth_of(const Sample& sample) const {
  DetectionTruth truth = place(sample.name, sample.image_size, input_size(sample.inputs));
  if (labels_) renumber(truth.objects, *labels_, numbering_);
  return truth;
}

DetectionTruth DetectionJudge::place(const std::string& name, std::array<int, 2> image_size, InputSize in) const {
  DetectionTruth truth{.input = in};
  if (!labels_) return truth;
  const ObjectLabels::Image* image = labels_->find(name);
  if (!image) return truth;
  const PixelSize input{static_cast<int>(truth.input.height), static_cast<int>(truth.input.width)};
  PixelSize size = image->size;
  if (size.height <= 0 || size.width <= 0) size = {image_size[0], image_size[1]};
  if (size.height == 0) size = input;  // arrays are what the network reads
  const PixelSize unit = labels_->form == ObjectLabels::Form::Yolo ? size : PixelSize{1, 1};
  const ImagePlacement at = preprocess_ ? placement_of(*preprocess_, size, input) : ImagePlacement();
  truth.unit_area = 1 / (at.scale_x * at.scale_y);
  for (const LabelledObject& object : image->objects) truth.objects.push_back(placed(object, unit, at));
  return truth;
}

DetectionSums DetectionJudge::score(std::span<const DetectionTruth> truths, const PairedDetections& pairs) const {
  DetectionSums sums;
  for (size_t n = 0; n < truths.size(); ++n) {
    const DetectionTruth& truth = truths[n];
    if (labels_) sums.labelled += match_objects(pairs.found[n], truth.objects, truth.unit_area);
    sums.agreeing += pairs.match_shown(n);
  }
  return sums;
}

}  // namespace detent
