#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"

/// Placement tests as text. A file holds cases:
///
///     case ResNetBlockPairsItsSkip
///     model
///     <ir_version: 8, opset_import: ["" : 17]>
///     g (float[1,16,8,8] x) => (float[1,16,8,8] y) <float[16,16,3,3] w = {...}> { ... }
///     expect tensorrt --policy concat=inputs
///       pair   x -> c1   R1
///       share  a b
///
/// `{...}` is filled with as many numbers as the shape before it needs. A node is called by its first output, an edge
/// is `value -> node` (`value -> node:slot` where a node reads a value twice). Expectations, each with an optional
/// beginning of the rule's name where a decision is meant:
///     pair E [R]     the edge reads a pair; every edge not listed must be float
///     float E [R]    the edge is float by that rule
///     int8 N [R], keep N [R]   the layer is INT8, stays float; layers not listed must be INT8
///     weight N axis A          the weight is quantized along A (-1: one scale); `weight N float`: it is not quantized
///     share V V ...  these and no others share a scale; every group must be listed
///     symmetric V V ...  the grids of these values and no others are symmetric about 0
///     unsigned V V ...  these values and no others have unsigned codes in a plan of signed ones
///     wide V V ...   the pairs of these values and no others have 16-bit codes
///     converted E    the edge reads a second pair of another width; every one must be listed
///     masked V S M   the range of the sum V follows the scores S; M is the mask; every one must be listed
///     attention V F [WORDS]   the block whose first product writes V is quantized (int8, fp8) or float, and says the
///                    words; every one must be listed in attention*.txt
///     sizes V HEADS SIZE QUERIES KEYS   of that block, 0 where open;   marks V [mask] [rotary] [grouped]
///     ranged V V ... these and no others need a range although no pair stands on them
///     output V       a pair on a graph output; every one must be listed
///     limit V LO HI, fixed V LO HI    ranges
///     unbounded V    nothing is known of the value's range
///     note WORDS     some note contains the words
///     reason E WORDS the edge's reason contains the words
///     sized          sizes that the graph fixes are known, as from samples
///     error WORDS    planning fails with InvalidOption and these words; stands alone
namespace detent::test {

struct Line {
  int number = 0;
  std::string text;
};

struct Expectation {
  int number = 0;  ///< line of `expect`
  std::string target;
  PlacementRequest options;
  MeasuredFacts measured;
  std::vector<Line> lines;
};

struct PlacementCase {
  std::filesystem::path file;
  int number = 0;
  std::string name;  ///< "residual_add_ResNetBlockPairsItsSkip"
  std::string model;
  std::vector<Expectation> expectations;
};

/// Returns every case of every .txt file in the folder, by file name.
/// Errors  std::runtime_error with file and line.
inline std::vector<PlacementCase> read_placement_cases(const std::filesystem::path& folder);

}  // namespace detent::test
