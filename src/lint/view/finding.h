#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lint/view/lint_view.h"

namespace detent {

/// Error: the engine refuses the model or computes different results. Warning: a fusion or an INT8 layer is lost. Note:
/// a choice worth knowing.
enum class FindingLevel : uint8_t { Error, Warning, Note };
[[nodiscard]] constexpr std::string_view name_of(FindingLevel level) {
  constexpr std::string_view kNames[] = {"error", "warning", "note"};
  return kNames[static_cast<size_t>(level)];
}

/// A finding about a model.
struct Finding {
  std::string_view id;
  FindingLevel level = FindingLevel::Note;
  std::string node;            ///< name in the file; a QuantizeLinear or DequantizeLinear for a pair
  std::string message;         ///< the problem and its reason
  std::string cure;            ///< the change that solves it
  std::vector<NodeId> layers;  ///< weighted ops that it affects
};

/// Findings while the checks are writing them.
class FindingLog {
 public:
  void begin(std::string_view id, FindingLevel level) { id_ = id, level_ = level; }
  /// level  nullopt: the kind's level
  void add(const std::string& node, const std::string& message, const std::string& cure, std::vector<NodeId> layers,
           std::optional<FindingLevel> level = std::nullopt) {
    const FindingLevel used = level.value_or(level_);
    if (used != FindingLevel::Note) explained_.insert(layers.begin(), layers.end());
    findings_.push_back({id_, used, node, message, cure, std::move(layers)});
  }
  /// Ends the checks: the engine refuses the whole model.
  void close() { closed_ = true; }
  [[nodiscard]] bool is_closed() const { return closed_; }
  /// Marks layers as explained by a note, so that no later finding says why they are float.
  void explain(const std::set<NodeId>& layers) { explained_.insert(layers.begin(), layers.end()); }
  /// True when a finding above a note has named the layer, or explain() has.
  [[nodiscard]] bool explains(NodeId layer) const { return explained_.contains(layer); }
  [[nodiscard]] std::vector<Finding>& findings() { return findings_; }

 private:
  std::string_view id_;
  FindingLevel level_ = FindingLevel::Note;
  bool closed_ = false;
  std::vector<Finding> findings_;
  std::set<NodeId> explained_;
};

/// Adds the findings of one kind to the log.
using FindingCheck = void(const LintView& view, FindingLog& log);

/// The subject of a kind: pairs; pairs as strongly typed targets read them; the float types of a file for such targets,
/// with or without pairs.
enum class FindingScope : uint8_t { Pairs, TypedPairs, Types };

/// EveryEngine: each engine's home must place the kind. Some: a kind that only those engines have that name it.
enum class FindingReach : uint8_t { EveryEngine, Some };

/// A kind of finding.
struct FindingKind {
  std::string_view id;  ///< kebab-case
  FindingReach reach;
  std::string_view summary;  ///< the line in `lint --help`
  FindingCheck* check;
  FindingScope scope = FindingScope::Pairs;
  Decided<bool> Target::*condition = nullptr;  ///< a fact without which it does not concern a target

  [[nodiscard]] bool strongly_typed_only() const { return scope != FindingScope::Pairs; }
  /// Returns the level for the target; nullopt when the kind does not concern it.
  [[nodiscard]] std::optional<FindingLevel> level(const Target& target) const;
  /// The same for the engine, whatever its version.
  [[nodiscard]] std::optional<FindingLevel> level(Engine engine) const;
};

}  // namespace detent
