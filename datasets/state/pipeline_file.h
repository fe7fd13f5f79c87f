#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "datasets/state/state.h"

namespace detent {

/// The content of --pipeline FILE.json: several files that run as one model, in which values are named "FILE:VALUE".
///
///     {"models": {"enc": "encoder.onnx", "dec": "decoder.onnx"},     its files
///      "feeds":  {"enc:memory": "dec:memory"},                       output: the input, or inputs, that it feeds
///      "data":   {"enc:audio": "clips"},                             input: source, as --data has it
///      "loop":   {"model": "dec", "steps": 32,                       as --steps
///                 "state": {"feeds": {"keys": "past_keys",           as --state, with the names of dec
///                                     "argmax(logits)": "ids"}, "start": {"ids": 1}}},
///      "decode": {"kind": "attention", "end": 2}}                    a text is written (decode_rules.h)
///
/// "models" is required, and for several of them "feeds". Paths are relative to the file's folder, or to the current
/// one.
struct PipelineFile {
  struct File {
    std::string name;
    std::filesystem::path path;
  };
  std::filesystem::path path;                              ///< of the file itself
  std::vector<File> files;                                 ///< at least two, or one with "decode"
  std::vector<std::pair<std::string, std::string>> feeds;  ///< output, input, of two files; no input twice
  std::vector<std::string> sources = {};                   ///< "enc:audio=clips"
  std::string looped = {};                                 ///< file that runs in steps; "" for none
  std::optional<size_t> steps = {};
  std::optional<StateFile> state = {};     ///< with the names of the joined model, and a `decode` that loops
  std::optional<DecodeRules> decode = {};  ///< of any kind
  std::optional<FrameRules> frames = {};   ///< of a transducer
};

/// True for the path of a pipeline, wherever a model may stand.
[[nodiscard]] bool is_pipeline_file(const std::filesystem::path& path);

/// Errors  those of read_json_object; InvalidOption, beginning with the path, for other keys or values, a file or a
///         path that is named twice, an unknown file name, an input that is fed twice, and feeds within one file.
[[nodiscard]] PipelineFile read_pipeline_file(const std::filesystem::path& file);

}  // namespace detent
