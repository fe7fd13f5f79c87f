#pragma once

#include <string>

namespace detent {

/// Where a page comes from. What is empty is left out; all empty, and the page has no such part.
struct PageOrigin {
  std::string command;       ///< as it was typed: "detent plan model.onnx --html page.html"
  std::string versions;      ///< of the program and its libraries, one a line
  std::string model;         ///< path of the file that was read; its last part is shown
  std::string model_sha256;  ///< of that file's bytes, 64 hexadecimal digits; weights in files beside it are not in it
  std::string date;          ///< only where it was asked for: pages of equal runs are equal
};

namespace html {

/// The table of it, "" where there is nothing.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);

}  // namespace html
}  // namespace detent
