// Embedding tables are stored as INT8 codes.
//
//   before:   table (float) --> Gather --> Add          after:   table (int8) --> Gather --> DQ (a scale a column) -->
//   Add
//
// * Decides: a constant of more than 1 MB whose rows Gather reads becomes INT8 codes with one scale a column, of
//   the least squared error. It stays float if a product reads the rows directly (engines would take that for INT8
//   activations), if rules put a pair on it, or if its codes would have less than 30 dB: columns with a few large
//   numbers. A tied table is the weight of an INT8 projection too: the file has its codes once, and the Gather takes
//   rows of the weight's codes and their scales.
// * Why: half of a sentence encoder and nearly all of a small speech decoder are such tables. Codes of
//   all-MiniLM-L6-v2's have 39.6 dB, those of bge-small-en-v1.5's 39.8 dB; the layers behind them have 20 to 24 dB.
//   Engines gather the codes and convert the rows alone.
// * Change it: `--policy embeddings=float|int8`; int8 takes tables of 4 kB and more. `--policy exclude-op=Gather`,
//   `--exclude`.
// * Source: ours; `quantize-weights` stores tables alike (R16).
// * Networks: all-MiniLM-L6-v2, bge-small-en-v1.5, e5-small-v2, Whisper tiny.en's decoder.

#include <algorithm>

#include "place/draft/tables.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

using Embeddings = PlacementOptions::Embeddings;

constexpr size_t kLeastBytes = 1'000'000;
constexpr double kLeastDb = 30;

/// In the round after the pairs: a pair on a table stands for other codes of it.
void share_embeddings(const GraphFacts& facts, PlacementDraft& draft) {
  const Embeddings wanted = draft.options().embeddings;
  if (wanted == Embeddings::Float || draft.options().type == CodeType::Fp8) return;
  for (const TableDecision& table : find_tables(facts, draft)) {
    const Tensor& numbers = *facts.graph().constant(table.value);
    const Value& value = facts.value(table.value);
    const auto has_pair = [&](const Use& use) { return draft.is_pair(use.node, use.slot); };
    if (!table.gathered || std::ranges::any_of(value.uses, has_pair)) continue;
    if (wanted == Embeddings::Auto && numbers.byte_count() <= kLeastBytes) continue;
    if (wanted == Embeddings::Auto && column_codes_db(numbers) < kLeastDb) continue;
    const int axis = static_cast<int>(numbers.shape().rank()) - 1;
    for (const Use& use : value.uses)
      if (!facts.is_weighted(use.node)) draft.quantize_operand(use.node, {.slot = use.slot, .axis = axis});
  }
}

}  // namespace

constinit const Rule kEmbeddings{.name = {"R22", "embedding"}, .share = share_embeddings};

}  // namespace detent::rules
