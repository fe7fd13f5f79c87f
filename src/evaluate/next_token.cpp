#include "evaluate/next_token.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/float_type.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "evaluate/class_output.h"

namespace detent {

namespace {

bool is_called_otherwise(const std::string& name) {
  constexpr std::array<const char*, 5> kOthers = {"mask", "position", "type", "segment", "past"};
  return std::ranges::any_of(kOthers, [&](const char* part) { return name.find(part) != std::string::npos; });
}

/// The layout of logits: sample n, position s and token v lie at n * sample + s * position + v * token.
struct Logits {
  size_t output = 0;
  int64_t vocabulary = 0;
  int64_t sample = 0, position = 0, token = 0;
};

std::optional<Logits> read_as_logits(const Tensor& output, int64_t samples, int64_t positions) {
  if (output.empty_handle() || output.is_sequence() || !is_floating_point(output.type())) return std::nullopt;
  const Shape& shape = output.shape();
  const size_t rank = shape.rank();
  if (rank != 3 && !(rank == 2 && samples == 1)) return std::nullopt;
  if (rank == 3 && shape[0] != samples) return std::nullopt;
  const int64_t first = shape[rank - 2], last = shape[rank - 1];
  if (first == positions && last > 1) return Logits{0, last, first * last, last, 1};
  if (last == positions && first > 1) return Logits{0, first, first * last, 1, last};
  return std::nullopt;
}

Logits find_logits(int64_t samples, int64_t positions, std::span<const std::string> names,
                   std::span<const Tensor> outputs) {
  std::optional<Logits> found;
  std::string listed;
  for (size_t i = 0; i < outputs.size(); ++i) {
    listed += (i ? ", '" : "'") + names[i] + "' (" + outputs[i].shape().to_string() + ")";
    auto logits = read_as_logits(outputs[i], samples, positions);
    if (!logits) continue;
    logits->output = i;
    const bool called = names[i].find("logits") != std::string::npos;
    if (!found || called) found = logits;
    if (called) break;
  }
  if (found) return *found;
  throw Error(ErrorCode::InvalidOption,
              "--next-token: no output holds one score per token at each of the " + std::to_string(positions) +
                  " positions; the outputs are " + listed,
              "judge by --metric-command");
}

/// Returns ln of the sum of the exponentials of `count` numbers, `stride` apart; NaN where one of them is.
double log_sum_exp(const float* first, int64_t count, int64_t stride) {
  float largest = first[0];
  for (int64_t v = 1; v < count; ++v) largest = std::max(largest, first[v * stride]);
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (int64_t v = 0; v < count; ++v) sum += std::exp(first[v * stride] - largest);
  return largest + std::log(sum);
}

}  // namespace

size_t find_token_ids(std::span<const InputSpec> inputs) {
  std::vector<size_t> found;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputSpec& spec = inputs[i];
    const bool integers = spec.type == DataType::Int64 || spec.type == DataType::Int32;
    const size_t rank = spec.batch_axis == kNoBatchAxis ? 1 : 2;
    if (integers && spec.shape.size() == rank && !is_called_otherwise(spec.name)) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  throw Error(ErrorCode::InvalidOption,
              (found.empty() ? std::string("--next-token: no input holds token ids, integers [batch, S]")
                             : "--next-token: more than one input may hold the token ids, integers [batch, S]") +
                  "; the inputs are " + join(inputs, ", ", [](const InputSpec& spec) { return "'" + spec.name + "'"; }),
              "judge by --metric-command");
}

std::vector<int64_t> next_tokens(const Sample& sample, size_t ids) {
  const Tensor all = cast(sample.inputs[ids], DataType::Int64);
  const std::span<const int64_t> tokens = all.data<int64_t>();
  std::vector<int64_t> next(tokens.size(), kNoToken);
  if (next.empty()) return next;
  std::copy(tokens.begin() + 1, tokens.end(), next.begin());
  if (ids < sample.next.size()) next.back() = sample.next[ids].value_or(kNoToken);
  for (size_t s = 0; s < std::min(next.size(), sample.content.size()); ++s) {
    const bool ahead = s + 1 == sample.content.size() || sample.content[s + 1] != 0;
    if (sample.content[s] == 0 || !ahead) next[s] = kNoToken;
  }
  return next;
}

TokenScore& TokenScore::operator+=(const TokenScore& other) {
  nats += other.nats;
  tokens += other.tokens;
  first += other.first;
  return *this;
}

TokenScore score_next_tokens(std::span<const std::vector<int64_t>> next, std::span<const std::string> names,
                             std::span<const Tensor> outputs) {
  TokenScore score;
  if (next.empty() || next.front().empty()) return score;
  const auto positions = std::ssize(next.front());
  const Logits logits = find_logits(std::ssize(next), positions, names, outputs);
  const Tensor values = cast(outputs[logits.output], DataType::Float32);
  const float* all = values.data<float>().data();
  for (size_t n = 0; n < next.size(); ++n)
    for (size_t s = 0; s < next[n].size(); ++s) {
      const int64_t token = next[n][s];
      if (token == kNoToken) continue;
      if (token < 0 || token >= logits.vocabulary)
        throw Error(ErrorCode::InvalidData, "--next-token: the data holds token " + std::to_string(token) +
                                                ", output '" + names[logits.output] + "' knows 0 to " +
                                                std::to_string(logits.vocabulary - 1));
      const float* row = all + static_cast<int64_t>(n) * logits.sample + static_cast<int64_t>(s) * logits.position;
      score.nats += log_sum_exp(row, logits.vocabulary, logits.token) - row[token * logits.token];
      score.first += argmax(row, logits.vocabulary, logits.token) == token;
      ++score.tokens;
    }
  return score;
}

}  // namespace detent
