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

/// The document: one onnx::ModelProto. What Detent does not understand (metadata, newer fields, other domains) stays as
/// it came. Analysis works on graph(); changes are GraphPatch values (graph_patch.h).
class Model {
 public:
  /// `files`: what initializers look into (model/graph/stored_data.h).
  explicit Model(std::unique_ptr<onnx::ModelProto> proto, std::filesystem::path path = {},
                 std::vector<std::shared_ptr<const MappedFile>> files = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// A deep copy but for weights that stay in files, for verifying a patch before against after.
  [[nodiscard]] Model clone() const;

  [[nodiscard]] const std::filesystem::path& path() const;  ///< empty when not read from a file
  [[nodiscard]] int64_t ir_version() const;
  [[nodiscard]] std::map<std::string, int64_t> opsets() const;
  [[nodiscard]] size_t byte_size() const;  ///< serialised size with weights

  /// Index of the main graph as it is now. Valid until the next change of the model.
  [[nodiscard]] const Graph& graph() const;

  [[nodiscard]] const onnx::ModelProto& proto() const;  ///< for src/model only
  [[nodiscard]] onnx::ModelProto& mutable_proto();      ///< for src/model only; drops the index

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a .onnx file, external data included. Large weights stay in the files, which are mapped: memory holds the
/// nodes and the weights that somebody looks at. Files that are replaced meanwhile (by a rename) do no harm. Nodes that
/// do not stand in execution order are brought into it. The message starts with the path. Checks the structure;
/// operators' signatures are checked by who runs or places them (ops/check_signatures).
/// Errors  InvalidModel: missing,
/// truncated, not ONNX, cyclic, dangling names, opset outside 7..28, missing external data.
[[nodiscard]] Model read_model(const std::filesystem::path& path);

/// read_model for a file that we wrote: libonnx's checker is asked besides, a judge that is not ours, as far as it
/// knows the file's versions and operators (opset <= 17, IR <= 8).
[[nodiscard]] Model read_back(const std::filesystem::path& path);

/// Parses ONNX text form (onnx::OnnxParser) for tests.
/// Errors  InvalidModel with the parser's message.
[[nodiscard]] Model parse_model_text(const std::string& text);

struct WriteOptions {
  bool overwrite = false;
  /// Serialised bytes above which weights go into an external file; protobuf's own limit is 2 GiB - 1.
  uint64_t external_data_above = std::numeric_limits<int32_t>::max();
};

/// Writes whole or not at all: temporary file beside the target, fsync, rename. Models above the limit get their
/// weights in an external file NAME.onnx.DIGITS.data beside it, DIGITS from the content; it is there before the model,
/// and goes when that is replaced. The message starts with the path.
/// Errors  CannotWrite (exists without overwrite, no
/// such folder, no permission, disk full).
void write_model(const Model& model, const std::filesystem::path& path, const WriteOptions& options = {});

}  // namespace detent
