#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace detent {

/// Detections of the float model and of the quantized model, for a page. No document has them.
struct DetectionPictures {
  struct Box {
    double left = 0, top = 0, right = 0, bottom = 0;  ///< in pixels of the network's input
    double score = 0;
    int32_t category = 0;  ///< index of the class
    bool alike = false;    ///< the other model has this box, with a score close to this one
  };
  struct Picture {
    std::string sample;
    int width = 0, height = 0;         ///< of the network's input
    std::string jpeg;                  ///< the bytes of the file, which may have fewer pixels
    std::vector<Box> expected, found;  ///< of the float and of the quantized model, from `least_score` on
  };
  std::vector<Picture> pictures;  ///< the sample with the largest error first
  /// Scores of a detection in both models, one of them from `least_score` on; 0: the model did not find it.
  struct Scores {
    double expected = 0, found = 0;
  };
  std::vector<Scores> scores;      ///< in all samples, or evenly chosen ones of many
  std::string quantized = "INT8";  ///< name of the quantized model
  double least_score = 0;
  size_t samples = 0;
};

}  // namespace detent
