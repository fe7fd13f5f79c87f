#include "report/weight_format.h"

namespace detent {

std::string format_text(const WeightFormat& format) {
  return std::string(title_of(format.codes)) +
         (format.block == 0 ? " with one scale a channel" : " in blocks of " + std::to_string(format.block));
}

}  // namespace detent
