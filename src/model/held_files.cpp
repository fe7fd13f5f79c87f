#include "model/held_files.h"

#include <onnx/onnx_pb.h>

#include <set>

#include "model/graph/stored_data.h"

namespace detent {

std::vector<std::shared_ptr<const MappedFile>> held_files(const onnx::ModelProto& proto) {
  std::set<std::shared_ptr<const MappedFile>> files;
  for (const onnx::TensorProto& tensor : proto.graph().initializer())
    if (auto file = file_of(tensor)) files.insert(std::move(file));
  return {files.begin(), files.end()};
}

}  // namespace detent
