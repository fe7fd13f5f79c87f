#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace onnx {
class TensorProto;
}

namespace detent {

class MappedFile;

/// Makes [offset, offset + length) of `file` the raw data of `tensor`. The tensor does not keep the file: the owner of
/// the document does (Model). The document has it as external data with keys that only this process understands.
void set_stored_data(onnx::TensorProto& tensor, const MappedFile& file, uint64_t offset, uint64_t length);

/// True when the tensor's raw data lies in a MappedFile; false for data in a file that is not loaded.
[[nodiscard]] bool has_stored_data(const onnx::TensorProto& tensor);

/// Returns the file that holds it; nullptr when there is none, or it is no longer mapped.
[[nodiscard]] std::shared_ptr<const MappedFile> file_of(const onnx::TensorProto& tensor);

/// Returns the raw data of the tensor, in the document or in a MappedFile; empty when its elements are in typed fields.
/// Errors  Internal when the file is not mapped any more.
[[nodiscard]] std::string_view raw_bytes(const onnx::TensorProto& tensor);

/// Copies raw data that lies in a MappedFile into the document.
/// Errors  as raw_bytes().
void load_stored_data(onnx::TensorProto& tensor);

}  // namespace detent
