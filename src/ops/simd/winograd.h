#pragma once

#include <cstddef>

#include "ops/simd/register_finish.h"

namespace detent {

/// The 16 products of F(2x2, 3x3) for a block of tiles, compiled once per instruction set. A tile is a 4 x 4 patch of
/// the input that yields 2 x 2 outputs. All channel counts are multiples of 16.
struct WinogradBlock {
  size_t tiles = 0;
  size_t channels = 0, outputs = 0;
  size_t source_step = 0;   ///< floats from one of the 16 transformed planes to the next (tiles x channels and some)
  size_t product_step = 0;  ///< the same for products (tiles x outputs and some)
};

/// Returns the number of floats of packed weights.
[[nodiscard]] size_t winograd_weight_count(size_t channels, size_t outputs);

/// Transforms O x C x 3 x 3 weights (in double) and packs them as this machine's instruction set reads them.
void winograd_pack(const float* weights, size_t channels, size_t outputs, float* packed);

/// Transforms a tile into the 16 planes. `pixels`: its 16 pixels row by row, each `channels` floats. Returns whether
/// all sums in them are finite.
bool winograd_source(const float* const* pixels, const WinogradBlock& block, size_t tile, float* planes);

/// Computes products[i] = planes[i] x weights[i], 16 matrix products of tiles x channels by channels x outputs.
void winograd_multiply(const float* planes, const float* packed, const WinogradBlock& block, float* products);

/// Writes the 2 x 2 outputs of a tile. `pixels`: their places, nullptr where the tile reaches over the edge;
/// `residuals` likewise (not read where finish.residual is null).
void winograd_result(const float* products, const WinogradBlock& block, size_t tile, const RegisterFinish& finish,
                     float* const* pixels, const float* const* residuals);

}  // namespace detent
