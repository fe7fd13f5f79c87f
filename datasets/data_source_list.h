#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "datasets/array_fit.h"
#include "detent/data_source.h"

namespace detent {

/// What a source is opened with: SRC without its "INPUT=", the inputs it feeds (at least one), and --preprocess.
struct SourceRequest {
  std::string src;
  std::span<const FeedInput> inputs;
  std::string_view preprocess;
};

/// One form of SRC.
struct DataSourceEntry {
  std::string_view form;  ///< as in a list of forms: "a folder of images"
  bool feeds_several;     ///< one SRC holds all inputs of the model
  bool (*accepts)(const std::string& src);
  /// Samples hold one tensor per request.inputs, in that order. Errors  as open_data.
  std::unique_ptr<DataSource> (*open)(const SourceRequest& request);
};

/// Every form, in the order in which they are tried.
[[nodiscard]] std::span<const DataSourceEntry> data_source_list();

}  // namespace detent
