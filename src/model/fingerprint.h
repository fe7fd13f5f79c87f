#pragma once

#include <set>
#include <string>

#include "core/files/content_hash.h"
#include "model/model.h"

namespace detent {

/// Returns the digest of a model's computation: operator sets, nodes with their attributes, inputs, outputs and every
/// weight, subgraphs and functions included.
///
/// Left out: doc strings, metadata, value_info, the names of file, graph and producer, versions of IR and model, the
/// order of initializers and attributes, and whether a weight is stored inside or beside the file, as raw bytes or
/// typed fields.
[[nodiscard]] Digest fingerprint(const Model& model);

/// Returns the digest of the nodes and weights that compute `values` of a model, with the names of the inputs that they
/// read: two models with the same digest compute the same there, whatever else they hold.
[[nodiscard]] Digest fingerprint_of(const Model& model, std::set<std::string> values);

}  // namespace detent
