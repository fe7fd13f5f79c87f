#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/source_request.h"

namespace detent {

/// Token ids of a text for the inputs of a model, integers [batch, S] or [S]: ids, and by their names a mask of
/// padding, types of tokens (0 the first text, 1 the second) and positions.
///
/// Samples have the model's length, or length=N when it is open: windows of all records joined (with a line end between
/// texts); the rest at the end is dropped. Without a length each record is a sample. A tokenizer.json that puts tokens
/// around a text puts them around each window; records of a .jsonl are then a sample each, cut and padded to the
/// length.
/// Errors  those of TextRecords; InvalidOption for inputs that cannot be fed, a length that is not the model's, or a
///         plain text without one; InvalidData for less than one window.
[[nodiscard]] bool is_text(const std::string& src);
/// Returns the text and its vocabulary.
[[nodiscard]] std::vector<std::filesystem::path> files_of_text(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_text(const SourceRequest& request);

}  // namespace detent
