#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/reading/qdq_reading.h"
#include "model/model.h"

namespace detent {

/// An input of a node.
using Slot = std::pair<std::string, int>;

/// A quantized file as a float model, and what its pairs say.
struct TrainedPairs {
  Model model;         ///< without pairs; constants that the file holds as codes are the numbers that they stand for
  QdqReading reading;  ///< the file's pairs
  /// The grid of a value's pair, by the value's name in `model`: the one that most readers have.
  std::map<std::string, const QdqNode*> values;
  std::map<Slot, const QdqNode*> weights;  ///< the grid of a weight
  std::set<Slot> biases;                   ///< biases with a pair
  std::map<Slot, std::string> read;        ///< paired activation edges and the values that they read
  std::vector<std::string> outputs;        ///< values whose pair a graph output reads

  explicit TrainedPairs(const Model& written);
  TrainedPairs(const TrainedPairs&) = delete;
  TrainedPairs& operator=(const TrainedPairs&) = delete;

 private:
  /// Puts a Relu in front of the readers of a pair that does its work (values_cut_at_zero), so that the float model
  /// computes the same without the pair.
  void put_relus_back();
};

}  // namespace detent
