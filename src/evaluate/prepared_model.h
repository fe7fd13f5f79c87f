#pragma once

#include <span>
#include <string>
#include <vector>

#include "exec/buffer_pool.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "run/sample_axes.h"

namespace detent {

/// Memory of a model that is ready to run, in sizes of the float model: its weights as floats and packed for the
/// kernels. An upper estimate, measured on a ResNet-50-shaped network (102 MB, 236 MB a variant with codes).
inline constexpr size_t kPreparedShare = 2;

/// A model ready to run up to the named values. Looks at the model's graph.
class PreparedModel {
 public:
  /// team  threads inside one kernel.
  /// Errors  those of Schedule.
  PreparedModel(const Model& model, const std::vector<std::string>& names, int team,
                CpuProducts products = CpuProducts::Exact);

  [[nodiscard]] const Graph& graph() const { return schedule_.graph(); }
  [[nodiscard]] const std::vector<ValueId>& wanted() const { return wanted_; }
  /// Finds where samples lie in the named values (find_sample_axes).
  /// Errors  Interrupted.
  [[nodiscard]] std::vector<SampleAxis> sample_axes(const DataSource& source, const RunSettings& settings) const {
    return find_sample_axes(schedule_, source, settings).of(wanted_);
  }

  /// Runs the model and returns the named values, plain and in separate memory. The models of one worker share a pool,
  /// which then holds the activations of one at a time.
  /// Errors  those of running.
  [[nodiscard]] std::vector<Tensor> run(std::span<const Tensor> inputs, BufferPool& pool) const;

 private:
  std::vector<ValueId> wanted_;
  Schedule schedule_;
};

}  // namespace detent
