#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/state/state.h"
#include "detent/base/data_source.h"
#include "detent/base/tensor.h"
#include "model/graph/graph.h"

namespace detent {

/// The steps of a model whose outputs feed its inputs, with names and positions resolved for one graph.
struct Recurrence {
  struct State {
    size_t input = 0;    ///< position among the model's inputs
    std::string output;  ///< whose value is the input of the next step
    /// The step from the output to the input: as it is, as StateFile::Token, or the number of the frame that the loop
    /// of a transducer reads, whose output says how many there are.
    enum class Way : uint8_t { Same, Argmax, Append, Frame } way = Way::Same;
    StateStart start = StateStart::Zeros;
    Shape first = {};                  ///< shape of the first value; of StateStart::Data that of the array instead
    std::vector<int64_t> tokens = {};  ///< the first value of StateStart::Tokens
  };
  struct Cut {
    size_t input = 0;
    size_t axis = 0;
    int64_t length = 1;       ///< positions of a step
    bool from_start = false;  ///< step k gets all positions up to its last one
    int64_t hop = 1;          ///< positions from one step to the next

    /// Returns the position behind those of a step.
    [[nodiscard]] int64_t end_of(size_t step) const { return static_cast<int64_t>(step) * hop + length; }
  };
  size_t steps = 1;
  std::vector<State> states;
  std::vector<Cut> cuts;
  std::optional<DecodeRules> decode = {};

  /// Returns the positions among the model's inputs that the data feeds, ascending: all except the states that begin
  /// with zeros or empty.
  [[nodiscard]] std::vector<size_t> data_inputs(size_t inputs) const;
};

/// Resolves a map for a graph.
/// specs     the graph's inputs, with their batch axes.
/// has_data  by input: the data names it.
/// With "decode" of a transducer, the joined model's frame (model/graph/file_boundary.h) is one more state.
/// Tokens begin as the map or the data say. A state that neither begins is Empty where the input leaves one axis open
/// besides that of the batch, and Zeros where it leaves none. Errors  InvalidOption for outputs and inputs that the
/// model does not have; an output whose type, rank or extents
///         differ from those of the input; an axis that the input does not have, or that counts samples; a start that
///         the extents do not allow; a model that fixes a batch above 1.
[[nodiscard]] Recurrence find_recurrence(const Graph& graph, const StateFile& file, size_t steps,
                                         std::span<const InputSpec> specs, const std::vector<bool>& has_data);

/// Returns the inputs that the data feeds, as open_data takes them: axes that are cut are open.
[[nodiscard]] std::vector<InputSpec> data_specs(const Recurrence& recurrence, std::span<const InputSpec> specs);

}  // namespace detent
