#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/view/lint_view.h"

namespace detent {

/// Error: the engine refuses the model or computes something else. Warning: a fusion or an INT8 layer is lost. Note: a
/// choice worth knowing.
enum class FindingLevel : uint8_t { Error, Warning, Note };
[[nodiscard]] std::string_view name_of(FindingLevel level);

/// Something found in a model.
struct Finding {
  std::string_view id;
  FindingLevel level = FindingLevel::Note;
  std::string node;            ///< name in the file; of a QuantizeLinear or DequantizeLinear where a pair is meant
  std::string message;         ///< what happens and why
  std::string cure;            ///< the change that ends it
  std::vector<NodeId> layers;  ///< weighted ops that it costs something
};

/// Findings while the checks are writing them.
class FindingLog {
 public:
  void begin(std::string_view id, FindingLevel level) { id_ = id, level_ = level; }
  /// level  nullopt: that of the kind.
  void add(const std::string& node, const std::string& message, const std::string& cure, std::vector<NodeId> layers,
           std::optional<FindingLevel> level = std::nullopt);
  /// No further check can tell anything: the engine does not take the model at all.
  void close() { closed_ = true; }
  [[nodiscard]] bool is_closed() const { return closed_; }
  /// A finding above a note has named the layer.
  [[nodiscard]] bool explains(NodeId layer) const { return explained_.contains(layer); }
  [[nodiscard]] std::vector<Finding>& findings() { return findings_; }

 private:
  std::string_view id_;
  FindingLevel level_ = FindingLevel::Note;
  bool closed_ = false;
  std::vector<Finding> findings_;
  std::set<NodeId> explained_;
};

/// What a kind looks at: pairs; pairs as strongly typed targets read them; the float types of a file for such targets,
/// with pairs or without.
enum class FindingScope : uint8_t { Pairs, TypedPairs, Types };

/// One kind of finding. Level nullopt: it does not concern that engine.
struct FindingKind {
  std::string_view id;  ///< kebab-case
  std::optional<FindingLevel> tensorrt, onnxruntime;
  std::string_view summary;  ///< the line in `lint --help`
  std::string_view source;   ///< where the fact was read
  void (*check)(const LintView& view, FindingLog& log);
  FindingScope scope = FindingScope::Pairs;

  [[nodiscard]] bool strongly_typed_only() const { return scope != FindingScope::Pairs; }
  [[nodiscard]] std::optional<FindingLevel> level(const Target& target) const {
    if (strongly_typed_only() && !target.strongly_typed) return std::nullopt;
    return target.engine == Engine::TensorRT ? tensorrt : onnxruntime;
  }
};

}  // namespace detent
