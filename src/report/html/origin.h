#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "detent/base/model_files.h"

namespace detent {

/// Where a page comes from. What is empty is left out; all empty, and the page has no such part.
struct PageOrigin {
  std::string command;   ///< as it was typed: "detent plan model.onnx --html page.html"
  std::string versions;  ///< of the program and its libraries, one a line
  std::string model;     ///< path of the file that was read; its last part is shown
  ModelFiles files;      ///< digests of that file and of those that hold its weights
  struct Data {
    std::string use;  ///< "Calibration data"
    size_t samples = 0;
    std::string digest;  ///< of their names and contents
  };
  std::vector<Data> data;  ///< that the report rests on, as it says; those without digest are left out
  std::string date;        ///< only where it was asked for: pages of equal runs are equal
};

namespace html {

/// The table of it, "" where there is nothing.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);

}  // namespace html
}  // namespace detent
