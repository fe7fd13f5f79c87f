#pragma once

#include <memory>
#include <string>

#include "datasets/source_request.h"

namespace detent {

/// A folder with .npz files and no images, searched recursively, natural order by path: arrays by input name in each, of one sample or several.
/// Sizes that the model leaves open may differ between files. A file that is unreadable or does not fit counts as one sample, whose
/// read() reports it.
/// Errors  InvalidData when there is no sample, or no file fits.
[[nodiscard]] bool is_npz_folder(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_npz_folder(const SourceRequest& request);

}  // namespace detent
