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

/// One sample on its way through the steps. A text that is decoded ends with its end token, with its last frame, or at
/// its longest; the steps behind it are the last one once more.
class StepWalk {
 public:
  /// Returns the step of that number as a teacher had it.
  using Teacher = std::function<Sample(size_t step)>;

  /// The arguments must outlive the object.
  /// whole  has the inputs Recurrence::data_inputs, in this order.
  /// Errors  InvalidData for a sample that is shorter than its steps; those of running the model.
  StepWalk(const StepModel& model, const StepPlan& plan, Sample whole);

  /// The steps whose states are there.
  [[nodiscard]] size_t first() const { return first_; }
  [[nodiscard]] size_t end() const { return first_ + states_.size(); }
  /// The tokens that were chosen, without the one that ends the text.
  [[nodiscard]] const std::vector<int64_t>& tokens() const { return tokens_; }
  [[nodiscard]] bool has_ended() const { return last_.has_value(); }

  /// Runs the step end() - 1, whose states become those of the next one. Of the states of more than `kept` steps the
  /// first are forgotten.
  /// teacher  gives the tokens in place of those that the model chooses; empty: none
  /// Errors   those of running the model and of the teacher; InvalidData for a state that does not fit its input.
  void take_step(size_t kept, const Teacher& teacher = {});
  /// Returns the inputs of a step from first() to end() - 1, for all inputs of the model.
  [[nodiscard]] Sample step(size_t step) const;
  /// Forgets what only further steps need.
  void finish() { held_.clear(); }
  /// Returns the bytes of the sample, of its states and of what further steps need.
  [[nodiscard]] size_t bytes() const;

 private:
  [[nodiscard]] std::vector<Tensor> inputs_of(size_t step, const std::vector<Tensor>& states) const;
  [[nodiscard]] std::vector<std::optional<int64_t>> next_of(size_t step) const;
  /// Makes the states that are tokens of what the model wrote; returns false where the text has ended.
  [[nodiscard]] bool choose_tokens(std::vector<Tensor>& states);
  /// Takes them from the teacher's steps.
  [[nodiscard]] bool take_tokens(size_t step, std::vector<Tensor>& states, const Teacher& teacher) const;
  /// Keeps a choice; returns false where the text has ended.
  [[nodiscard]] bool goes_on(const GreedyChoice& choice, const std::vector<Tensor>& states);
  void check_length() const;
  void check_states(const std::vector<Tensor>& states, size_t step) const;

  const StepModel& model_;
  const StepPlan& plan_;
  Sample whole_;
  std::vector<Tensor> held_;               // StepModel::hold
  size_t first_ = 0;                       // the step of states_.front()
  std::list<std::vector<Tensor>> states_;  // of the last steps: other threads may still want them
  std::vector<int64_t> tokens_ = {};
  int64_t frame_ = 0;                // that a transducer reads
  size_t of_frame_ = 0;              // tokens of it
  size_t longest_;                   // of the text, in tokens
  std::optional<size_t> last_ = {};  // the step that ended the text
};

}  // namespace detent
