#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detections/layout.h"
#include "detent/base/metric.h"
#include "detent/reports/output_report.h"
#include "model/graph/value_shapes.h"
#include "outputs/row_facts.h"

namespace detent {

/// The meaning of an output as the graph shows it. Without other members it is classes on axis 1, if rows tell some.
struct MeaningByGraph {
  OutputMeaning kind = OutputMeaning::Classes;       ///< settled, or what it may be
  bool settled = true;                               ///< false: rows of numbers decide, by decide_meaning()
  bool pooled = false;                               ///< numbers of a pooling: features, or a classifier without Gemm
  bool named_classes = false, named_vector = false;  ///< as the output's name has it
  int64_t extent = 0;                                ///< numbers in a row
};

/// An output as the graph shows it. Every judge of outputs asks read_outputs() and decide_meaning(), and nothing else.
struct OutputReading {
  std::string name;
  MeaningByGraph meaning = {};
  std::optional<int64_t> axis = 1;  ///< of the classes, or of the vectors; nullopt: there is none
  std::string places = {};          ///< " at each of 128x128 places"; "" for one row a sample
  std::string source = {};          ///< "of a Softmax"
  bool bounded = false;             ///< scores of a Sigmoid or Softmax, from 0 to 1
};

/// Reads the graph's outputs, and of those that hold indices the numbers that ArgMax or TopK chooses among.
/// shapes    of one run on `batch` samples
/// detector  as find_detections() or the user has it
/// Order     classes: a Softmax, or one that reads the numbers besides; boxes of the detector; vectors of unit length,
///           normalized or pooled; scores of a Sigmoid. Numbers of a layer stay open: only data tell classes from
///           quantities and features.
[[nodiscard]] std::vector<OutputReading> read_outputs(const Graph& graph, const ValueShapes& shapes,
                                                      const std::optional<DetectionLayout>& detector, size_t batch = 1);

/// Settles the outputs that a task is about: the first that may hold classes of samples (Labels), of places (Masks), or
/// of steps (Tokens, Transcripts).
void apply_task(std::vector<OutputReading>& readings, MetricSource task);

/// Decides what an output is, by the graph and by the rows of the float model's numbers; without rows an open one is
/// Unknown.
[[nodiscard]] OutputMeaning decide_meaning(const MeaningByGraph& graph, const RowFacts& rows);

/// Describes the decision.
[[nodiscard]] OutputReport describe_output(const OutputReading& reading, const RowFacts& rows);

/// Returns nullptr where there is none of this name.
[[nodiscard]] const OutputReading* find_reading(std::span<const OutputReading> readings, const std::string& name);

}  // namespace detent
