#pragma once

#include <string>

namespace detent {

/// The first line of a message that may have many, without the full stop: libonnx explains itself at length.
inline std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

}  // namespace detent
