#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/audio/audio_preprocess.h"
#include "datasets/images/preprocess.h"
#include "datasets/state/pipeline_file.h"
#include "detent/base/data_source.h"
#include "detent/base/tensor.h"
#include "detent/options/run_settings.h"

namespace detent {

/// --preprocess: of images, of audio, or none.
struct Preprocess {
  std::string text = {};  ///< as it was written
  std::optional<PreprocessSpec> images = {};
  std::optional<AudioSpec> audio = {};
};

/// Returns "" as none.
/// Errors  those of parse_preprocess and parse_audio_preprocess.
[[nodiscard]] Preprocess parse_any_preprocess(const std::string& text);

/// --batch-axis INPUT=AXIS.
struct NamedAxis {
  std::string input;
  int axis = kNoBatchAxis;
  std::string text = {};  ///< as it was written
};

/// DataOptions after their texts were parsed: what they ask for, of any model. Later code reads the request alone.
struct SampleRequest {
  std::shared_ptr<const DataSource> own = {};
  std::vector<Tensor> arrays = {};
  std::vector<std::string> sources = {};  ///< "[INPUT=]SRC": the model's inputs say where SRC begins
  std::string option = {};                ///< name of `sources` in messages
  Preprocess preprocess = {};
  std::optional<uint64_t> shuffle = {};
  std::optional<size_t> limit = {};
  bool spread = false;
  size_t shard_index = 1, shard_count = 1;
  bool may_be_empty = false;  ///< a shard without samples is no error
  std::vector<NamedAxis> batch_axes = {};
  std::vector<std::string> masks = {};  ///< one at most
  bool missing_nan = false;
  std::optional<size_t> steps = {};  ///< with `state`
  std::optional<StateFile> state = {};

  /// Returns true where there is something to read.
  [[nodiscard]] bool given() const { return own || !arrays.empty() || !sources.empty(); }
  /// Returns true where samples are reordered or left out.
  [[nodiscard]] bool selects() const { return shuffle || limit || shard_count > 1; }
};

/// Parses data options: the only place where their texts are read.
/// pipeline  that was read already: where DataOptions::state names it, its loop has the states; nullptr: none
/// Errors  Usage for a shard, a limit, steps or a text that make no sense, for `steps` without `state` and `state`
///         without `steps`; those of parse_any_preprocess and read_state_file.
[[nodiscard]] SampleRequest parse_samples(const DataOptions& options, const PipelineFile* pipeline = nullptr);

/// The samples that a command reads.
struct RequestedSamples {
  SampleRequest data;  ///< to calibrate with
  SampleRequest eval;  ///< to judge on, preprocessed as `data` is
};

/// Parses the data options of a command.
/// eval  nullptr: the command takes none.
/// Errors  Usage for options that read or choose samples where there are none; those of parse_samples.
[[nodiscard]] RequestedSamples requested_samples(const DataOptions& data, const DataOptions* eval,
                                                 const RunSettings& run, const PipelineFile* pipeline = nullptr);

/// Opens the sources of a request for a model with these inputs: samples as they lie in the files, with the batch axes
/// and the batch size of the inputs. Several sources are paired by index.
/// Errors  those of open_data. Of read: InvalidData for a caller's sample with another number of tensors.
[[nodiscard]] std::unique_ptr<DataSource> open_sources(const SampleRequest& request, std::span<const InputSpec> inputs);

/// Applies shuffle, limit and shard, in this order; Sample::index becomes the position after them.
///
/// Shuffle: Fisher-Yates over SplitMix64(seed), the same order on every machine. Shard I/N keeps every N-th group of
/// `source->batch()` consecutive samples from the I-th on, including an incomplete last group.
/// Errors  InvalidData when no sample is left.
[[nodiscard]] std::unique_ptr<DataSource> select_samples(std::unique_ptr<DataSource> source,
                                                         const SampleRequest& request);

/// Returns the input that "INPUT=SRC" names: the longest name that fits; nullopt for SRC alone.
[[nodiscard]] std::optional<size_t> input_of_source(const std::string& text, std::span<const InputSpec> inputs);

/// True when one of the sources holds images or audio, to which `preprocess` applies.
/// Errors  those of open_data for an invalid source.
[[nodiscard]] bool holds_preprocessed(const SampleRequest& request, std::span<const InputSpec> inputs);

}  // namespace detent
