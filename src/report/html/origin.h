#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "detent/base/model_files.h"

namespace detent {

/// Origin of a page. Empty members are left out of the page.
struct PageOrigin {
  std::string command;   ///< as typed: "detent plan model.onnx --html page.html"
  std::string versions;  ///< of the program and its libraries, one a line
  std::string model;     ///< path of the file that was read; the page shows its last part
  ModelFiles files;      ///< digests of that file and of external weights
  struct Data {
    std::string use;  ///< "Calibration data"
    size_t samples = 0;
    std::string digest;  ///< of names and contents; empty: the page leaves the data out
  };
  std::vector<Data> data;  ///< used by the report
  std::string date;        ///< only if requested, so that equal runs give equal pages
};

namespace html {

/// Prints the origin as a table; "" where all is empty.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);

}  // namespace html
}  // namespace detent
