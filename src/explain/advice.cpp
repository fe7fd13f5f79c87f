#include "explain/advice.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/text.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

using Row = ExplainReport::Layer;
using Advice = ExplainReport::Advice;

struct FindingRow {
  std::string_view finding, text;
  bool
      layers;  ///< layers of the network count, too: they would not be there without it, or nothing tells what they are
  bool untimed = false;  ///< said of layers without a time, too
};

/// The kinds of causes in words.
constexpr std::array<FindingRow, 15> kFindingRows{{
    {findings::kNoInt8Kernel,
     "quantizers, dequantizers and Scales of weights around layers that have pairs and run in floats: the engine has "
     "no INT8 kernel for them",
     false},
    {findings::kFloatShortcut, "quantizers beside shortcuts that have no pair", false},
    {findings::kFloatReader, "quantizers around layers that have no pair in front of them", false},
    {findings::kFloatOperator, "quantizers around layers that compute in floats whatever pairs they have", false},
    {findings::kPairInFrontOfAdd, "kernels for Adds that no Conv takes in, since its output has a pair", true},
    {findings::kConstant, "constants that are dequantized in each run", false},
    {findings::kTypeChange, "reformats between layers of other types", false},
    {findings::kLayoutChange, "reformats between layers of other layouts", false},
    {findings::kConcatCopy,
     "copies of inputs of Concats: a value lies in the joint tensor of one Concat and is copied for every other that "
     "reads it",
     false},
    {findings::kMovement, "layers that move elements, as the network does", false},
    {findings::kBorder, "quantizers and reformats of the network's inputs and outputs", false},
    {findings::kNamesOnly, "quantizers and reformats of which the file has names only", false},
    {findings::kBlock, "parts of the network that are compiled as one, of which the file tells no types", true},
    {findings::kNoPairAround, "layers in floats, since values that they read or write have no pair", true},
    {findings::kOnCpu, "layers on the chip's CPU, whose time the compiler does not estimate", true, true},
}};

/// The layers of one kind of cause.
struct FindingGroup {
  std::vector<size_t> costly, all;
  double share = 0;
};

/// Returns all nodes of an engine.
std::vector<std::string> nodes_of_rows(const std::vector<Row>& rows) {
  std::vector<std::string> nodes;
  for (const Row& row : rows)
    for (const std::string& node : row.nodes)
      if (!is_quantizer(node) && !is_dequantizer(node)) nodes.push_back(node);
  return nodes;
}

/// Returns one cure for all layers of a group: that of its dearest layer, with the nodes of all where they have the
/// same option.
std::string joint_cure(const FindingGroup& group, const std::vector<Row>& rows, const std::vector<Cause>& causes) {
  const auto dearest = std::ranges::max_element(
      group.costly, {}, [&](size_t index) { return std::pair(!rows[index].cure.empty(), rows[index].share); });
  const Cure& cure = causes[*dearest].cure;
  const std::string& text = rows[*dearest].cure;
  if (cure.option.empty()) return text;
  std::vector<std::string> nodes;
  for (const size_t index : group.all)
    if (causes[index].cure.option == cure.option) nodes.push_back(causes[index].cure.node);
  const std::string single = option_cure(cure.reason, cure.option, cure.node, "").text;
  const std::string end = text.substr(std::min(single.size(), text.size()));
  return option_cure(cure.reason, cure.option, pattern_of(nodes, nodes_of_rows(rows)), end).text;
}

Advice advice_of(const FindingRow& finding, const FindingGroup& group, const std::vector<Row>& rows,
                 const std::vector<Cause>& causes) {
  Advice advice{.finding = std::string(finding.finding),
                .text = std::string(finding.text),
                .cure = joint_cure(group, rows, causes),
                .layers = group.costly.size(),
                .share = group.share,
                .bytes = 0};
  for (const size_t index : group.costly) {
    if (!rows[index].bytes) advice.bytes.reset();
    if (advice.bytes) *advice.bytes += *rows[index].bytes;
  }
  return advice;
}

bool is_code_word(const std::string& word) { return word == "int8" || word == "fp8"; }

/// Returns true for a layer that reads, computes in or writes codes, or quantizes.
bool has_codes(const Row& row) {
  return row.kind == "quantize" || is_code_word(row.arithmetic) || is_code_word(row.output) ||
         std::ranges::any_of(row.inputs, is_code_word);
}

/// Returns the advice for an engine without pairs; nothing for others, and where types are not known.
std::vector<Advice> advice_without_pairs(const std::vector<Row>& rows) {
  Advice advice{.finding = "no_pairs",
                .text = "layers that compute in floats: no layer reads a pair",
                .cure = "detent quantize MODEL.onnx"};
  if (std::ranges::any_of(rows, has_codes)) return {};
  for (const Row& row : rows) {
    if (row.kind != "layer" || !is_float_word(row.arithmetic)) continue;
    advice.share += row.share;
    ++advice.layers;
  }
  if (advice.layers == 0) return {};
  return {advice};
}

}  // namespace

std::vector<Advice> advise(const std::vector<Row>& rows, const std::vector<Cause>& causes) {
  std::vector<Advice> advice = advice_without_pairs(rows);
  for (const FindingRow& finding : kFindingRows) {
    FindingGroup group;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (causes[i].finding != finding.finding) continue;
      group.all.push_back(i);
      if (rows[i].kind == "none" || (rows[i].kind == "layer" && !finding.layers)) continue;
      group.costly.push_back(i);
      group.share += rows[i].share;
    }
    if (group.share > 0 || (finding.untimed && !group.costly.empty()))
      advice.push_back(advice_of(finding, group, rows, causes));
  }
  std::ranges::stable_sort(advice, std::greater{}, &Advice::share);
  return advice;
}

}  // namespace detent
