#include "model/graph/stored_data.h"

#include <onnx/onnx_pb.h>

#include <string>

#include "core/files/mapped_file.h"
#include "core/parse.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr std::string_view kKey = "detent.mapped";  // files with it are refused: external data needs a location

uint64_t entry(const onnx::TensorProto& tensor, int index) {
  return parse_number<uint64_t>(tensor.external_data(index).value()).value_or(0);
}

}  // namespace

void set_stored_data(onnx::TensorProto& tensor, const MappedFile& file, uint64_t offset, uint64_t length) {
  tensor.clear_raw_data();
  tensor.clear_external_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, number] : {std::pair(kKey, file.number()), {"offset", offset}, {"length", length}}) {
    onnx::StringStringEntryProto* added = tensor.add_external_data();
    added->set_key(std::string(key));
    added->set_value(std::to_string(number));
  }
}

bool has_stored_data(const onnx::TensorProto& tensor) {
  return tensor.data_location() == onnx::TensorProto::EXTERNAL && tensor.external_data_size() == 3 &&
         tensor.external_data(0).key() == kKey;
}

std::shared_ptr<const MappedFile> file_of(const onnx::TensorProto& tensor) {
  return has_stored_data(tensor) ? MappedFile::find(entry(tensor, 0)) : nullptr;
}

std::string_view raw_bytes(const onnx::TensorProto& tensor) {
  if (!has_stored_data(tensor)) return tensor.raw_data();
  const std::shared_ptr<const MappedFile> file = file_of(tensor);
  const uint64_t offset = entry(tensor, 1), length = entry(tensor, 2);
  if (!file || offset > file->bytes().size() || length > file->bytes().size() - offset)
    throw Error(ErrorCode::Internal, "the file of tensor '" + tensor.name() + "' is not mapped any more");
  return file->bytes().substr(offset, length);
}

void load_stored_data(onnx::TensorProto& tensor) {
  if (!has_stored_data(tensor)) return;
  std::string raw(raw_bytes(tensor));
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data(std::move(raw));
}

}  // namespace detent
