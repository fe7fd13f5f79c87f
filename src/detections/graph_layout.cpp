#include "detections/graph_layout.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/float_type.h"
#include "core/index.h"
#include "detections/columns.h"

namespace detent {

namespace {

using List = std::vector<Columns>;

bool is_box(const List& columns, size_t first, size_t pieces) {
  int64_t count = 0;
  for (size_t i = first; i < first + pieces; ++i) {
    const Meaning meaning = columns[i].meaning;
    if (meaning != Meaning::Coordinates && meaning != Meaning::Raw && meaning != Meaning::Scores) return false;
    count += columns[i].count;
  }
  return count == 4;
}

int64_t count_of(const List& columns) {
  int64_t count = 0;
  for (const Columns& one : columns) count += one.count;
  return count;
}

/// Returns how many pieces in front are the four coordinates; 0 when none are. A Sigmoid before the arithmetic is
/// hidden by it, so scores among the four are offsets that nothing decodes.
size_t pieces_of_box(const List& columns) {
  int64_t count = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    count += columns[i].count;
    if (count == 4 && is_box(columns, 0, i + 1) && columns[0].meaning != Meaning::Scores) return i + 1;
    if (count >= 4) return 0;
  }
  return 0;
}

bool are_all(const List& columns, size_t first, Meaning meaning) {
  return first < columns.size() && std::all_of(columns.begin() + std::ptrdiff_t(first), columns.end(),
                                               [&](const Columns& one) { return one.meaning == meaning; });
}

/// True when the rows are the cells of 8, 16 and 32 pixels of the image.
bool counts_cells(const Graph& graph, const ColumnTrace& trace, int64_t rows) {
  for (const ValueId input : graph.inputs()) {
    const Shape* shape = trace.shape_of(input);
    if (!shape || shape->rank() != 4) continue;
    int64_t cells = 0;
    for (const int64_t stride : {8, 16, 32}) cells += ((*shape)[2] / stride) * ((*shape)[3] / stride);
    if (cells == rows) return true;
  }
  return false;
}

/// Returns the operator in front of pairs.
const Node* behind_codes(const Graph& graph, const Node* node) {
  while (node && (node->op_type == "DequantizeLinear" || node->op_type == "QuantizeLinear"))
    node = graph.producer(node->input(0));
  return node;
}

/// True when `later` computes with outputs of `source`, within the few operators that decode a box.
bool decodes(const Graph& graph, NodeId source, NodeId later) {
  constexpr int kSteps = 12;
  std::vector<NodeId> nodes{later};
  for (int step = 0; step < kSteps && !nodes.empty(); ++step) {
    std::vector<NodeId> before;
    for (const NodeId one : nodes) {
      if (one == source) return true;
      for (const ValueId input : present(graph.node(one).inputs))
        if (const Node* producer = behind_codes(graph, graph.producer(input))) before.push_back(producer->id);
    }
    std::ranges::sort(before);
    before.erase(std::ranges::unique(before).begin(), before.end());
    nodes = std::move(before);
  }
  return false;
}

/// True where the first score is of the object, and multiplies those of the classes: it stands apart (YOLOX), or one
/// Sigmoid writes boxes and scores of an anchor (YOLOv5).
bool has_objectness(const Graph& graph, const List& columns, size_t box) {
  const Columns& first = columns[box];
  if (columns.size() > box + 1 && first.count == 1) return true;
  return first.count > 1 && first.source && columns[0].source && decodes(graph, *first.source, *columns[0].source);
}

std::optional<DetectionLayout> joined_rows(const Graph& graph, ColumnTrace& trace, ValueId output) {
  const Shape& shape = *trace.shape_of(output);
  for (const int64_t axis : {int64_t{2}, int64_t{1}}) {
    const List columns = trace.along(output, axis);
    const size_t box = pieces_of_box(columns);
    if (box == 0 || box >= columns.size()) continue;
    const int64_t anchors = shape[as_index(3 - axis)];
    DetectionLayout layout{.boxes = graph.value(output).name, .axis = axis};
    const List rest(columns.begin() + std::ptrdiff_t(box), columns.end());
    if (axis == 2 && rest.size() == 2 && rest[0] == Columns{Meaning::Scores, 1, rest[0].source} &&
        rest[1].meaning == Meaning::Labels && rest[1].count == 1)
      return layout;
    if (!are_all(columns, box, Meaning::Scores) || anchors <= shape[as_index(axis)]) continue;
    layout.form = DetectionForm::CxcywhScores;
    layout.suppressed = false;
    const bool raw = std::ranges::any_of(columns, [](const Columns& one) { return one.meaning == Meaning::Raw; });
    layout.objectness = has_objectness(graph, columns, box);
    layout.classes = count_of(rest) - (layout.objectness ? 1 : 0);
    layout.grid = raw;
    if (raw && (axis != 2 || !counts_cells(graph, trace, anchors))) continue;
    return layout;
  }
  return std::nullopt;
}

std::optional<Meaning> only_meaning(const List& columns) {
  if (columns.empty()) return std::nullopt;
  for (const Columns& one : columns)
    if (one.meaning != columns[0].meaning) return std::nullopt;
  return columns[0].meaning;
}

bool is_matrix_of_rows(const Shape* shape) { return shape && shape->rank() == 3 && (*shape)[1] > 4; }

std::optional<DetectionLayout> separate_rows(const Graph& graph, ColumnTrace& trace) {
  for (const ValueId boxes : graph.outputs()) {
    const Shape* shape = trace.shape_of(boxes);
    if (!is_matrix_of_rows(shape) || (*shape)[2] != 4) continue;
    const auto placed = only_meaning(trace.along(boxes, 2));
    if (placed != Meaning::Coordinates && placed != Meaning::Scores) continue;
    for (const ValueId scores : graph.outputs()) {
      const Shape* other = trace.shape_of(scores);
      if (scores == boxes || !is_matrix_of_rows(other) || (*other)[1] != (*shape)[1]) continue;
      const List columns = trace.along(scores, 2);
      const auto meaning = only_meaning(columns);
      if (meaning != Meaning::Scores && meaning != Meaning::Raw) continue;
      const bool probabilities = meaning == Meaning::Scores;
      const Node* source = columns[0].source ? &graph.node(*columns[0].source) : nullptr;
      const bool background = probabilities && source && source->op_type == "Softmax";
      // Queries end in a Sigmoid of boxes in 0..1 and are matched with objects; anchors are decoded and overlap.
      return DetectionLayout{.form = DetectionForm::BoxesLogits,
                             .boxes = graph.value(boxes).name,
                             .scores = graph.value(scores).name,
                             .classes = (*other)[2] - (background ? 1 : 0),
                             .probabilities = probabilities,
                             .background = background,
                             .suppressed = placed == Meaning::Scores};
    }
  }
  return std::nullopt;
}

/// True where a value comes from an operator of this type within the graph.
bool comes_from(const Graph& graph, ValueId value, std::initializer_list<std::string_view> op_types) {
  std::set<ValueId> seen{value};
  for (std::vector<ValueId> open{value}; !open.empty();) {
    const Node* node = graph.producer(open.back());
    open.pop_back();
    if (!node) continue;
    if (std::ranges::find(op_types, node->op_type) != op_types.end()) return true;
    for (const ValueId input : present(node->inputs))
      if (seen.insert(input).second) open.push_back(input);
  }
  return false;
}

/// Boxes, scores and labels of rows that the network selects: behind a NonMaxSuppression, or decoded boxes and scores
/// behind a TopK.
std::optional<DetectionLayout> selected_rows(const Graph& graph, const ValueShapes& shapes, ColumnTrace& trace) {
  const auto layout = layout_of_form(DetectionForm::BoxesScoresLabels, name_shapes(graph, shapes));
  if (!layout) return std::nullopt;
  const auto value = [&](const std::string& name) { return *graph.find_value(name); };
  const auto last_axis = [&](ValueId id) { return std::ssize(trace.shape_of(id)->dims()) - 1; };
  const auto all_come_from = [&](std::initializer_list<std::string_view> op_types) {
    return std::ranges::all_of(std::array{layout->boxes, layout->scores, layout->labels},
                               [&](const std::string& name) { return comes_from(graph, value(name), op_types); });
  };
  if (all_come_from({"NonMaxSuppression"})) return layout;
  const ValueId boxes = value(layout->boxes), scores = value(layout->scores);
  const bool decoded = only_meaning(trace.along(boxes, last_axis(boxes))) == Meaning::Coordinates &&
                       only_meaning(trace.along(scores, last_axis(scores))) == Meaning::Scores;
  return decoded && all_come_from({"TopK"}) ? layout : std::nullopt;
}

/// True where an input may be an image or a map: [N, C, H, W], or without N. Sequences hold no boxes.
bool reads_images(const Graph& graph, const ValueShapes& shapes) {
  constexpr int64_t kMostColours = 4, kLeastSide = 16;
  return std::ranges::any_of(graph.inputs(), [&](ValueId input) {
    const Shape* shape = find_shape(shapes, input);
    if (!shape || shape->rank() != 3) return shape && shape->rank() == 4;
    const bool in_front = (*shape)[0] <= kMostColours && (*shape)[2] >= kLeastSide;
    const bool behind = (*shape)[2] <= kMostColours && (*shape)[0] >= kLeastSide;
    return (*shape)[0] > 1 && (*shape)[1] >= kLeastSide && (in_front || behind);
  });
}

}  // namespace

bool may_hold_detections(const Graph& graph) {
  return std::ranges::any_of(graph.outputs(), [&](ValueId id) {
    const auto& shape = graph.value(id).declared_shape;
    return !shape || shape->size() == 3 ||
           (shape->size() == 2 && (shape->back() == 4 || shape->back() < 0) && graph.outputs().size() >= 3);
  });
}

std::vector<NamedShape> name_shapes(const Graph& graph, const ValueShapes& shapes) {
  ColumnTrace trace(graph, shapes);
  std::vector<NamedShape> outputs;
  for (const ValueId id : graph.outputs()) {
    const Shape* shape = trace.shape_of(id);
    if (!shape) continue;
    const auto type = graph.value(id).declared_type;
    const bool indices =
        shape->rank() > 0 && only_meaning(trace.along(id, std::ssize(shape->dims()) - 1)) == Meaning::Labels;
    outputs.push_back({graph.value(id).name, *shape, indices || (type && !is_floating_point(*type))});
  }
  return outputs;
}

std::optional<DetectionLayout> find_detections(const Graph& graph, const ValueShapes& shapes) {
  if (!reads_images(graph, shapes)) return std::nullopt;
  ColumnTrace trace(graph, shapes);
  for (const ValueId output : graph.outputs()) {
    const Shape* shape = trace.shape_of(output);
    if (!shape || shape->rank() != 3) continue;
    if (auto found = joined_rows(graph, trace, output)) return found;
  }
  if (auto found = separate_rows(graph, trace)) return found;
  return selected_rows(graph, shapes, trace);
}

std::vector<OutputBlock> find_blocks(const Graph& graph, const ValueShapes& shapes) {
  ColumnTrace trace(graph, shapes);
  std::vector<OutputBlock> blocks;
  for (const ValueId output : graph.outputs()) {
    const Shape* shape = trace.shape_of(output);
    for (int64_t axis = 1; shape && axis < std::ssize(shape->dims()); ++axis) {
      std::vector<OutputBlock> parts;
      Meaning last = Meaning::Other;
      int64_t at = 0;
      for (const Columns& one : trace.along(output, axis)) {
        if (parts.empty() || one.meaning != last)
          parts.push_back({graph.value(output).name, axis, at, 0, one.meaning == Meaning::Scores});
        parts.back().count += one.count;
        last = one.meaning;
        at += one.count;
      }
      if (parts.size() > 1) blocks.insert(blocks.end(), parts.begin(), parts.end());
    }
  }
  return blocks;
}

}  // namespace detent
