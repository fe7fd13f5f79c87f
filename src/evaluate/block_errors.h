#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detections/graph_layout.h"
#include "detent/base/tensor.h"

namespace detent {

/// Errors of outputs about their means, as a whole and in blocks. One SQNR over boxes in pixels and scores, or over
/// numbers far from 0, hides what is lost: here each index of a channel axis is compared with its own mean in FP32.
///
/// Channel axes are axis 1, and the last one of three: [N,C,...], [N,S,C]; of a vector its only one. Blocks are the
/// parts of an axis that the graph joins from numbers of different meaning, and groups of channels whose root mean
/// squares differ tenfold, on axes of up to 256 channels; of three axes the last one, because axis 1 may be time.
/// Numbers that add up to 1 at each place are probabilities of classes, whatever their size: no blocks by size.
/// Numbers that vary by less than an 8-bit code of their largest magnitude are nearly constant: about their mean they
/// tell no error, and have none here. Scores from 0 to 1 are so below four codes: they are saturated.
/// A joined block of scores makes each place count by its highest score, in FP32 or in the candidate: boxes and labels
/// of what is not detected decide nothing.
class BlockErrors {
 public:
  /// bounded  names of outputs that hold scores from 0 to 1
  explicit BlockErrors(std::vector<OutputBlock> joined = {}, std::vector<std::string> bounded = {})
      : joined_(std::move(joined)), bounded_(std::move(bounded)) {}

  /// Adds samples of one output. Outputs that are not float, or change their shape, do not count.
  /// counted  by element: 0 is padding. Empty: all count.
  void add(const std::string& output, const Tensor& expected, const Tensor& found,
           std::span<const uint8_t> counted = {});

  /// Removes an output, which cannot be compared in all samples.
  void forget(const std::string& output);

  /// True for outputs with a block of scores: their blocks alone tell their error.
  [[nodiscard]] bool holds_scores(const std::string& output) const;

  struct Worst {
    std::string name;  ///< "'output0'"; of a block "'output0', 0 to 3 of axis 1"
    double sqnr_db = 0;
    double share = 1;  ///< of the power of its output about its means
  };
  /// Returns the output with the lowest SQNR about its means, without those named or with scores; nullopt where no
  /// channel varies.
  [[nodiscard]] std::optional<Worst> worst_output(std::span<const std::string> without = {}) const;
  /// Returns the block with the lowest SQNR, of those that a reader of the output sees: numbers of another meaning, at
  /// least kSeenShare of the output's power, or some of up to kFewChannels channels, which are quantities rather than
  /// features. nullopt without such blocks that vary.
  [[nodiscard]] std::optional<Worst> worst_block() const { return worst_block(true); }
  /// Returns the block with the lowest SQNR of the others; nullopt without one.
  [[nodiscard]] std::optional<Worst> worst_unseen_block() const { return worst_block(false); }

  /// Returns the outputs that are nearly constant as a whole, without those named or with scores.
  [[nodiscard]] std::vector<std::string> nearly_constant(std::span<const std::string> without = {}) const;

  static constexpr double kSeenShare = 0.01;
  static constexpr size_t kFewChannels = 8;

 private:
  struct Channel {
    double sum = 0, squares = 0, noise = 0, weight = 0, count = 0, largest = 0;

    void add(double expected, double found, double counted);
    /// Returns the sum of squares about the mean, without the bias of few elements.
    [[nodiscard]] double signal() const;
  };
  using Channels = std::vector<Channel>;
  struct Axis {
    Channels channels = {};
    bool probabilities = true;  // at each place the numbers are not negative and add up to 1
  };
  using Block = std::vector<size_t>;  // indices of channels

  [[nodiscard]] std::optional<Worst> worst_block(bool seen) const;
  static void add(Axis& into, const Tensor& expected, const Tensor& found, size_t axis, std::span<const float> weights,
                  std::span<const uint8_t> counted);
  [[nodiscard]] std::vector<Block> joined_blocks(const std::string& output, size_t axis,
                                                 const Channels& channels) const;
  [[nodiscard]] static std::vector<Block> blocks_by_size(const Channels& channels);
  [[nodiscard]] std::optional<Worst> error_of(const std::string& output, const Channels& channels,
                                              const Block& block) const;
  /// True for numbers that vary by no more than a code or few.
  [[nodiscard]] bool is_nearly_constant(const std::string& output, const Channels& channels, const Block& block) const;
  static void keep_worst(std::optional<Worst>& worst, const Worst& one);

  std::vector<OutputBlock> joined_;
  std::vector<std::string> bounded_;
  std::map<std::pair<std::string, size_t>, Axis> axes_;  // by output and axis
};

}  // namespace detent
