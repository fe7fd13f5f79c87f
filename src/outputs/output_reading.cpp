#include "outputs/output_reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "core/float_type.h"
#include "core/index.h"
#include "detections/columns.h"
#include "outputs/value_origin.h"

namespace detent {

namespace {

constexpr int64_t kFewestOfVector = 16;  // quaternions, normals and colours are shorter
/// Designers choose widths of features in steps of 16; numbers of classes are so by chance, one in 16.
constexpr int64_t kWidthStep = 16, kLeastWidth = 32;
constexpr int64_t kFewestToLead = 8;  // among fewer numbers a lead tells nothing
constexpr int64_t kFewestOfMap = 4;
constexpr double kNoSum = 0.1;  // RowFacts::sum_power() of logits

bool is_width(int64_t extent) { return extent >= kLeastWidth && extent % kWidthStep == 0; }

bool holds_one_of(const std::string& name, std::initializer_list<std::string_view> words) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// Returns the extents beside `axis` that are not 1; axis 0 counts without the samples of the batch.
std::vector<int64_t> places_of(const Shape& shape, int64_t axis, size_t batch) {
  std::vector<int64_t> places;
  for (int64_t a = 0; a < std::ssize(shape.dims()); ++a) {
    const int64_t samples = a == 0 && shape[0] % static_cast<int64_t>(batch) == 0 ? static_cast<int64_t>(batch) : 1;
    if (a != axis && shape[as_index(a)] / samples > 1) places.push_back(shape[as_index(a)] / samples);
  }
  return places;
}

std::string places_text(const std::vector<int64_t>& places, OutputMeaning kind) {
  if (places.empty()) return {};
  std::string extents;
  for (const int64_t one : places) extents += (extents.empty() ? "" : "x") + std::to_string(one);
  return fmt::format(" at each of {} {}", extents, kind == OutputMeaning::Tokens ? "steps" : "places");
}

OutputMeaning classes_of(const std::vector<int64_t>& places) {
  return places.empty() ? OutputMeaning::Classes : places.size() == 1 ? OutputMeaning::Tokens : OutputMeaning::ClassMap;
}

class Reader {
 public:
  Reader(const Graph& graph, const ValueShapes& shapes, size_t batch) : graph_(graph), shapes_(shapes), batch_(batch) {}

  [[nodiscard]] OutputReading read(ValueId output) const {
    const Value& value = graph_.value(output);
    OutputReading reading{.name = value.name, .meaning = {.kind = OutputMeaning::Unknown}, .axis = std::nullopt};
    const Shape* shape = find_shape(shapes_, output);
    if (!shape) {
      reading.source = "its shape is not known";
      return reading;
    }
    const ValueOrigin origin = find_origin(graph_, shapes_, output);
    if (value.declared_type && !is_floating_point(*value.declared_type))
      return integers(std::move(reading), *shape, origin);
    reading.meaning.named_classes = holds_one_of(value.name, {"logit", "class", "prob", "policy", "softmax"});
    reading.meaning.named_vector = holds_one_of(value.name, {"embed", "feature", "hidden", "pooler", "descriptor"});
    reading.meaning.pooled = origin.step == LastStep::Pooled;
    reading.bounded = origin.step == LastStep::Sigmoid || origin.step == LastStep::Softmax;
    reading.axis = origin.axis ? origin.axis : only_axis(*shape);
    if (reading.axis) reading.meaning.extent = (*shape)[as_index(*reading.axis)];
    const std::vector<int64_t> places = places_of(*shape, reading.axis.value_or(-1), batch_);
    decide(reading, *shape, origin, places);
    reading.places = places_text(places, reading.meaning.kind);
    return reading;
  }

 private:
  /// Returns the axis of the only numbers of a sample.
  [[nodiscard]] std::optional<int64_t> only_axis(const Shape& shape) const {
    std::optional<int64_t> only;
    for (int64_t a = shape.rank() == 1 && batch_ == 1 ? 0 : 1; a < std::ssize(shape.dims()); ++a) {
      if (shape[as_index(a)] == 1) continue;
      if (only) return std::nullopt;
      only = a;
    }
    return only;
  }

  static OutputReading integers(OutputReading reading, const Shape& shape, const ValueOrigin& origin) {
    if (origin.step != LastStep::Indices) {
      reading.source = "integers";
      return reading;
    }
    reading.meaning.kind = shape.rank() <= 2 && shape.element_count() <= (shape.rank() > 0 ? shape[0] : 1)
                               ? OutputMeaning::Classes
                           : shape.rank() <= 2 ? OutputMeaning::Tokens
                                               : OutputMeaning::ClassMap;
    reading.source = "indices of " + origin.op;
    return reading;
  }

  void decide(OutputReading& reading, const Shape& shape, const ValueOrigin& origin,
              const std::vector<int64_t>& places) const {
    MeaningByGraph& meaning = reading.meaning;
    const auto settle = [&](OutputMeaning kind, std::string source) {
      meaning.kind = kind, reading.source = std::move(source);
    };
    const std::string op = origin.op.empty() ? "the graph" : "a " + origin.op;
    const bool vector = meaning.extent >= kFewestOfVector;
    if (origin.step == LastStep::Indices) return settle(OutputMeaning::Unknown, "indices of " + origin.op);
    if (!reading.axis || meaning.extent < 2) return settle(OutputMeaning::Signal, "");
    if (!origin.chosen_by.empty() && is_fixed(origin))
      return settle(classes_of(places), origin.chosen_by + " chooses among them");
    if (origin.weights_cancel)
      return settle(classes_of(places), "the weights of " + op + " add up to nothing, as a Softmax trains them");
    if (origin.step == LastStep::Softmax)
      return is_fixed(origin) || !is_extent_of_input(meaning.extent)
                 ? settle(classes_of(places), "of " + op)
                 : settle(OutputMeaning::Signal, "weights of a Softmax over an input's extent");
    if (is_vocabulary(meaning.extent) && origin.from_weights)
      return settle(OutputMeaning::Tokens, "as many as the rows of the embedding table");
    switch (origin.step) {
      case LastStep::Sigmoid: return settle(OutputMeaning::Signal, "independent scores of " + op);
      case LastStep::UnitLength:
        return settle(vector ? OutputMeaning::Embedding : OutputMeaning::Signal, "divided by their length");
      case LastStep::Normalized:
        return settle(vector ? OutputMeaning::Embedding : OutputMeaning::Signal, "of a normalization");
      case LastStep::Tanh:
        return settle(is_width(meaning.extent) && places.empty() ? OutputMeaning::Embedding : OutputMeaning::Signal,
                      "of a Tanh");
      case LastStep::Pooled:
        if (is_width(meaning.extent)) return settle(OutputMeaning::Embedding, "features of " + op);
        break;
      case LastStep::Sum:
        if (is_width(meaning.extent) && places.size() <= 1)
          return settle(OutputMeaning::Embedding, "a sum of features");
        break;
      default: break;
    }
    if (is_shape_of_input(shape) && !meaning.named_classes)
      return settle(OutputMeaning::Signal, "the shape is that of an input");
    if (!origin.from_weights && (origin.op == "Conv" || origin.op == "ConvTranspose"))
      return settle(OutputMeaning::Signal, "places of " + op);
    if (!origin.from_weights && !places.empty()) return settle(OutputMeaning::Unknown, "of " + op);
    if (places.size() > 1 && !is_dense(shape, *reading.axis)) return settle(OutputMeaning::Signal, "maps of " + op);
    meaning.kind = classes_of(places), meaning.settled = false;
    reading.source = "of " + op;
  }

  /// True where weights give the extent of the classes, or the model declares it and no input has it.
  [[nodiscard]] bool is_fixed(const ValueOrigin& origin) const { return origin.from_weights; }

  [[nodiscard]] bool is_extent_of_input(int64_t extent) const {
    return std::ranges::any_of(graph_.inputs(), [&](ValueId input) {
      const Shape* shape = find_shape(shapes_, input);
      return shape && std::ranges::count(shape->dims(), extent) > 0;
    });
  }

  [[nodiscard]] bool is_shape_of_input(const Shape& shape) const {
    return std::ranges::any_of(graph_.inputs(), [&](ValueId input) {
      const Shape* own = find_shape(shapes_, input);
      return own && *own == shape;
    });
  }

  /// True for maps as large as an input, or the only one that the model has: others are features or heads of several
  /// scales.
  [[nodiscard]] bool is_dense(const Shape& shape, int64_t axis) const {
    std::vector<int64_t> extents(shape.dims().begin(), shape.dims().end());
    extents.erase(extents.begin() + axis);
    const bool as_input = std::ranges::any_of(graph_.inputs(), [&](ValueId input) {
      const Shape* own = find_shape(shapes_, input);
      if (!own || own->rank() != shape.rank()) return false;
      for (int64_t a = 1; a < std::ssize(own->dims()); ++a) {
        std::vector<int64_t> others(own->dims().begin(), own->dims().end());
        others.erase(others.begin() + a);
        if (others == extents) return true;
      }
      return false;
    });
    const auto maps = std::ranges::count_if(graph_.outputs(), [&](ValueId output) {
      const Shape* own = find_shape(shapes_, output);
      return own && own->rank() >= 4;
    });
    return as_input || maps == 1;
  }

  /// True for the number of rows of a table that ids of an input choose from.
  [[nodiscard]] bool is_vocabulary(int64_t extent) const {
    return std::ranges::any_of(graph_.nodes(), [&](const Node& node) {
      const Shape* table = node.op_type == "Gather" ? find_shape(shapes_, node.input(0)) : nullptr;
      return table && table->rank() == 2 && (*table)[0] == extent && extent > 2 && !graph_.producer(node.input(0)) &&
             (*table)[1] > 1 && comes_from_input(node.input(1));
    });
  }

  [[nodiscard]] bool comes_from_input(MaybeValue value) const {
    for (int depth = 0; value && depth < 6; ++depth) {
      if (graph_.value(*value).is_input) return true;
      const Node* node = graph_.producer(*value);
      value = node ? node->input(0) : MaybeValue();
    }
    return false;
  }

  const Graph& graph_;
  const ValueShapes& shapes_;
  size_t batch_;
};

std::string numbers_text(const OutputReading& reading) {
  const int64_t extent = reading.meaning.extent;
  return (extent > 1 ? fmt::format("{} numbers", extent) : "one number") + reading.places;
}

/// Says what the rows of an open output showed.
std::string open_text(const MeaningByGraph& graph, const RowFacts& rows, OutputMeaning kind) {
  const bool classes = kind == graph.kind;
  if (rows.rows == 0) return classes ? "by the name" : "only data or labels tell classes from quantities";
  if (classes && graph.named_classes) return "by the name, and one leads";
  if (classes && rows.sum_power() < kNoSum) return "they add up to nothing, as logits do";
  return classes ? "one leads clearly" : "none leads as a class would";
}

}  // namespace

std::vector<OutputReading> read_outputs(const Graph& graph, const ValueShapes& shapes,
                                        const std::optional<DetectionLayout>& detector, size_t batch) {
  const Reader reader(graph, shapes, batch);
  ColumnTrace columns(graph, shapes);
  std::vector<OutputReading> readings;
  for (const ValueId output : graph.outputs()) {
    OutputReading reading = reader.read(output);
    if (detector && detector->holds(reading.name))
      reading = {.name = reading.name,
                 .meaning = {.kind = OutputMeaning::Boxes},
                 .axis = std::nullopt,
                 .source = describe(detector)};
    readings.push_back(std::move(reading));
    // Models whose output holds indices are compared by the numbers before them.
    const Node* chooser = columns.index_source(output);
    if (chooser && chooser->input(0) && !graph.value(*chooser->input(0)).is_output)
      readings.push_back(reader.read(*chooser->input(0)));
  }
  return readings;
}

void apply_task(std::vector<OutputReading>& readings, MetricSource task) {
  const OutputMeaning wanted = task == MetricSource::Labels  ? OutputMeaning::Classes
                               : task == MetricSource::Masks ? OutputMeaning::ClassMap
                               : task == MetricSource::Tokens || task == MetricSource::Transcripts
                                   ? OutputMeaning::Tokens
                                   : OutputMeaning::Unknown;
  if (wanted == OutputMeaning::Unknown) return;
  for (OutputReading& one : readings) {
    const bool holds = one.axis && one.meaning.extent > 1 && one.meaning.kind != OutputMeaning::Boxes;
    const bool form = wanted == OutputMeaning::Classes ? one.places.empty() : !one.places.empty();
    if (!holds || !form) continue;
    one.meaning.kind = wanted, one.meaning.settled = true;
    one.source = "the data have their truth";
    return;
  }
}

OutputMeaning decide_meaning(const MeaningByGraph& graph, const RowFacts& rows) {
  constexpr double kOfNumbers = 1.5, kOfWidths = 2.5;  // RowFacts::mean_lead() of classes, at least
  constexpr double kErrors = 2, kErrorsOfWidths = 3;
  constexpr double kOneSided = 1.5, kAlike = 0.3;
  constexpr int64_t kFewestRows = 8;  // independent numbers add up to so little in one of 1000 sets of 8 rows
  if (graph.settled) return graph.kind;
  if (rows.rows == 0) return graph.named_classes ? graph.kind : OutputMeaning::Unknown;
  const bool width = is_width(graph.extent);
  const double least = (width ? kOfWidths : kOfNumbers) +
                       (width ? kErrorsOfWidths : kErrors) / std::sqrt(static_cast<double>(rows.rows));
  const bool leads =
      graph.extent >= kFewestToLead && rows.mean_lead() >= least && rows.mean_lead() >= kOneSided * rows.mean_trough();
  const bool adds_up = rows.rows >= kFewestRows && !graph.pooled && rows.sum_power() < kNoSum;
  // Only classes of a sample decide a verdict: places and steps ask for less.
  const int64_t fewest = graph.kind == OutputMeaning::ClassMap ? kFewestOfMap : kFewestToLead;
  const bool may_be = graph.kind != OutputMeaning::Classes && !width && graph.extent >= fewest;
  if (rows.tells_classes() && !graph.named_vector && (graph.named_classes || adds_up || leads || may_be))
    return graph.kind;
  const bool is_vector = width || (graph.named_vector && graph.extent >= kFewestOfVector);
  const bool ordered = std::abs(rows.neighbour_correlation()) > kAlike;
  if (is_vector && graph.kind != OutputMeaning::ClassMap && (graph.named_vector || !ordered))
    return OutputMeaning::Embedding;
  return OutputMeaning::Signal;
}

OutputReport describe_output(const OutputReading& reading, const RowFacts& rows) {
  const OutputMeaning kind = decide_meaning(reading.meaning, rows);
  OutputReport report{reading.name, kind, {}};
  if (reading.meaning.kind == OutputMeaning::Boxes) {
    report.reason = reading.source;
    return report;
  }
  std::string text;
  switch (kind) {
    case OutputMeaning::Classes:
    case OutputMeaning::ClassMap:
    case OutputMeaning::Tokens:
      text = reading.axis
                 ? fmt::format("{} classes{} on axis {}", reading.meaning.extent, reading.places, *reading.axis)
                 : "classes";
      break;
    case OutputMeaning::Embedding: text = numbers_text(reading) + ", judged by cosine and neighbours"; break;
    default: text = numbers_text(reading) + ", judged by SQNR"; break;
  }
  const std::string why =
      reading.meaning.settled ? reading.source : reading.source + "; " + open_text(reading.meaning, rows, kind);
  report.reason = why.empty() ? text : text + ": " + why;
  return report;
}

const OutputReading* find_reading(std::span<const OutputReading> readings, const std::string& name) {
  const auto found = std::ranges::find(readings, name, &OutputReading::name);
  return found == readings.end() ? nullptr : &*found;
}

}  // namespace detent
