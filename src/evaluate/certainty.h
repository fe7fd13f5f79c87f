#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// How sure a network is of its answers, sample by sample, without any truth. Wrong preprocessing makes it unsure, or
/// as sure of the same answer for every sample.
struct Certainty {
  enum class Of : uint8_t {
    Nothing,    ///< no output holds classes or detections
    Classes,    ///< nats that an answer tells beyond the answers to all samples
    Detections  ///< mean of the 20 highest scores of boxes
  };
  Of of = Of::Nothing;
  std::string output = {};             ///< that was read
  std::vector<double> by_sample = {};  ///< one a sample, in the order of the source
  /// Of two classes: their scores as they are, since a common sharpness leaves nothing of them. Larger inputs make them
  /// surer, so that only answers at chance say something.
  bool two_classes = false;
  bool at_chance = false;                ///< of two classes: no answer is sure, and none depends on the sample
  std::vector<std::string> dull = {};    ///< outputs that are the same for all of two samples or more
  std::vector<std::string> broken = {};  ///< outputs with a number that is not finite
  /// Outputs that are pictures in numbers from 0 to 255, of inputs of their form in numbers of another scale.
  std::vector<std::string> larger_pictures = {};

  [[nodiscard]] double mean() const;
};

/// Measures the certainty of a float model on every sample.
///
/// Classes  Kullback-Leibler divergence of each row's distribution from the mean of all: their mean is the mutual
///          information of sample and class. The logits of a row are scaled to a standard deviation of 2 first, because
///          inputs that are too large make logits large: SqueezeNet with pixels up to 255 is surer by far, and wrong.
/// Boxes    20 is about what a picture holds. Of networks with more than 80 boxes a picture on average above .25 the
///          certainty is 0: no picture holds so many.
/// Empty source -> Nothing.
/// Errors   those of reading and running.
[[nodiscard]] Certainty measure_certainty(const Model& model, const DataSource& source, const RunSettings& settings);

/// A comparison of two ways to feed the same samples.
struct CertaintyGain {
  double gain = 0;    ///< of the mean
  double share = 0;   ///< gain by the mean before
  double errors = 0;  ///< gain in standard errors of the mean difference; 0 below 4 samples
};

/// Returns how much surer `other` is. Both of the same samples and the same kind, else no gain.
[[nodiscard]] CertaintyGain compare_certainty(const Certainty& given, const Certainty& other);

}  // namespace detent
