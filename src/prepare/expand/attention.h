#pragma once

#include "prepare/expand/parts.h"

namespace detent::expand {

/// Scaled products of heads, as three operators of com.microsoft share them. B samples, N heads, S queries, T keys,
/// H elements of a head.
struct Heads {
  Name query, key, value;      ///< [B, N, S, H], [B, N, T, H], [B, N, T, H of values]
  std::optional<float> scale;  ///< of the scores; nullopt: 1 / sqrt(H)
  int64_t head_size = 0;       ///< H; 0: known when it runs
  float softcap = 0;           ///< scores become softcap * tanh(scores / softcap); 0: none
  Name sink;    ///< a score that only takes its share of the softmax, broadcast to [B, N, S, 1]; "": none
  Names added;  ///< masks and biases, broadcast to [B, N, S, T], added behind the scale
  DataType type = DataType::Float32;
};

/// Returns the heads' results, joined: [B, S, N * H of values].
Name attend(Body& body, const Heads& heads);

/// [B, S, N * H] -> [B, N, S, H].
Name split_heads(Body& body, const Name& value, int64_t heads);

/// Returns the smallest number of the type, which a masked score gets.
[[nodiscard]] double lowest(DataType type);

/// `filter` where `hidden` (bool) is true, 0 elsewhere.
Name mask_of(Body& body, const Name& hidden, double filter, DataType type);

/// Returns bool [S, T], true where a query comes before the key: key t belongs to position t, query s to position
/// s + T - S. `query` and `key` are [B, N, S, H] and [B, N, T, H].
Name later_keys(Body& body, const Name& query, const Name& key);

/// A mask of Attention and MultiHeadAttention in its forms: lengths [B], ends and starts [2 B], 0 or 1 for [B, T] or
/// [B, S, T].
/// key     [B, N, T, H]
/// filter  added to hidden scores
/// Errors  refuses other forms, and lists whose form their extent does not tell.
Name padding_mask(Body& body, size_t slot, const Name& key, double filter, DataType type);

}  // namespace detent::expand
