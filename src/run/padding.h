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

/// The input that tells padding from content: [batch, S], 0 at padding. The one that `named` names, else that of a name
/// with "attention_mask", "padding_mask" or "input_mask" whose extents are those of such a mask (integers, booleans or
/// floats).
/// Empty   neither: nullopt.
/// Errors  Usage for more than one name; InvalidOption for an input that the model
/// does not have, or of another rank.
[[nodiscard]] std::optional<size_t> find_padding_mask(std::span<const InputSpec> inputs,
                                                      std::span<const std::string> named);

/// The same samples, each with its `content` read from input `mask`, all of it where the mask is 0 throughout; where
/// the mask says that the token behind a window is padding, it has no `next`.
[[nodiscard]] std::unique_ptr<DataSource> with_content(std::unique_ptr<DataSource> source, size_t mask);

/// Of each sample of a batch its content, empty where nothing is padding.
using BatchContent = std::vector<std::vector<uint8_t>>;
/// Empty   nothing of the batch is padding.
[[nodiscard]] BatchContent content_of(std::span<const Sample> batch);

/// Which elements of a value count, in row-major order: 0 where the position is padding. Positions are counted by the
/// axes that are as long as the content, and by an axis that samples and positions share. Of several such axes (scores
/// of attention, or as many features as positions) all must be at padding. where  how the samples lie in the value.
/// Empty  all count: no content, no axis of that length, a value that does not depend on the samples or in which they
/// are not found.
[[nodiscard]] std::vector<uint8_t> counted_elements(const Shape& shape, const BatchContent& content,
                                                    const SampleAxis& where = {});

/// The sample with its padding replaced by its content, repeated as often as needed, in every input that has an axis of
/// positions.
[[nodiscard]] Sample with_padding_filled(Sample sample);

}  // namespace detent
