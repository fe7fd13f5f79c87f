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

/// Many variants of one float model, run together on a sample: the part that a variant shares with the float model, or
/// with another variant, is computed once. Quantizing one layer costs the network behind that layer; so does leaving
/// one out when the fully quantized variant is the base.
///
/// Every output has the bits that the patched model alone gives: a step is shared only where another schedule runs the
/// same kernel on the same values. Memory: the float and quantized weights with their packed copies, the steps of each
/// variant, and one sample's activations per worker.
class ModelsSideBySide {
 public:
  explicit ModelsSideBySide(const Model& model) : model_(model.clone()), union_(model_.graph()) {}

  /// Adds the model with `patch` applied and returns its number, from 0.
  /// base    a variant to share with instead of the float model, itself added without a base.
  /// Errors  those of PatchUnion::add.
  size_t add(const GraphPatch& patch, std::optional<size_t> base = std::nullopt);

  /// Makes the variants ready to run up to the values `names`. Nothing can be added afterwards.
  /// team  threads inside one kernel.
  void prepare(const std::vector<std::string>& names, int team);

  [[nodiscard]] size_t size() const { return variants_.size(); }
  /// The graph of the float model, until prepare().
  [[nodiscard]] const Graph& graph() const { return model_.graph(); }
  /// Numbers of steps that run for one sample: the float model's, then each variant's own.
  [[nodiscard]] std::vector<size_t> step_counts() const;

  /// Gets the outputs in the order of `names`, plain and in separate memory; nullopt: those of the float model.
  using Take = std::function<void(std::optional<size_t> variant, std::vector<Tensor>&& outputs)>;
  /// Runs the float model, then every variant, in a fixed order. `pool` is used by one thread.
  /// Errors  those of running; Interrupted, between two variants.
  /// some  [variant]: only these are taken; the models that they begin in run too. nullptr: the float model and all.
  void run(std::span<const Tensor> inputs, BufferPool& pool, const Take& take,
           const std::vector<bool>* some = nullptr) const;

 private:
  struct Variant {
    std::optional<size_t> base;
    PatchUnion::Variant wiring;
    std::vector<ValueId> wanted;
    std::unique_ptr<Schedule> schedule;
  };
  /// A model that runs whole, and the variants that begin at its values.
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

  Model model_;  // prepare() adds to it everything that variants add
  PatchUnion union_;
  std::unique_ptr<Graph> graph_;                   // of model_: additions stand where every variant can read them
  std::vector<std::pair<ValueId, Tensor>> known_;  // computed constants
  KernelCache kernels_;
  Variant float_;
  std::vector<Variant> variants_;
  std::vector<Family> families_;  // the float model's first
};

}  // namespace detent
