#include <algorithm>

#include "core/index.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

enum class Weighing : uint8_t { Counts, Weights, Both };

constexpr Named<Weighing> kWeighings[] = {
    {"TF", Weighing::Counts}, {"IDF", Weighing::Weights}, {"TFIDF", Weighing::Both}};

struct NgramOptions {
  std::vector<int64_t> pool;     ///< all n-grams in a row: those of 1 number, then of 2 ...
  std::vector<int64_t> starts;   ///< where in the pool those of n + 1 numbers begin
  std::vector<int64_t> columns;  ///< of every n-gram
  std::vector<float> weights;    ///< of every n-gram; empty = 1
  int64_t shortest = 1, longest = 1, skips = 0;
  Weighing weighing = Weighing::Counts;
};

NgramOptions ngram_options(const Node& node) {
  NgramOptions options{.pool = node.ints_or("pool_int64s", {}),
                       .starts = node.ints_or("ngram_counts", {}),
                       .columns = node.ints_or("ngram_indexes", {}),
                       .weights = node.floats_or("weights", {}),
                       .shortest = node.int_or("min_gram_length", 1),
                       .longest = node.int_or("max_gram_length", 1),
                       .skips = node.int_or("max_skip_count", 0)};
  options.weighing = value_named(node, "mode", "TF", kWeighings);
  int64_t grams = 0;
  const auto size = std::ssize(options.pool);
  for (size_t n = 0; n < options.starts.size(); ++n) {
    const int64_t start = options.starts[n], end = n + 1 < options.starts.size() ? options.starts[n + 1] : size;
    if (start < 0 || end > size || start > end || (end - start) % as_extent(n + 1) != 0)
      throw Error(ErrorCode::InvalidModel, "ngram_counts does not fit the pool");
    const int64_t length = end - start;
    grams += length / as_extent(n + 1);
  }
  const auto fits = [&](size_t given) { return as_extent(given) == grams; };
  if (!fits(options.columns.size()) || (!options.weights.empty() && !fits(options.weights.size())) ||
      std::ranges::any_of(options.columns, [](int64_t c) { return c < 0 || c > std::numeric_limits<int32_t>::max(); }))
    throw Error(ErrorCode::InvalidModel, "ngram_indexes and weights must have one entry for each n-gram of the pool");
  return options;
}

/// Counts the n-gram in the row with `step` - 1 numbers left out between its own.
int64_t occurrences(std::span<const int64_t> row, std::span<const int64_t> gram, int64_t step) {
  const auto reach = as_extent(gram.size() - 1) * step;
  const int64_t places = std::ssize(row) - reach;
  if (places <= 0) return 0;
  int64_t count = 0;
  in_stoppable_blocks(as_index(places), [&](size_t first, size_t last) {
    for (size_t at = first; at < last; ++at) {
      bool same = true;
      for (size_t k = 0; same && k < gram.size(); ++k) same = row[at + k * as_index(step)] == gram[k];
      count += same;
    }
  });
  return count;
}

void count_row(std::span<const int64_t> row, std::span<float> out, const NgramOptions& options) {
  size_t index = 0;
  for (size_t n = 1; n <= options.starts.size(); ++n) {
    const auto end = as_index(n < options.starts.size() ? options.starts[n] : std::ssize(options.pool));
    const auto length = as_extent(n);
    for (auto at = as_index(options.starts[n - 1]); at + n <= end; at += n, ++index) {
      if (length < options.shortest || length > options.longest) continue;
      int64_t count = 0;
      // No row holds numbers that are further apart than it is long.
      const int64_t most_steps = std::clamp<int64_t>(options.skips, 0, std::ssize(row)) + 1;
      for (int64_t step = 1; step <= (n == 1 ? 1 : most_steps); ++step)
        count += occurrences(row, std::span(options.pool).subspan(at, n), step);
      const float weight = options.weights.empty() ? 1 : options.weights[index];
      const auto times = static_cast<float>(count);
      float& target = out[as_index(options.columns[index])];
      switch (options.weighing) {
        case Weighing::Counts: target = times; break;
        case Weighing::Weights: target = count > 0 ? weight : 0; break;
        case Weighing::Both: target = times * weight; break;
      }
    }
  }
}

void run_vectorizer(KernelCall& call, const NgramOptions& options) {
  const Shape shape = call.input(0).shape();
  if (shape.rank() < 1 || shape.rank() > 2)
    throw Error(ErrorCode::InvalidData,
                "one row or a batch of rows was expected, the input has shape " + shape.to_string());
  const std::vector<int64_t> numbers = integers_of(call.input(0));
  const int64_t columns = options.columns.empty() ? 0 : *std::ranges::max_element(options.columns) + 1;
  const auto length = as_index(shape[shape.rank() - 1]), width = as_index(columns);
  const size_t rows = shape.rank() == 2 ? as_index(shape[0]) : 1;
  Tensor output(DataType::Float32, shape.rank() == 2 ? Shape{shape[0], columns} : Shape{columns}, call.allocator());
  std::ranges::fill(output.mutable_data<float>(), 0.0F);
  for (size_t r = 0; r < rows; ++r)
    count_row(std::span(numbers).subspan(r * length, length), output.mutable_data<float>().subspan(r * width, width),
              options);
  call.set_output(0, std::move(output));
}

std::optional<Unsupported> refuse_strings(const KernelContext& context) {
  if (context.node.has("pool_strings")) return Unsupported{"attribute pool_strings: Detent has no strings"};
  return std::nullopt;
}

}  // namespace

std::vector<OperatorDef> ngram_counts_operators() {
  return {
      {"TfIdfVectorizer",
       {.data_inputs = 0},
       make_with<ngram_options, run_vectorizer>,
       9,
       LayoutNeed::Plain,
       refuse_strings},
  };
}

}  // namespace detent
