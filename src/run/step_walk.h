#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "run/greedy_choice.h"
#include "run/recurrence.h"
#include "run/step_model.h"

namespace detent {

/// The part of a model that runs in steps which all samples share.
struct StepPlan {
  static constexpr size_t kFed = std::numeric_limits<size_t>::max();
  Recurrence recurrence;
  std::vector<InputSpec> specs;  ///< of all inputs of the model
  std::vector<size_t> place;     ///< by input: among the tensors of a whole sample; kFed for those of the model

  StepPlan(Recurrence recurrence, std::span<const InputSpec> specs);
};

/// True where several samples can walk together as far as shapes tell: a decoder of attention whose inputs all count
/// samples on an open axis 0, and no node that may mix them.
[[nodiscard]] bool stacks_samples(const Graph& graph, const StepPlan& plan);

/// Samples on their way through the steps. A text that is decoded ends with its end token, with its last frame, or at
/// its longest; the steps behind the last end are the last one once more. Texts that end earlier go on unseen.
class StepWalk {
 public:
  /// Returns the step of that number as a teacher had it.
  using Teacher = std::function<Sample(size_t step)>;

  /// The arguments must outlive the object.
  /// whole    have the inputs Recurrence::data_inputs, in this order.
  /// Several  need stacks_samples(). step() and a teacher are for one alone.
  /// Errors   InvalidData for a sample that is shorter than its steps, and for samples of different shapes; those of
  ///          running the model.
  StepWalk(const StepModel& model, const StepPlan& plan, std::vector<Sample> whole);

  /// The steps whose states are there.
  [[nodiscard]] size_t first() const { return first_; }
  [[nodiscard]] size_t end() const { return first_ + states_.size(); }
  /// The tokens that were chosen, by sample, without the one that ends the text.
  [[nodiscard]] std::vector<std::vector<int64_t>> tokens() const;
  [[nodiscard]] bool has_ended() const { return last_.has_value(); }

  /// Runs the step end() - 1, whose states become those of the next one. Of the states of more than `kept` steps the
  /// first are forgotten.
  /// teacher  gives the tokens in place of those that the model chooses; empty: none
  /// Errors   those of running the model and of the teacher; InvalidData for a state that does not fit its input.
  void take_step(size_t kept, const Teacher& teacher = {});
  /// Returns the outputs that become states, of the step end() - 1.
  [[nodiscard]] std::vector<Tensor> outputs() const {
    return model_.advance(inputs_of(end() - 1, states_.back()), held_);
  }
  /// Returns the inputs of a step from first() to end() - 1, for all inputs of the model.
  [[nodiscard]] Sample step(size_t step) const;
  /// Forgets what only further steps need.
  void finish() { held_.clear(); }
  /// Returns the bytes of the sample, of its states and of what further steps need.
  [[nodiscard]] size_t bytes() const;

 private:
  struct Text {
    std::vector<int64_t> tokens = {};
    size_t longest = 0;  ///< in tokens
    bool has_ended = false;
  };

  [[nodiscard]] std::vector<Tensor> inputs_of(size_t step, const std::vector<Tensor>& states) const;
  [[nodiscard]] std::vector<std::optional<int64_t>> next_of(size_t step) const;
  /// Makes the states that are tokens of what the model wrote; returns false where all texts have ended.
  [[nodiscard]] bool choose_tokens(std::vector<Tensor>& states);
  /// Takes them from the teacher's steps.
  [[nodiscard]] bool take_tokens(size_t step, std::vector<Tensor>& states, const Teacher& teacher) const;
  /// Keeps a choice; returns false where the text has ended.
  [[nodiscard]] bool goes_on(Text& text, const GreedyChoice& choice, const std::vector<Tensor>& states);
  void check_length() const;
  void check_states(const std::vector<Tensor>& states, size_t step) const;

  const StepModel& model_;
  const StepPlan& plan_;
  Sample whole_;                           // the first; its inputs hold all samples
  std::vector<Tensor> held_;               // StepModel::hold
  size_t first_ = 0;                       // the step of states_.front()
  std::list<std::vector<Tensor>> states_;  // of the last steps: other threads may still want them
  std::vector<Text> texts_;                // by sample
  int64_t frame_ = 0;                      // that a transducer reads
  size_t of_frame_ = 0;                    // tokens of it
  std::optional<size_t> last_ = {};        // the step that ended the last text
};

}  // namespace detent
