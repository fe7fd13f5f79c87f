#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detent/explain.h"
#include "explain/engine.h"

namespace detent {

/// A layer that reads a tensor.
struct TensorReader {
  size_t layer = 0;
  size_t slot = 0;   ///< index of the input
  std::string type;  ///< type word of the tensor as it is read
};

/// The wires of an engine: its layers and the tensors between them. Reformats and layers that cost nothing count as
/// wires, except where one is asked about. A tensor may have several producers: parts of a Concat.
class EngineView {
 public:
  /// `engine` and `rows`, in the same order, must outlive the view.
  EngineView(const BuiltEngine& engine, const std::vector<ExplainReport::Layer>& rows);

  [[nodiscard]] const EngineLayer& layer(size_t index) const { return engine_.layers[index]; }
  [[nodiscard]] const ExplainReport::Layer& row(size_t index) const { return rows_[index]; }
  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::string& form() const { return engine_.form; }
  [[nodiscard]] bool is_strongly_typed() const { return engine_.strongly_typed; }

  /// Returns the layers that compute what a layer reads.
  [[nodiscard]] std::vector<size_t> sources(size_t index) const;
  /// Returns the layers that read what a layer computes.
  [[nodiscard]] std::vector<TensorReader> readers(size_t index) const;
  /// Returns true where a wire leads from an input of the network to the layer; readers alone need not know.
  [[nodiscard]] bool reads_network_input(size_t index) const;
  [[nodiscard]] bool writes_network_output(size_t index) const;
  /// Returns the layers that write a tensor, wires among them; more than one for the joint tensor of a Concat.
  [[nodiscard]] std::vector<size_t> writers(std::string_view tensor) const;
  /// Returns the layers that read a tensor, wires among them.
  [[nodiscard]] std::vector<size_t> direct_readers(std::string_view tensor) const;
  /// Returns true where some layer of the network, or the caller, writes the tensor: it is no constant.
  [[nodiscard]] bool varies(const EngineTensor& tensor) const;

 private:
  using Seen = std::set<size_t>;
  using Wires = std::map<std::string_view, std::vector<TensorReader>>;
  [[nodiscard]] bool is_wire(size_t index) const;
  [[nodiscard]] static std::vector<size_t> layers_at(const Wires& wires, std::string_view tensor);
  [[nodiscard]] bool is_binding(std::string_view tensor) const;
  void add_sources(size_t index, Seen& seen, std::vector<size_t>& found) const;
  void add_readers(size_t index, Seen& seen, std::vector<TensorReader>& found) const;
  [[nodiscard]] bool leads_to_network(size_t index, bool input, Seen& seen) const;

  const BuiltEngine& engine_;
  const std::vector<ExplainReport::Layer>& rows_;
  Wires producers_, readers_;  ///< by the tensor's name
};

}  // namespace detent
