#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/memory_limit.h"
#include "core/stopwatch.h"
#include "detent/options/external_data.h"
#include "model/model.h"
#include "pipeline/parts/plan_report.h"
#include "place/engines/target.h"
#include "rewrite/check_onnx_rules.h"
#include "rewrite/write_same.h"

namespace detent {

[[nodiscard]] WriteOptions write_options(bool overwrite, ExternalData where);

/// Checks the size as soon as it is known, before long work. Calls `least_bytes`, a lower bound of the size, only where
/// everything is to stay in one file.
/// Errors  CannotWrite when protobuf cannot hold it.
void check_one_file(const std::filesystem::path& output, ExternalData where,
                    const std::function<uint64_t()>& least_bytes);

/// Returns the bytes of the model file and of the data files that it refers to.
[[nodiscard]] uint64_t written_bytes(const std::filesystem::path& model);

/// Returns the model with what computes the same in the form that the target has kernels for: products of weights in
/// codes, HardSwish between pairs. nullopt where everything has that form.
[[nodiscard]] std::optional<Model> in_kernels_of(const Target& target, const Model& model);

/// Writes a quantized model to the output of `options`, QuantizeOptions or QuantizeWeightsOptions, and fills the
/// report's facts of the file.
/// source  facts of the model as it was read.
/// check   checks the model, and the file as read back; empty: none.
/// Errors  those of check_one_file, check_onnx_rules, write_same and `check`: no file is written then, and an older one
///         stays.
template <typename Options, typename Report>
void write_quantized(const Model& model, const ModelFacts& source, const Options& options, Report& report,
                     const std::function<void(const Model&)>& check = {}) {
  check_one_file(options.output, options.external_data, [&] { return model.byte_size(); });
  check_onnx_rules(model.graph(), options.output, source.faults, *options.run.reporter);
  if (check) check(model);  // before an older file is replaced
  const WriteOptions how = write_options(options.overwrite, options.external_data);
  if (const std::optional<Model> written = in_kernels_of(find_target(options.target), model))
    write_same(*written, options.output, how);
  else
    write_same(model, options.output, how, check);
  report.written_opset = model.graph().opset();
  report.output_bytes = written_bytes(options.output);
}

template <typename Report>
void add_cost(const Stopwatch& stopwatch, Report& report) {
  report.seconds = stopwatch.seconds();
  report.peak_mb = peak_memory_mb();
}

}  // namespace detent
