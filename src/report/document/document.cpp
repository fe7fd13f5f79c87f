#include "report/document/document.h"

namespace detent::document {

const TopicTitle& title_of(Topic topic) {
  static constexpr TopicTitle kTitles[] = {{"model", "", ""},
                                           {"pairs", "Pairs", "Pairs"},
                                           {"findings", "Findings", "Findings"},
                                           {"layers", "Layers", "Layers"},
                                           {"against", "Against another engine", "Against"},
                                           {"blame", "Values to blame", "Blame"},
                                           {"candidates", "Candidates", "Candidates"},
                                           {"sensitivity", "Sensitivity of layers", "Sensitivity"},
                                           {"weights", "Weights", "Weights"},
                                           {"latency", "Measured speed", "Speed"},
                                           {"detections", "Detections", "Detections"},
                                           {"outliers", "Calibration samples", "Samples"},
                                           {"choice", "Choice of the calibrator", "Calibrator"},
                                           {"accuracy", "Steps of the accuracy level", "Accuracy"},
                                           {"equalization", "Equalization", "Equalization"},
                                           {"error", "Error of the outputs", "Error"},
                                           {"scores", "Scores", "Scores"},
                                           {"coverage", "Coverage", "Coverage"},
                                           {"quantizers", "Speed and quantizers alone", "Speed"},
                                           {"floats", "16-bit floats", "16-bit floats"},
                                           {"values", "Values and their ranges", "Values"},
                                           {"graph", "Graph", "Graph"},
                                           {"placement", "Placement", "Placement"},
                                           {"equalizable", "What could be equalized", "Equalization"},
                                           {"provenance", "Provenance", "Provenance"}};
  return kTitles[static_cast<size_t>(topic)];
}

}  // namespace detent::document
