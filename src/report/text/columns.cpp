#include "report/text/columns.h"

#include <algorithm>

namespace detent {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

}  // namespace detent
