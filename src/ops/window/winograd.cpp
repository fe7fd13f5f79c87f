#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/index.h"
#include "core/passage.h"
#include "ops/simd/winograd.h"
#include "ops/window/channels_last_convolution.h"

namespace detent {

namespace {

constexpr int64_t kChannelStep = 16;  // floats in the widest vector

// The planes and products of a block stay in the second-level cache, or nearly so; each block reads all weights once.
constexpr size_t kBlockFloats = 3 << 17;  // 1.5 MB
constexpr size_t kRowStep = 12;           // rows of a matrix product in registers
constexpr size_t kLeastTiles = 2 * kRowStep;

/// Returns the step between planes: multiples of 4 KB would meet in one set of the cache.
size_t plane_step(size_t tiles, size_t channels) { return tiles * channels + as_index(kChannelStep); }

class Winograd final : public ChannelsLastConvolution {
 public:
  explicit Winograd(const ConvolutionProblem& problem)
      : input_(problem.input), output_(problem.output), top_(problem.window.pad_begin[0]),
        left_(problem.window.pad_begin[1]), channels_(as_index(problem.input[1])),
        outputs_(as_index(problem.output[1])), tile_columns_((output_[3] + 1) / 2),
        tiles_(as_index(tile_columns_ * ((output_[2] + 1) / 2) * output_[0])), plain_(problem.weights),
        weights_(DataType::Float32, Shape{as_extent(winograd_weight_count(channels_, outputs_))}),
        zeros_(channels_, 0.0F) {
    winograd_pack(problem.weights.data<float>().data(), channels_, outputs_, weights_.mutable_data<float>().data());
    const size_t fits = kBlockFloats / (16 * (channels_ + outputs_)) / kRowStep * kRowStep;
    // Blocks of nearly equal size: a short last one would read all weights for few tiles.
    const size_t blocks = (tiles_ + std::max(fits, kLeastTiles) - 1) / std::max(fits, kLeastTiles);
    const size_t even = (tiles_ + blocks - 1) / blocks;
    block_tiles_ = std::min(tiles_, (even + kRowStep - 1) / kRowStep * kRowStep);
  }

  void run(const float* input, float* output, const RegisterFinish& finish, const StretchFinish* rest,
           Workspace& workspace, int team) const override {
    const size_t blocks = (tiles_ + block_tiles_ - 1) / block_tiles_;
    const int threads = std::min(team, static_cast<int>(blocks));
    const size_t floats = 16 * (plane_step(block_tiles_, channels_) + plane_step(block_tiles_, outputs_));
    auto* scratch = static_cast<float*>(workspace.scratch(floats * sizeof(float) * as_index(threads)));
    const Passage whole;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (size_t block = 0; block < blocks; ++block) {
      const Passage part;
      run_block(block * block_tiles_, input, {output, finish, rest},
                scratch + floats * as_index(threads > 1 ? omp_get_thread_num() : 0));
    }
  }

 private:
  struct Destination {
    float* output;
    const RegisterFinish& finish;
    const StretchFinish* rest;
  };
  struct Position {
    int64_t sample, y, x;  // of the tile's first output pixel
  };

  [[nodiscard]] Position position_of(size_t tile) const {
    const auto t = as_extent(tile);
    const int64_t rows = (output_[2] + 1) / 2;
    return {t / tile_columns_ / rows, t / tile_columns_ % rows * 2, t % tile_columns_ * 2};
  }

  void run_block(size_t first, const float* input, const Destination& to, float* scratch) const {
    WinogradBlock block;
    block.tiles = std::min(block_tiles_, tiles_ - first);
    block.channels = channels_;
    block.outputs = outputs_;
    block.source_step = plane_step(block.tiles, channels_);
    block.product_step = plane_step(block.tiles, outputs_);
    float* products = scratch + 16 * plane_step(block_tiles_, channels_);
    std::vector<size_t> not_finite;
    for (size_t tile = 0; tile < block.tiles; ++tile)
      if (!read_tile(position_of(first + tile), input, block, tile, scratch)) not_finite.push_back(tile);
    winograd_multiply(scratch, weights_.data<float>().data(), block, products);
    for (const size_t tile : not_finite) sum_plainly(position_of(first + tile), input, block, tile, products);
    for (size_t tile = 0; tile < block.tiles; ++tile) write_tile(position_of(first + tile), products, block, tile, to);
  }

  bool read_tile(const Position& at, const float* input, const WinogradBlock& block, size_t tile, float* planes) const {
    const float* pixels[16];
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        const int64_t y = at.y + i - top_, x = at.x + j - left_;
        const bool inside = y >= 0 && y < input_[2] && x >= 0 && x < input_[3];
        pixels[i * 4 + j] = inside ? input + ((at.sample * input_[2] + y) * input_[3] + x) * input_[1] : zeros_.data();
      }
    return winograd_source(pixels, block, tile, planes);
  }

  /// Writes products of a tile that give the sums of the definition: infinite and NaN pixels would meet in differences
  /// of pixels, and make NaN of outputs that do not read them. Only the four corners of the products count once.
  void sum_plainly(const Position& at, const float* input, const WinogradBlock& block, size_t tile,
                   float* products) const {
    const auto product = [&](size_t plane, size_t o) -> float& {
      return products[plane * block.product_step + tile * outputs_ + o];
    };
    for (size_t plane = 0; plane < 16; ++plane) std::fill_n(&product(plane, 0), outputs_, 0.0F);
    const float* const weights = plain_.data<float>().data();
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t top = at.y + i / 2 - top_, left = at.x + i % 2 - left_;
      const size_t corner = static_cast<size_t>(i / 2 * 12 + i % 2 * 3);
      for (size_t o = 0; o < outputs_; ++o) {
        float sum = 0;
        for (int64_t tap = 0; tap < 9; ++tap) {
          const int64_t y = top + tap / 3, x = left + tap % 3;
          if (y < 0 || y >= input_[2] || x < 0 || x >= input_[3]) continue;
          const float* const pixel = input + ((at.sample * input_[2] + y) * input_[3] + x) * input_[1];
          for (size_t c = 0; c < channels_; ++c)
            sum += pixel[c] * weights[(o * channels_ + c) * 9 + static_cast<size_t>(tap)];
        }
        product(corner, o) = i % 3 == 0 ? sum : -sum;
      }
    }
  }

  void write_tile(const Position& at, const float* products, const WinogradBlock& block, size_t tile,
                  const Destination& to) const {
    const auto& [output, finish, rest] = to;
    float* pixels[4];
    const float* residuals[4] = {};
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t y = at.y + i / 2, x = at.x + i % 2;
      const int64_t offset = ((at.sample * output_[2] + y) * output_[3] + x) * output_[1];
      const bool inside = y < output_[2] && x < output_[3];
      pixels[i] = inside ? output + offset : nullptr;
      if (inside && finish.residual) residuals[i] = finish.residual + offset;
    }
    winograd_result(products, block, tile, finish, pixels, residuals);
    if (!rest) return;
    for (float* const pixel : pixels)
      if (pixel) rest->finish(as_index(pixel - output), as_index(pixel - output) + outputs_);
  }

  Shape input_, output_;
  int64_t top_, left_;
  size_t channels_, outputs_;
  int64_t tile_columns_;
  size_t tiles_;
  Tensor plain_;              // as in the file
  Tensor weights_;            // transformed
  std::vector<float> zeros_;  // a pixel of the padding
  size_t block_tiles_ = 0;
};

bool all_equal(const std::vector<int64_t>& values, int64_t wanted) {
  return std::ranges::all_of(values, [&](int64_t value) { return value == wanted; });
}

}  // namespace

std::unique_ptr<const ChannelsLastConvolution> make_winograd(const ConvolutionProblem& problem) {
  const Window& window = problem.window;
  const bool applies = !problem.transposed && problem.group == 1 && problem.input.rank() == 4 &&
                       all_equal(window.kernel, 3) && all_equal(window.strides, 1) && !window.dilated() &&
                       problem.input[1] % kChannelStep == 0 && problem.output[1] % kChannelStep == 0;
  if (!applies) return nullptr;
  // With few tiles reading 16/9 of the weights costs more than the products save, and tiles stand beyond odd edges: 7 x
  // 7 pixels of 512 channels take 3.7 ms, and 2.9 without transforms (Xeon with AVX-512).
  const int64_t pixels = problem.output[0] * problem.output[2] * problem.output[3];
  const int64_t tiles = problem.output[0] * ((problem.output[2] + 1) / 2) * ((problem.output[3] + 1) / 2);
  const auto step = as_extent(kRowStep);
  const int64_t products = (tiles + step - 1) / step * step * 16;  // of each two channels; a fifth at least must go
  if (tiles < step || products * 5 > pixels * 9 * 4) return nullptr;
  return std::make_unique<Winograd>(problem);
}

}  // namespace detent
