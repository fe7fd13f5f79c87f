#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/buffer_pool.h"
#include "exec/schedule.h"
#include "model/graph/graph_rewiring.h"
#include "model/model.h"
#include "model/patch_union.h"

namespace detent {

/// Many variants of one float model, run together on a sample: what a variant has in common with the float model, or
/// with another variant, is computed once. Quantizing one layer of N alone costs the network behind that layer; so does
/// leaving one out, where the variant with all layers quantized is the base.
///
/// Every output has the bits that the patched model alone gives it: a step is shared only where another schedule runs
/// the same kernel on the same values. Memory: the float and the quantized weights with their packed copies, the steps
/// of each variant, and per worker one sample's activations.
class ModelsSideBySide {
 public:
  explicit ModelsSideBySide(const Model& model) : model_(model.clone()), union_(model_.graph()) {}

  /// The model with `patch` applied; returns its number, from 0. base  a variant to share with instead of the float
  /// model, itself added without a base.
  /// Errors  those of PatchUnion::add.
  size_t add(const GraphPatch& patch, std::optional<size_t> base = std::nullopt);

  /// Makes the variants ready to run as far as the values `names`. Nothing can be added afterwards.
  /// team  threads inside one kernel.
  void prepare(const std::vector<std::string>& names, int team);

  [[nodiscard]] size_t size() const { return variants_.size(); }
  /// Of the float model, until prepare().
  [[nodiscard]] const Graph& graph() const { return model_.graph(); }
  /// Steps that run for one sample: the float model's, then each variant's own.
  [[nodiscard]] std::vector<size_t> step_counts() const;

  /// Gets the outputs in the order of `names`, plain and in memory of their own; nullopt: those of the float model.
  using Take = std::function<void(std::optional<size_t> variant, std::vector<Tensor>&& outputs)>;
  /// Runs the float model, then every variant in an order that is always the same. `pool` is used by one thread.
  /// Errors  those of running; Interrupted, between two variants.
  void run(std::span<const Tensor> inputs, BufferPool& pool, const Take& take) const;
  /// Runs these variants only, [variant], in the same order, and what they begin in: the float model and a base whose
  /// own outputs nobody asked for are not taken.
  /// Errors  those of run().
  void run_some(const std::vector<bool>& some, std::span<const Tensor> inputs, BufferPool& pool,
                const Take& take) const;

 private:
  struct Variant {
    std::optional<size_t> base;
    PatchUnion::Variant wiring;
    std::vector<ValueId> wanted;
    std::unique_ptr<Schedule> schedule;
  };
  /// A model that runs whole, and those that begin at its values.
  struct Family {
    std::optional<size_t> head;  // nullopt: the float model
    std::vector<size_t> others;
  };

  using Wants = std::function<bool(std::optional<size_t> variant)>;

  void find_families();
  void fold_constants(const std::vector<std::string>& names);
  void make_plan(Variant& variant, const std::vector<std::string>& names, int team);
  void run_family(const Family& family, const Wants& wants, std::span<const Tensor> inputs, BufferPool& pool,
                  const Take& take) const;
  [[nodiscard]] const Variant& head_of(const Family& family) const {
    return family.head ? variants_[*family.head] : float_;
  }

  Model model_;  // in the end with everything that the variants add
  PatchUnion union_;
  std::unique_ptr<Graph> graph_;                   // of model_: additions stand where every variant can read them
  std::vector<std::pair<ValueId, Tensor>> known_;  // constants that are computed
  KernelCache kernels_;
  Variant float_;
  std::vector<Variant> variants_;
  std::vector<Family> families_;  // the float model's first
};

}  // namespace detent
