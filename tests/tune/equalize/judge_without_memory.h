#pragma once

#include <span>
#include <stdexcept>
#include <utility>

#include "tune/equalize/fold_judge.h"

namespace detent::test {

/// A judge that answers every question alone: `judge` gets the models, the samples to fit and the held-out ones.
template <class Judge>
FoldJudge without_memory(Judge judge) {
  return [judge = std::move(judge)](const DataSource& fit, const DataSource& held_out) -> FoldScorer {
    return [judge, &fit, &held_out](std::span<const Model> models) { return FoldScores(judge(models, fit, held_out)); };
  };
}

/// A judge that must not be asked.
inline FoldJudge no_judge() {
  return without_memory([](std::span<const Model>, const DataSource&, const DataSource&) -> FoldScores {
    throw std::logic_error("not to be called");
  });
}

}  // namespace detent::test
