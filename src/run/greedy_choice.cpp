#include "run/greedy_choice.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Scores = std::span<const float>;

/// Returns the class with the highest score, without those that are suppressed; 0 where there is none.
int64_t highest(Scores scores, const DecodeRules* rules) {
  const auto is_suppressed = [&](int64_t token) {
    return rules && std::ranges::any_of(rules->suppressed, [&](const auto& range) {
             return token >= range.first && token <= range.second;
           });
  };
  std::optional<int64_t> best;
  for (int64_t token = 0; token < std::ssize(scores); ++token)
    if ((!best || scores[as_index(token)] > scores[as_index(*best)]) && !is_suppressed(token)) best = token;
  return best.value_or(0);
}

GreedyChoice choose_next(Scores scores, const DecodeRules& rules, size_t /*of_frame*/) {
  const int64_t token = highest(scores, &rules);
  if (token == rules.end) return {.ends = true};
  return {.token = token};
}

void check_count(Scores scores, const DecodeRules& rules) {
  const size_t least = as_index(*rules.blank) + 1 + rules.durations.size();
  if (scores.size() >= least) return;
  throw Error(ErrorCode::InvalidOption,
              "\"decode\": the model writes " + std::to_string(scores.size()) + " scores a step; the blank " +
                  std::to_string(*rules.blank) + " and " + std::to_string(rules.durations.size()) + " durations need " +
                  std::to_string(least) + " or more",
              "\"blank\" is the class of no token, \"durations\" belong to the last scores");
}

/// Goes on to the next frame where one has its most tokens.
GreedyChoice bounded(GreedyChoice choice, const DecodeRules& rules, size_t of_frame) {
  if (choice.frames == 0 && (!choice.token || of_frame + 1 >= rules.most_per_frame)) choice.frames = 1;
  return choice;
}

GreedyChoice choose_of_frame(Scores scores, const DecodeRules& rules, size_t of_frame) {
  const int64_t token = highest(scores, &rules);
  if (token == *rules.blank) return {.frames = 1};
  return bounded({.token = token}, rules, of_frame);
}

GreedyChoice choose_with_duration(Scores scores, const DecodeRules& rules, size_t of_frame) {
  const size_t tokens = scores.size() - rules.durations.size();
  const int64_t token = highest(scores.first(tokens), &rules);
  GreedyChoice choice{.frames = rules.durations[as_index(highest(scores.subspan(tokens), nullptr))]};
  if (token != *rules.blank) choice.token = token;
  return bounded(choice, rules, of_frame);
}

struct ChoiceRow {
  DecodeKind kind;
  GreedyChoice (*choose)(Scores scores, const DecodeRules& rules, size_t of_frame);
};

/// CTC chooses all at once (evaluate/ctc_text.h).
constexpr std::array<ChoiceRow, 3> kChoices = {{
    {DecodeKind::Attention, choose_next},
    {DecodeKind::Transducer, choose_of_frame},
    {DecodeKind::Tdt, choose_with_duration},
}};

}  // namespace

GreedyChoice choose_greedily(const Tensor& scores, const DecodeRules* rules, size_t of_frame) {
  const Shape& shape = scores.shape();
  const int64_t classes = shape.rank() == 0 ? 0 : shape[shape.rank() - 1];
  const bool empty = classes == 0 || scores.element_count() == 0;
  const Tensor numbers = empty ? Tensor() : cast(scores, DataType::Float32);
  const Scores last = empty ? Scores() : Scores(numbers.data<float>()).last(as_index(classes));
  if (!rules) return {.token = highest(last, nullptr)};
  if (rules->has_frames()) check_count(last, *rules);
  const auto* row = std::ranges::find(kChoices, rules->kind, &ChoiceRow::kind);
  if (row == kChoices.end()) throw Error(ErrorCode::Internal, "a text of this kind has no steps");
  return row->choose(last, *rules, of_frame);
}

}  // namespace detent
