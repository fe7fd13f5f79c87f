#pragma once

namespace google::protobuf::io {
class ZeroCopyOutputStream;
}

namespace onnx {
class ModelProto;
}

namespace detent {

/// Serialises the document, fields in ascending order as protobuf does, and weights that stay in files as raw data, one
/// tensor after the other, without copies. `proto` is the same before and after, but must not be read meanwhile.
/// Returns false when the stream takes no more, or the document is beyond protobuf's 2 GiB.
[[nodiscard]] bool write_model_stream(onnx::ModelProto& proto, google::protobuf::io::ZeroCopyOutputStream& stream);

}  // namespace detent
