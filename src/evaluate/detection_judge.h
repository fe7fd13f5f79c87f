#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/images/object_labels.h"
#include "datasets/images/preprocess.h"
#include "detections/free_rows.h"
#include "detections/graph_layout.h"
#include "detent/base/data_source.h"
#include "detent/options/evaluation_options.h"
#include "detent/options/run_settings.h"
#include "evaluate/class_numbers.h"
#include "evaluate/paired_detections.h"
#include "model/model.h"
#include "outputs/output_reading.h"

namespace detent {

/// The annotations of one sample of a detector.
struct DetectionTruth {
  std::vector<TrueObject> objects = {};  ///< in pixels of the network's input
  InputSize input;                       ///< of an image; 0 where the sample holds none
  double unit_area = 1;                  ///< pixels of the image in one of the input
};

/// Detections of one model beside the annotations, and beside the float model's detections.
struct DetectionSums {
  MatchedDetections labelled, agreeing;

  DetectionSums& operator+=(const DetectionSums& other);
  /// Adds mAP, also by size, mAP50 and the agreement by Metric::name, those that there is something of.
  void add_metrics(std::map<std::string, double>& metrics) const;
  /// Returns the detections whose AveragePrecision::map is this metric; nullptr: another metric.
  [[nodiscard]] const MatchedDetections* scored_by(const Metric& metric) const;
};

/// The forms of judged outputs, by which their errors are measured.
struct OutputForms {
  std::optional<DetectionLayout> detections = {};  ///< nullopt: no detector
  std::vector<OutputBlock> blocks = {};            ///< of outputs without detections
  std::vector<FreeRows> rows = {};                 ///< of outputs without detections
  std::vector<OutputReading> readings = {};        ///< of the graph's outputs
};

/// Finds the layout of a detector's outputs: by its graph, run once on the first sample (find_detections), or by the
/// form that the settings name.
/// Returns  nullopt for other networks, for "none", and where the boxes or scores are not judged.
/// Errors   InvalidOption for an unknown form and one that no output has; those of reading and running.
[[nodiscard]] std::optional<DetectionLayout> recognize_detections(const Model& model, const DataSource& samples,
                                                                  const RunSettings& settings);
/// Finds all forms of the judged outputs; runs the model once.
/// known   the layout of detections that is known already
/// Errors  those of recognize_detections.
[[nodiscard]] OutputForms recognize_outputs(const Model& model, const DataSource& samples, const RunSettings& settings,
                                            std::optional<DetectionLayout> known = {});

/// Judges the outputs of a detector by annotations, if there are some, and by the float model's detections.
/// Thread-safe.
class DetectionJudge {
 public:
  /// preprocess  of the images; nullopt: samples are arrays
  /// classes     of the layout
  /// Errors      those of read_coco and read_label_folder.
  DetectionJudge(const EvaluationOptions& options, std::optional<PreprocessSpec> preprocess, int64_t classes);

  /// Learns on some samples how the float model numbers the categories of the annotations (kClassNumberings).
  /// Errors  InvalidData where its detections do not fit the annotations (require_fit); those of detect_in.
  void learn_classes(const Model& reference, const DetectionLayout& layout, const DataSource& samples,
                     const RunSettings& settings);

  /// True when the annotations have this sample, or there are none. Samples are matched by path, then by file name.
  /// True where the labels show an object of this sample that counts: none of a crowd.
  [[nodiscard]] bool has_objects(const std::string& sample) const;
  [[nodiscard]] bool knows(const std::string& sample) const { return !labels_ || labels_->find(sample) != nullptr; }
  /// False where a sample that is not known shows no objects, as YOLO has it.
  [[nodiscard]] bool needs_every_sample() const { return labels_ && labels_->form != ObjectLabels::Form::Yolo; }
  /// Returns "classes are numbered by their ids; boxes are two corners in pixels": how the annotations and the float
  /// model's first outputs are read; "" without annotations.
  [[nodiscard]] const std::string& reading() const { return reading_; }
  /// Returns the annotations of a sample, moved as the preprocessing moved the image, with the model's classes.
  [[nodiscard]] DetectionTruth truth_of(const Sample& sample) const;
  /// Judges the detections in the samples of `truths`, in their order.
  [[nodiscard]] DetectionSums score(std::span<const DetectionTruth> truths, const PairedDetections& pairs) const;

 private:
  /// The categories of the objects are indices.
  [[nodiscard]] DetectionTruth place(const std::string& name, std::array<int, 2> image_size, InputSize input) const;

  std::string labels_name_;
  std::optional<ObjectLabels> labels_;
  ClassNumbering numbering_ = kClassNumberings.front();
  std::string reading_;
  std::optional<PreprocessSpec> preprocess_;  // of images; nullopt: boxes are in pixels of the input already
};

}  // namespace detent
