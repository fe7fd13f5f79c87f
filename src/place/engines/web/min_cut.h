#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent {

/// A network of pipes, and the cheapest way to cut its source off from its sink.
class MinCut {
 public:
  static constexpr int64_t kUncuttable = int64_t{1} << 50;
  static constexpr size_t kSource = 0, kSink = 1;

  /// Adds a node and returns its number; the source and the sink are there.
  size_t add_node();
  /// Adds a pipe that costs `cost` where `from` is on the source's side of the cut and `to` is on the sink's.
  void add_pipe(size_t from, size_t to, int64_t cost);
  /// Cuts the network. Returns for each node whether it is on the sink's side, which is as small as it can be.
  /// Cost    Dinic's algorithm: in practice a few passes over all pipes
  [[nodiscard]] std::vector<bool> sink_side();

 private:
  struct Pipe {
    size_t to;
    int64_t left;  ///< what it can still take
  };
  bool find_levels();
  int64_t push_once();

  std::vector<Pipe> pipes_;  ///< a pipe and its reverse are neighbours
  std::vector<std::vector<size_t>> leaving_ = std::vector<std::vector<size_t>>(2);
  std::vector<int> levels_;
  std::vector<size_t> next_;
};

}  // namespace detent
