#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/sample_axis.h"
#include "detent/base/data_source.h"

namespace detent {

/// Finds the input that tells padding from content: [batch, S], 0 at padding. The input that `named` names, otherwise
/// one whose name contains "attention_mask", "padding_mask" or "input_mask" and whose extents are those of such a mask
/// (integers, booleans or floats); nullopt for neither.
/// named  one name at most.
/// Errors  InvalidOption for an input that the model does not have, or of another rank.
[[nodiscard]] std::optional<size_t> find_padding_mask(std::span<const InputSpec> inputs,
                                                      std::span<const std::string> named);

/// Returns the same samples, each with its `content` read from input `mask` (all of it where the mask is 0 throughout).
/// A sample has no `next` where the mask says that the token behind its window is padding.
[[nodiscard]] std::unique_ptr<DataSource> with_content(std::unique_ptr<DataSource> source, size_t mask);

/// The content of each sample of a batch, empty where nothing is padding.
using BatchContent = std::vector<std::vector<uint8_t>>;
/// Returns the content of a batch; empty when nothing of it is padding.
[[nodiscard]] BatchContent content_of(std::span<const Sample> batch);

/// Returns which elements of a value count, in row-major order: 0 where the position is padding. Axes that are as long
/// as the content count positions, as does an axis that samples and positions share. With several such axes (scores of
/// attention, or as many features as positions) all must be at padding.
/// where  how the samples lie in the value.
/// Empty  all count: no content, no axis of that length, a value that does not depend on the samples or in which they
///        are not found.
[[nodiscard]] std::vector<uint8_t> counted_elements(const Shape& shape, const BatchContent& content,
                                                    const SampleAxis& where = {});

/// Returns the sample with its padding replaced by its content, repeated as often as needed, in every input that has an
/// axis of positions.
[[nodiscard]] Sample with_padding_filled(Sample sample);

}  // namespace detent
