#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "place/plan/placement_plan.h"
#include "rewrite/promised_pairs.h"

namespace detent {

/// A table whose rows a Gather reads and whose numbers are the weight of a product, too.
struct TiedTable {
  std::string gather, product;  ///< names of nodes
  std::string table;            ///< name of the value
  int slot = 1;                 ///< of the weight
  bool turned = false;          ///< the weight is the transposed table: a row of the table is a column of it
};

/// Finds the tables of the plan that have the numbers of a weight: that of a MatMul or Gemm, transposed, or the same
/// constant of a Gemm with transB.
/// Empty   no such table -> nothing. Cost  tables of other numbers are told apart by their first ones.
[[nodiscard]] std::vector<TiedTable> find_tied_tables(const Graph& graph, const PlacementPlan& plan);

/// Has tied tables read the codes of the weight, so that the file holds them once:
///
///   before:  codes (a scale a column) -> DequantizeLinear -> Gather ->
///   after:   codes of the weight [-> Transpose] -> Gather -> Cast -> Mul ->
///            its scales -> Reshape -> Gather (same rows) ------------^
///
/// Of a weight with scales of blocks a DequantizeLinear of the rows and their scales takes the place of Cast and Mul.
///
/// The product keeps its pair as it is; engines transpose the constant when they load it. Tables stay where the
/// weight's codes are not INT8 about 0 behind a DequantizeLinear, or are further than 30 dB from the table's own.
/// written  the graph with its pairs, before gather_codes().
/// blocks   weights with scales of blocks serve tables, too
/// Empty    no tied table -> an empty patch.
[[nodiscard]] GraphPatch share_tied_codes(const Graph& written, std::span<const TiedTable> tables, bool blocks = false);

/// Returns what the file promises after that patch.
void promise_tied_codes(PromisedFile& promised, const GraphPatch& patch);

}  // namespace detent
