#include "model/file/weight_files.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>

#include "core/files/mapped_file.h"
#include "detent/base/error.h"
#include "detent/base/input_files.h"
#include "model/file/model_shell.h"

namespace detent {

ExternalFiles weight_files(const std::filesystem::path& model) {
  const ModelShell shell = parse_model_shell(*MappedFile::open(model));
  if (!shell.proto) throw Error(ErrorCode::InvalidModel, model.string() + ": is not an ONNX model");
  return load_external_data(*shell.proto, model);
}

std::vector<std::filesystem::path> files_of_model(const std::filesystem::path& model) {
  std::vector<std::filesystem::path> files{model};
  std::error_code error;
  for (std::filesystem::directory_iterator entry(model, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".onnx" && entry->is_regular_file(error))
      std::ranges::move(files_of_model(entry->path()), std::back_inserter(files));
  if (!std::filesystem::is_regular_file(model, error)) return files;
  try {
    for (const auto& [location, data] : weight_files(model)) files.push_back(model.parent_path() / location);
  } catch (const Error&) {
    return files;  // reading the model reports what is wrong
  }
  return files;
}

}  // namespace detent
