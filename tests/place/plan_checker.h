#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "place/placement_case_reader.h"

namespace detent::test {

/// Comparison of one plan with the lines of one `expect`, reporting at the line that is wrong.
class PlanChecker {
 public:
  PlanChecker(const PlacementCase& one, const Expectation& expectation, const Graph& graph, const PlacementPlan& plan)
      : file_(one.file.string()), expectation_(expectation), graph_(graph), plan_(plan) {}

  void check() {
    for (const Line& line : expectation_.lines) check_line(line);
    check_nothing_else();
  }

 private:
  void fail(int line, const std::string& what) const { ADD_FAILURE_AT(file_.c_str(), line) << what; }

  [[nodiscard]] const Node* find_node(const std::string& output, int line) const {
    const Node* node = graph_.producer(graph_.find_value(output));
    if (!node) fail(line, "no node writes '" + output + "'");
    return node;
  }

  // "x -> c1" or "x -> c1:0"
  [[nodiscard]] const EdgeDecision* read_edge(std::istringstream& words, int line) const {
    std::string value, arrow, target;
    words >> value >> arrow >> target;
    int slot = -1;
    if (const auto colon = target.rfind(':'); colon != std::string::npos) {
      slot = std::stoi(target.substr(colon + 1));
      target.resize(colon);
    }
    const Node* node = find_node(target, line);
    if (!node) return nullptr;
    const ValueId id = *graph_.find_value(value);
    for (const EdgeDecision& edge : plan_.edges)
      if (edge.consumer == node->id && edge.value == id && (slot < 0 || edge.slot == slot)) return &edge;
    fail(line, "'" + target + "' has no data input '" + value + "'");
    return nullptr;
  }

  void check_rule(const std::string& wanted, RuleId id, int line) const {
    const std::string rule = name_of(id);
    if (!wanted.empty() && rule != wanted && !rule.starts_with(wanted + " "))
      fail(line, "decided by '" + rule + "', not " + wanted);
  }

  [[nodiscard]] std::string edge_text(const EdgeDecision& edge) const {
    return graph_.value(edge.value).name + " -> " + graph_.value(*graph_.node(edge.consumer).output(0)).name + ":" +
           std::to_string(edge.slot) + " [" + name_of(edge.rule) + "] " + edge.reason;
  }

  void check_edge(std::istringstream& words, bool pair, int line) {
    const EdgeDecision* edge = read_edge(words, line);
    if (!edge) return;
    if (pair) listed_pairs_.insert({edge->consumer, edge->slot});
    if (edge->reads_pair() != pair)
      return fail(line, std::string("is ") + (edge->reads_pair() ? "a pair: " : "float: ") + edge_text(*edge));
    std::string rule;
    words >> rule;
    check_rule(rule, edge->rule, line);
  }

  void check_layer(std::istringstream& words, bool int8, int line) {
    std::string name, rule;
    words >> name >> rule;
    const Node* node = find_node(name, line);
    if (!node) return;
    const LayerDecision* layer = plan_.find_layer(node->id);
    if (!layer) return fail(line, "'" + name + "' is no weighted op");
    listed_layers_.insert(node->id);
    if (layer->runs_on_codes() != int8)
      fail(line, "the layer is " + std::string(int8 ? "float: " : "INT8: ") + layer->reason);
    check_rule(rule, layer->rule, line);
  }

  /// "dynamic NODE RULE": the layer finds its scale at run time, and reads floats.
  void check_dynamic(std::istringstream& words, int line) {
    std::string name, rule;
    words >> name >> rule;
    const Node* node = find_node(name, line);
    if (!node) return;
    listed_dynamic_.insert(node->id);
    const LayerDecision* layer = plan_.find_layer(node->id);
    if (!layer || layer->runs != Runs::Dynamic) return fail(line, "'" + name + "' finds no scale at run time");
    check_rule(rule, layer->rule, line);
    for (const WeightDecision& weight : plan_.weights)
      if (weight.node == node->id && !weight.dynamic) fail(line, "its weight has a DequantizeLinear");
    for (const EdgeDecision& edge : plan_.edges)
      if (edge.consumer == node->id && edge.reads != Reads::Dynamic) fail(line, edge_text(edge));
  }

  void check_weight(std::istringstream& words, int line) const {
    std::string name, word;
    int axis = 0;
    words >> name >> word >> axis;
    const Node* node = find_node(name, line);
    if (!node) return;
    for (const WeightDecision& weight : plan_.weights) {
      if (weight.node != node->id) continue;
      if (word == "float")
        fail(line, "the weight is quantized");
      else if (weight.axis != axis)
        fail(line, "the axis is " + std::to_string(weight.axis));
      return;
    }
    if (word != "float") fail(line, "the weight is not quantized");
  }

  void check_range(std::optional<Range> ValueDecision::*known, std::istringstream& words, int line) const {
    std::string name;
    Range range;
    words >> name >> range.min >> range.max;
    const std::optional<Range>& own = plan_.about(*graph_.find_value(name)).*known;
    if (!own || own->min != range.min || !reaches(own->max, range.max)) fail(line, "no such range");
  }

  /// Returns a bound of Clip, which ends 2^-22 inside for ONNX Runtime.
  static bool reaches(float end, float bound) { return end == bound || end == bound * (1 - 0x1p-22F); }

  void check_unbounded(std::istringstream& words, int line) const {
    std::string name;
    words >> name;
    const ValueDecision& decision = plan_.about(*graph_.find_value(name));
    if (decision.limit || decision.fixed) fail(line, "its range is known");
  }

  void check_group(std::istringstream& words, int line) {
    std::set<std::string> wanted;
    for (std::string name; words >> name;) wanted.insert(name);
    listed_groups_.insert(wanted);
    for (const auto& group : plan_.scale_groups())
      if (names(group) == wanted) return;
    fail(line, "these values do not make up a group");
  }

  [[nodiscard]] std::set<std::string> names(const std::vector<ValueId>& values) const {
    std::set<std::string> result;
    for (const ValueId value : values) result.insert(graph_.value(value).name);
    return result;
  }

  [[nodiscard]] std::vector<ValueId> marked(bool ValueDecision::*mark) const {
    std::vector<ValueId> found;
    for (const auto& [id, value] : plan_.values)
      if (value.*mark) found.push_back(id);
    return found;
  }

  /// Returns the values with 16-bit codes in a plan of 8-bit ones.
  [[nodiscard]] std::vector<ValueId> wide_values() const {
    return plan_.type == CodeType::A16W8 ? std::vector<ValueId>() : marked(&ValueDecision::wide);
  }

  void check_symmetric(std::istringstream& words, int line) {
    symmetric_listed_ = true;
    std::set<std::string> wanted;
    for (std::string name; words >> name;) wanted.insert(name);
    if (names(marked(&ValueDecision::symmetric)) != wanted) fail(line, "other values have a symmetric grid");
  }

  void check_unsigned(std::istringstream& words, int line) {
    unsigned_listed_ = true;
    std::set<std::string> wanted;
    for (std::string name; words >> name;) wanted.insert(name);
    if (names(marked(&ValueDecision::unsigned_codes)) != wanted) fail(line, "other values have unsigned codes");
  }

  void check_near(std::istringstream& words, int line) {
    std::set<std::string> wanted;
    for (std::string name; words >> name;) wanted.insert(name);
    if (names(marked(&ValueDecision::near_symmetric)) != wanted) fail(line, "other values may have a symmetric grid");
  }

  void check_wide(std::istringstream& words, int line) {
    wide_listed_ = true;
    std::set<std::string> wanted;
    for (std::string name; words >> name;) wanted.insert(name);
    if (names(wide_values()) != wanted) fail(line, "other values have 16-bit codes");
  }

  void check_converted(std::istringstream& words, int line) {
    if (const EdgeDecision* edge = read_edge(words, line)) converted_.insert({edge->consumer, edge->slot});
  }

  void check_masked(std::istringstream& words, int line) {
    std::string sum, scores, mask;
    words >> sum >> scores >> mask;
    const auto is = [&](const MaskedSum& one) {
      return graph_.value(one.sum).name == sum && graph_.value(one.scores).name == scores &&
             graph_.value(one.mask).name == mask;
    };
    if (std::ranges::none_of(plan_.masked_sums, is)) fail(line, "there is no such mask");
    ++listed_masks_;
  }

  void check_ranged(std::istringstream& words, int line) const {
    std::set<std::string> wanted, found;
    for (std::string name; words >> name;) wanted.insert(name);
    for (const auto& [id, value] : plan_.values)
      if (!value.pair) found.insert(graph_.value(id).name);
    std::string text;
    for (const std::string& name : found) text += " " + name;
    if (found != wanted) fail(line, "the other values with a range are" + text);
  }

  void check_note(std::istringstream& words, int line) const {
    std::string wanted;
    std::getline(words >> std::ws, wanted);
    for (const std::string& note : plan_.notes)
      if (note.find(wanted) != std::string::npos) return;
    fail(line, "no note says so");
  }

  void check_reason(std::istringstream& words, int line) const {
    const EdgeDecision* edge = read_edge(words, line);
    std::string wanted;
    std::getline(words >> std::ws, wanted);
    if (edge && edge->reason.find(wanted) == std::string::npos) fail(line, "the reason is: " + edge->reason);
  }

  void check_output(std::istringstream& words, int line) {
    std::string name;
    words >> name;
    listed_outputs_.insert(*graph_.find_value(name));
    if (!plan_.about(*graph_.find_value(name)).output) fail(line, "the graph output has no pair");
  }

  [[nodiscard]] const AttentionDecision* find_attention(std::istringstream& words, int line) {
    std::string scores;
    words >> scores;
    for (const AttentionDecision& decision : plan_.attention)
      if (graph_.value(*graph_.node(decision.block.first).output(0)).name == scores) return &decision;
    fail(line, "no block of attention computes '" + scores + "'");
    return nullptr;
  }

  void check_attention(std::istringstream& words, int line) {
    const AttentionDecision* decision = find_attention(words, line);
    std::string form, wanted;
    std::getline(words >> form >> std::ws, wanted);
    if (!decision) return;
    listed_attention_.insert(decision->block.first);
    const std::string said = decision->reason + "; " + decision->otherwise;
    if (on_codes(decision->runs) != (form != "float") || said.find(wanted) == std::string::npos)
      fail(line, std::string(on_codes(decision->runs) ? "quantized: " : "float: ") + said);
  }

  void check_sizes(std::istringstream& words, int line) {
    const AttentionDecision* decision = find_attention(words, line);
    AttentionSizes wanted;
    words >> wanted.heads >> wanted.head_size >> wanted.queries >> wanted.keys;
    if (!decision) return;
    const AttentionSizes& found = decision->block.sizes;
    if (found.heads != wanted.heads || found.head_size != wanted.head_size || found.queries != wanted.queries ||
        found.keys != wanted.keys)
      fail(line, "the sizes are " + std::to_string(found.heads) + " " + std::to_string(found.head_size) + " " +
                     std::to_string(found.queries) + " " + std::to_string(found.keys));
  }

  void check_marks(std::istringstream& words, int line) {
    const AttentionDecision* decision = find_attention(words, line);
    std::set<std::string> wanted, found;
    for (std::string mark; words >> mark;) wanted.insert(mark);
    if (!decision) return;
    if (!decision->block.masks.empty()) found.insert("mask");
    if (decision->block.rotary) found.insert("rotary");
    if (decision->block.grouped) found.insert("grouped");
    if (found != wanted) fail(line, "the block has other marks");
  }

  void check_line(const Line& line) {
    std::istringstream words(line.text);
    std::string word;
    words >> word;
    if (word == "pair" || word == "float")
      check_edge(words, word == "pair", line.number);
    else if (word == "int8" || word == "keep")
      check_layer(words, word == "int8", line.number);
    else if (word == "weight")
      check_weight(words, line.number);
    else if (word == "dynamic")
      check_dynamic(words, line.number);
    else if (word == "share")
      check_group(words, line.number);
    else if (word == "symmetric")
      check_symmetric(words, line.number);
    else if (word == "near")
      check_near(words, line.number);
    else if (word == "unsigned")
      check_unsigned(words, line.number);
    else if (word == "wide")
      check_wide(words, line.number);
    else if (word == "converted")
      check_converted(words, line.number);
    else if (word == "masked")
      check_masked(words, line.number);
    else if (word == "attention")
      check_attention(words, line.number);
    else if (word == "sizes")
      check_sizes(words, line.number);
    else if (word == "marks")
      check_marks(words, line.number);
    else if (word == "ranged")
      check_ranged(words, line.number);
    else if (word == "output")
      check_output(words, line.number);
    else if (word == "limit")
      check_range(&ValueDecision::limit, words, line.number);
    else if (word == "fixed")
      check_range(&ValueDecision::fixed, words, line.number);
    else if (word == "unbounded")
      check_unbounded(words, line.number);
    else if (word == "note")
      check_note(words, line.number);
    else if (word == "reason")
      check_reason(words, line.number);
    else if (word != "sized")
      fail(line.number, "unknown expectation '" + word + "'");
  }

  void check_nothing_else() const {
    const int line = expectation_.number;
    for (const EdgeDecision& edge : plan_.edges) {
      if (edge.reason.empty()) fail(line, "no reason for " + edge_text(edge));
      if (edge.reads_pair() && !listed_pairs_.contains({edge.consumer, edge.slot}))
        fail(line, "unexpected pair: " + edge_text(edge));
    }
    for (const LayerDecision& layer : plan_.layers) {
      if (layer.reason.empty()) fail(line, "no reason for layer " + graph_.node(layer.node).name);
      if (layer.runs == Runs::Dynamic && !listed_dynamic_.contains(layer.node))
        fail(line, "unexpected scale at run time: " + graph_.node(layer.node).name);
      if (!layer.runs_on_codes() && !listed_layers_.contains(layer.node))
        fail(line, "unexpected float layer " + graph_.node(layer.node).name + ": " + layer.reason);
    }
    for (const auto& group : plan_.scale_groups()) {
      std::string text;
      for (const std::string& name : names(group)) text += " " + name;
      if (!listed_groups_.contains(names(group))) fail(line, "unexpected shared scale:" + text);
    }
    if (!wide_listed_ && !wide_values().empty()) fail(line, "unexpected 16-bit codes");
    if (plan_.masked_sums.size() != listed_masks_) fail(line, "unexpected masks");
    for (const EdgeDecision& edge : plan_.edges)
      if (const bool second = edge.reads == Reads::SecondPair;
          second != converted_.contains({edge.consumer, edge.slot}))
        fail(line, edge_text(edge) + (second ? " is converted" : " is not converted"));
    if (file_.ends_with("/attention.txt") || file_.ends_with("/attention_unfused.txt"))
      for (const AttentionDecision& decision : plan_.attention)
        if (!listed_attention_.contains(decision.block.first)) fail(line, "unexpected block: " + decision.reason);
    if (!symmetric_listed_ && !marked(&ValueDecision::symmetric).empty()) fail(line, "unexpected symmetric grids");
    if (!unsigned_listed_ && !marked(&ValueDecision::unsigned_codes).empty()) fail(line, "unexpected unsigned codes");
    for (const auto& [id, value] : plan_.values)
      if (value.output && !listed_outputs_.contains(id)) fail(line, "unexpected output pair " + graph_.value(id).name);
  }

  std::string file_;
  const Expectation& expectation_;
  const Graph& graph_;
  const PlacementPlan& plan_;
  std::set<std::pair<NodeId, int>> listed_pairs_;
  std::set<NodeId> listed_layers_, listed_dynamic_;
  std::set<ValueId> listed_outputs_;
  std::set<std::set<std::string>> listed_groups_;
  bool symmetric_listed_ = false, unsigned_listed_ = false, wide_listed_ = false;
  std::set<NodeId> listed_attention_;
  size_t listed_masks_ = 0;
  std::set<std::pair<NodeId, int>> converted_;
};

}  // namespace detent::test
