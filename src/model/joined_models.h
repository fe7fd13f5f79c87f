#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model.h"

namespace detent {

/// One file of several that run as one model. Its values and nodes are named "NAME:value" in the joined graph.
struct NamedModel {
  std::string name;  ///< without ':'
  Model model;
};

/// An output and an input that it feeds: "enc:memory", "dec:memory".
using FileFeed = std::pair<std::string, std::string>;

/// A feed whose input reads one frame at a time (graph/file_boundary.h).
struct FrameFeed {
  std::string output;                  ///< "enc:memory"
  size_t axis = 1;                     ///< that counts frames
  std::optional<std::string> lengths;  ///< output that says how many frames there are; absent: all
  bool keep = true;                    ///< the input has the axis, with extent 1
};

/// Returns the name of a file of that several in front of a name of the joined graph; "" where there is none.
[[nodiscard]] std::string_view file_of_name(std::string_view joined_name);

/// Returns the names of files, each behind those that feed it, otherwise in the given order.
/// Errors  InvalidOption for feeds in a circle.
[[nodiscard]] std::vector<std::string> running_order(const std::vector<std::string>& files,
                                                     const std::vector<FileFeed>& feeds);

/// Makes one model of several: all nodes, a FileBoundary for each feed (graph/file_boundary.h), the inputs that nothing
/// feeds, and all outputs. Open sizes get the same name where a feed joins them, and where they are named like a batch.
/// models  without functions, of one version of the default domain; they are taken apart.
/// feeds   of values that the models have.
/// path    what the joined model is read from
/// frames  the feed that is read frame by frame; nullopt: none
/// Errors  those of running_order; InvalidModel where the models import a domain in two versions.
[[nodiscard]] Model join_models(std::vector<NamedModel> models, const std::vector<FileFeed>& feeds,
                                const std::filesystem::path& path, const std::optional<FrameFeed>& frames = {});

/// Returns the part of a joined model that came from one file, after other changes: inputs, outputs, names and metadata
/// of `original`, nodes and constants of `joined`.
/// original  the file as it was read
/// ranks     of values of the joined model, for inputs and outputs whose shape the file does not declare
/// Errors  Internal for a node whose file is not known.
[[nodiscard]] Model take_file(const Model& joined, const std::string& name, const Model& original,
                              const std::map<std::string, size_t>& ranks = {});

}  // namespace detent
