#include "model/file/weight_files.h"

#include <onnx/onnx_pb.h>

#include "core/files/mapped_file.h"
#include "detent/base/error.h"
#include "model/file/model_shell.h"

namespace detent {

ExternalFiles weight_files(const std::filesystem::path& model) {
  const ModelShell shell = parse_model_shell(*MappedFile::open(model));
  if (!shell.proto) throw Error(ErrorCode::InvalidModel, model.string() + ": is not an ONNX model");
  return load_external_data(*shell.proto, model);
}

}  // namespace detent
