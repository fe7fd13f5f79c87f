#pragma once

#include <optional>
#include <span>
#include <string>

#include "detections/layout.h"

namespace detent {

/// The layout of a detector's outputs, by the form that the user names or by the graph.
class LayoutChoice {
 public:
  /// word        as EvaluationOptions::detections; "none" is the caller's to see to.
  /// recognized  by the graph (recognize_detections); a form that the user names wins.
  /// Errors      InvalidOption for an unknown form.
  LayoutChoice(const std::string& word, std::optional<DetectionLayout> recognized);

  /// True when there is something to go by.
  [[nodiscard]] bool given() const { return form_ || recognized_; }
  /// Returns the layout; nullopt where no output has the form.
  /// outputs  of the float model, samples in front.
  [[nodiscard]] std::optional<DetectionLayout> of(std::span<const std::string> names,
                                                  std::span<const Tensor> outputs) const;

 private:
  std::optional<DetectionForm> form_;
  std::optional<DetectionLayout> recognized_;
};

}  // namespace detent
