#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace detent {

class MappedFile;

/// The document: one onnx::ModelProto. Parts that Detent does not understand (metadata, newer fields, other domains)
/// stay unchanged. Analysis works on graph(); changes are GraphPatch values (graph_patch.h).
class Model {
 public:
  /// files  the files that initializers look into (model/graph/stored_data.h).
  explicit Model(std::unique_ptr<onnx::ModelProto> proto, std::filesystem::path path = {},
                 std::vector<std::shared_ptr<const MappedFile>> files = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// Returns a deep copy, except weights that stay in files, to compare a model before and after a patch.
  [[nodiscard]] Model clone() const;

  [[nodiscard]] const std::filesystem::path& path() const;  ///< empty when not read from a file
  [[nodiscard]] int64_t ir_version() const;
  [[nodiscard]] std::map<std::string, int64_t> opsets() const;
  [[nodiscard]] size_t byte_size() const;  ///< serialised size with weights

  /// Returns the index of the main graph, valid until the next change of the model.
  [[nodiscard]] const Graph& graph() const;

  [[nodiscard]] const onnx::ModelProto& proto() const;  ///< for src/model only
  [[nodiscard]] onnx::ModelProto& mutable_proto();      ///< for src/model only; drops the index

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a .onnx file, external data included. Large weights stay in the files, which are mapped: memory holds the
/// nodes and the weights that are read. Files may be replaced meanwhile (by a rename). Sorts nodes into execution order
/// where they are not. Checks the structure; callers that run or place operators check their signatures
/// (ops/check_signatures).
/// Errors  InvalidModel, beginning with the path: missing, truncated, not ONNX, cyclic, dangling names, opset outside
///         7..28, missing external data.
[[nodiscard]] Model read_model(const std::filesystem::path& path);

/// Reads a file that Detent wrote like read_model, and runs libonnx's checker as an independent check, as far as it
/// knows the file's versions and operators (opset <= 17, IR <= 8).
[[nodiscard]] Model read_back(const std::filesystem::path& path);

/// Parses ONNX text form (onnx::OnnxParser) for tests.
/// Errors  InvalidModel with the parser's message.
[[nodiscard]] Model parse_model_text(const std::string& text);

/// Options of writing.
struct WriteOptions {
  bool overwrite = false;
  /// Serialised bytes above which weights go into an external file; protobuf's own limit is 2 GiB - 1.
  uint64_t external_data_above = std::numeric_limits<int32_t>::max();
  bool joined = false;  ///< write several files that run as one model (joined_models.h), too, for people to look at
};

/// Writes the whole file or nothing: temporary file beside the target, fsync, rename. Models above the limit get their
/// weights in an external file NAME.onnx.DIGITS.data beside it, DIGITS from the content; it is written before the
/// model, and deleted when that is replaced.
/// Errors  CannotWrite, beginning with the path: exists without overwrite, no such folder, no permission, disk full;
///         Internal for a joined model, unless the options allow it.
void write_model(const Model& model, const std::filesystem::path& path, const WriteOptions& options = {});

}  // namespace detent
