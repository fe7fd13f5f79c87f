#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/reading/qdq_reading.h"
#include "model/model.h"
#include "model/name_source.h"

namespace detent {

/// An input of a node.
using Slot = std::pair<std::string, int>;

/// The grid of a weight.
struct WeightGrid {
  const QdqNode* grid = nullptr;
  std::vector<size_t> axes;  ///< QuantizedOperand::axes
};

/// A quantized file as a float model, and what its pairs say. Weights alone (in blocks, or of 4 bits) stay as they are:
/// their layers read the DequantizeLinear.
struct TrainedPairs {
  /// Without pairs. Weights are the numbers that their codes stand for, so that a folded factor moves no code; a float
  /// weight stays where other nodes read it too, and where a scale says nothing.
  Model model;
  QdqReading reading;  ///< the file's pairs
  /// The grid of a value's pair, by the value's name in `model`: the one that most readers have. Pairs with a scale
  /// that cannot be one (0, NaN) say nothing.
  std::map<std::string, const QdqNode*> values;
  std::map<std::string, std::string> unusable;  ///< "scale nan" of the values whose pairs all say nothing
  std::map<Slot, WeightGrid> weights;
  std::map<Slot, WeightGrid> constants;      ///< of other constants: a target may count that of a norm as its weight
  std::set<Slot> biases;                     ///< biases with a pair
  std::map<Slot, std::string> read;          ///< paired activation edges and the values that they read
  std::vector<std::string> outputs;          ///< values whose pair a graph output or a body read
  std::vector<std::string> unread;           ///< values with a pair that nothing reads, and with no other
  std::map<std::string, std::string> relus;  ///< values behind a Relu put back, and those that the pair was on

  /// pairs           read_qdq() of the file
  /// direct_outputs  values write the outputs behind their pairs themselves (write_outputs). For an engine whose layers
  ///                 need a pair behind them that the plan keeps off outputs, the Identity stays and reads it.
  TrainedPairs(const Model& written, QdqReading pairs, bool direct_outputs = true);
  /// Returns the grid of a weight, or of the constant that a target takes for one; nullptr where the slot has no pair.
  [[nodiscard]] const WeightGrid* find_weight(const Slot& slot) const;

  TrainedPairs(const TrainedPairs&) = delete;
  TrainedPairs& operator=(const TrainedPairs&) = delete;

 private:
  void find_unread(const Graph& before);
  /// Lets the values behind which a pair wrote a graph output write it themselves, under its name, instead of through
  /// the Identity that read_qdq() leaves: a pair that a repair puts there is then where the next one finds it. Returns
  /// the names.
  std::set<std::string> write_outputs();
  /// True for an Identity that read_qdq() leaves.
  [[nodiscard]] bool is_stand_in(const std::string& node) const;
  /// Puts a Relu in front of the readers of a pair that does its work (values_cut_at_zero), so that the float model
  /// computes the same without the pair.
  /// direct  write_outputs()
  void put_relus_back(const std::set<std::string>& direct);
  /// Adds to the patch a Relu that writes a graph output, whose pair was at the output too. Readers without a pair keep
  /// the numbers before it.
  void put_relu_in_front_of(const Value& output, const Node& maker, NameSource& names, GraphPatch& patch) const;
};

}  // namespace detent
