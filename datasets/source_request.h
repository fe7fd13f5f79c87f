#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/base/array_fit.h"
#include "datasets/sample_request.h"
#include "detent/base/data_source.h"

namespace detent {

/// A source to open: SRC without its "INPUT=", the inputs that it feeds (at least one), the preprocessing of images and
/// audio, and the inputs that --mask names.
struct SourceRequest {
  std::string src;
  std::span<const FeedInput> inputs;
  const Preprocess& preprocess;
  std::span<const std::string> masks = {};
};

/// Files to which --preprocess applies.
enum class Preprocessed : uint8_t { Nothing, Images, Audio };

/// A form of SRC.
struct DataSourceEntry {
  std::string_view form;  ///< as in a list of forms: "a folder of images"
  enum class Feeds { OneInput, AllInputs } feeds;
  bool (*accepts)(const std::string& src);
  /// Opens a source whose samples hold one tensor per request.inputs, in that order.
  /// Errors  as open_data.
  std::unique_ptr<DataSource> (*open)(const SourceRequest& request);
  /// Tells what an accepted SRC holds; nullptr: nothing that is preprocessed.
  Preprocessed (*holds)(const std::string& src) = nullptr;
  /// Returns the files that an accepted SRC names besides itself; nullptr: none.
  /// Errors  those of reading SRC.
  std::vector<std::filesystem::path> (*names)(const std::string& src) = nullptr;
};

}  // namespace detent
