#include <omp.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/index.h"
#include "core/passage.h"
#include "ops/simd/panel_product.h"
#include "ops/window/channels_last_convolution.h"

namespace detent {

namespace {

constexpr size_t kAxes = 3;
using Triple = std::array<int64_t, kAxes>;

// The rows of a block stay in the second-level cache; each block reads all weights once.
constexpr size_t kSourceFloats = 1 << 16;
constexpr size_t kLeastPixels = 12, kMostPixels = 96;

/// Returns `values` as three axes, the missing first ones `missing`.
Triple triple(std::span<const int64_t> values, int64_t missing) {
  Triple out;
  out.fill(missing);
  std::ranges::copy(values, out.end() - std::ssize(values));
  return out;
}

/// Output positions that meet the same taps of a transposed window: those that agree modulo the strides. A convolution
/// has one phase.
struct Phase {
  Triple first, count;
  int64_t begin;  // number of its first position
};

class DirectConvolution final : public ChannelsLastConvolution {
 public:
  explicit DirectConvolution(const ConvolutionProblem& problem)
      : transposed_(problem.transposed), samples_(as_index(problem.input[0])), channels_(as_index(problem.input[1])),
        outputs_(as_index(problem.output[1])), groups_(as_index(problem.group)), input_(extents(problem.input)),
        output_(extents(problem.output)), kernel_(triple(problem.window.kernel, 1)),
        strides_(triple(problem.window.strides, 1)), dilations_(triple(problem.window.dilations, 1)),
        pads_(triple(problem.window.pad_begin, 0)), taps_(as_index(kernel_[0] * kernel_[1] * kernel_[2])),
        inner_(channels_ / groups_), each_(outputs_ / groups_), diagonal_(inner_ == 1 && each_ == 1) {
    find_phases();
    for (size_t axis = 0; axis < kAxes; ++axis) find_reads(axis);
    pack(problem.weights.data<float>().data());
    const size_t fits = kSourceFloats / std::max<size_t>(1, taps_ * (diagonal_ ? channels_ : inner_));
    block_ = std::clamp(fits / kLeastPixels * kLeastPixels, kLeastPixels, kMostPixels);
  }

  void run(const float* input, float* output, const RegisterFinish& finish, const StretchFinish* rest,
           Workspace& workspace, int team) const override {
    const size_t positions = as_index(output_[0] * output_[1] * output_[2]), all = samples_ * positions;
    const size_t share = (all + as_index(team) - 1) / as_index(team);
    const size_t block = std::min(block_, (share + kLeastPixels - 1) / kLeastPixels * kLeastPixels);
    const size_t blocks = (all + block - 1) / block;
    const int threads = std::min(team, static_cast<int>(blocks));
    const size_t bytes = block * (taps_ * sizeof(const float*) + sizeof(size_t));
    auto* scratch = static_cast<std::byte*>(workspace.scratch(bytes * as_index(threads)));
    const Passage whole;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (size_t i = 0; i < blocks; ++i) {
      const Passage part;
      auto* const mine = scratch + bytes * as_index(threads > 1 ? omp_get_thread_num() : 0);
      auto** const rows = reinterpret_cast<const float**>(mine);
      auto* const places = reinterpret_cast<size_t*>(mine + block * taps_ * sizeof(const float*));
      const size_t count = std::min(block, all - i * block);
      for (size_t r = 0; r < count; ++r) find_row(i * block + r, positions, input, rows + r, block, places[r]);
      multiply({rows, count, block, taps_, inner_}, {output, places, finish});
      for (size_t r = 0; r < count && rest; ++r) rest->finish(places[r], places[r] + outputs_);
    }
  }

 private:
  static Triple extents(const Shape& shape) { return triple({shape.begin() + 2, shape.end()}, 1); }

  void find_phases() {
    const Triple steps = transposed_ ? strides_ : Triple{1, 1, 1};
    int64_t begin = 0;
    for (int64_t z = 0; z < std::min(steps[0], output_[0]); ++z)
      for (int64_t y = 0; y < std::min(steps[1], output_[1]); ++y)
        for (int64_t x = 0; x < std::min(steps[2], output_[2]); ++x) {
          Phase phase{{z, y, x}, {}, begin};
          for (size_t i = 0; i < kAxes; ++i) phase.count[i] = (output_[i] - phase.first[i] + steps[i] - 1) / steps[i];
          begin += phase.count[0] * phase.count[1] * phase.count[2];
          phases_.push_back(phase);
        }
  }

  void pack(const float* weights) {
    const size_t depth = taps_ * inner_, group_floats = diagonal_ ? taps_ : packed_floats(depth, each_);
    packed_ = Tensor(DataType::Float32, Shape{as_extent(groups_ * group_floats)});
    float* const packed = packed_.mutable_data<float>().data();
    if (diagonal_) {
      for (size_t c = 0; c < channels_; ++c)
        for (size_t tap = 0; tap < taps_; ++tap) packed[tap * channels_ + c] = weights[c * taps_ + tap];
      return;
    }
    std::vector<float> matrix(depth * each_);
    for (size_t group = 0; group < groups_; ++group) {
      for (size_t tap = 0; tap < taps_; ++tap)
        for (size_t i = 0; i < inner_; ++i)
          for (size_t o = 0; o < each_; ++o) {
            const size_t pair = transposed_ ? (group * inner_ + i) * each_ + o : (group * each_ + o) * inner_ + i;
            matrix[(tap * inner_ + i) * each_ + o] = weights[pair * taps_ + tap];
          }
      pack_panels(matrix.data(), each_, 1, depth, each_, 1, packed + group * group_floats);
    }
  }

  /// Finds the pixels under the window at output position `at` of all samples, for the first group.
  void find_row(size_t at, size_t positions, const float* input, const float** row, size_t step, size_t& place) const {
    const size_t sample = at / positions;
    const auto number = as_extent(at % positions);
    const Phase& phase = *std::prev(std::ranges::upper_bound(phases_, number, {}, &Phase::begin));
    Triple o;
    int64_t left = number - phase.begin;
    for (size_t i = kAxes; i-- > 0; left /= phase.count[i])
      o[i] = phase.first[i] + left % phase.count[i] * (transposed_ ? strides_[i] : 1);
    place = (sample * positions + as_index((o[0] * output_[1] + o[1]) * output_[2] + o[2])) * outputs_;
    const float* const image = input + sample * as_index(input_[0] * input_[1] * input_[2]) * channels_;
    std::array<const int64_t*, kAxes> read;
    for (size_t i = 0; i < kAxes; ++i) read[i] = &reads_[i][as_index(o[i] * kernel_[i])];
    for (int64_t z = 0; z < kernel_[0]; ++z)
      for (int64_t y = 0; y < kernel_[1]; ++y) {
        const int64_t in_z = read[0][z], in_y = read[1][y];
        for (int64_t x = 0; x < kernel_[2]; ++x, row += step) {
          const bool inside = in_z >= 0 && in_y >= 0 && read[2][x] >= 0;
          *row = inside ? image + as_index((in_z * input_[1] + in_y) * input_[2] + read[2][x]) * channels_ : nullptr;
        }
      }
  }

  /// Lists, for every output coordinate and tap of an axis, the input coordinate; -1 when there is none.
  void find_reads(size_t axis) {
    for (int64_t o = 0; o < output_[axis]; ++o)
      for (int64_t tap = 0; tap < kernel_[axis]; ++tap) {
        int64_t in = transposed_ ? o + pads_[axis] - tap * dilations_[axis]
                                 : o * strides_[axis] - pads_[axis] + tap * dilations_[axis];
        const bool between = transposed_ && in % strides_[axis] != 0;
        if (transposed_) in /= strides_[axis];
        reads_[axis].push_back(between || in < 0 || in >= input_[axis] ? -1 : in);
      }
  }

  void multiply(RowParts rows, RowDestination to) const {
    const float* const packed = packed_.data<float>().data();
    if (diagonal_) {
      rows.inner = channels_;
      return multiply_diagonals(rows, packed, to);
    }
    const size_t group_floats = as_index(packed_.element_count()) / groups_;
    for (size_t group = 0; group < groups_; ++group) {
      multiply_panels(rows, packed + group * group_floats, each_, to);
      if (group + 1 == groups_) return;
      auto** const pixels = const_cast<const float**>(rows.rows);
      for (size_t i = 0; i < taps_ * rows.row_step; ++i)
        if (i % rows.row_step < rows.count && pixels[i]) pixels[i] += inner_;
      to.output += each_;
      if (to.finish.bias) to.finish.bias += each_;
      if (to.finish.residual) to.finish.residual += each_;
    }
  }

  bool transposed_;
  size_t samples_, channels_, outputs_, groups_;
  Triple input_, output_, kernel_, strides_, dilations_, pads_;
  size_t taps_, inner_, each_;
  bool diagonal_;  // one channel and one output a group
  std::vector<Phase> phases_;
  std::array<std::vector<int64_t>, kAxes> reads_;
  Tensor packed_;
  size_t block_ = 0;  // rows
};

}  // namespace

std::unique_ptr<const ChannelsLastConvolution> make_direct(const ConvolutionProblem& problem) {
  return std::make_unique<DirectConvolution>(problem);
}

}  // namespace detent
