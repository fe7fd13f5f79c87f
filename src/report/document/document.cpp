#include "report/document/document.h"

namespace detent::document {

const TopicTitle& title_of(Topic topic) {
  static constexpr TopicTitle kTitles[] = {{"model", "", ""},
                                           {"findings", "Findings", "Findings"},
                                           {"coverage", "Coverage", "Coverage"},
                                           {"quantizers", "Speed and quantizers alone", "Speed"},
                                           {"floats", "16-bit floats", "16-bit floats"},
                                           {"graph", "Graph", "Graph"},
                                           {"placement", "Placement", "Placement"},
                                           {"equalizable", "What could be equalized", "Equalization"}};
  return kTitles[static_cast<size_t>(topic)];
}

}  // namespace detent::document
