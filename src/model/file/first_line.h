#pragma once

#include <string>

namespace detent {

/// Returns the first line of a message of libonnx, without the full stop.
inline std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

}  // namespace detent
