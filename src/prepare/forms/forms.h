#pragma once

#include "model/graph_patch.h"

// Each function returns a patch that computes the same in another form; empty where there is nothing to change. Values
// keep their names.
namespace detent::forms {

/// FP16 and BF16 constants, values and Casts become FP32. Inputs and outputs of the graph keep their types, with Casts.
/// A graph in a node keeps its types: the patch is then empty.
[[nodiscard]] GraphPatch float32(const Graph& graph);
/// -inf in FP32 constants becomes -1e30, of which a Softmax makes 0 too. Sums of such stay finite.
[[nodiscard]] GraphPatch finite_masks(const Graph& graph);
/// A mask that is added to scores of attention is -50 at least: a Max behind a computed one, other numbers in a
/// constant. Softmax makes 2e-22 of it and no denormal number. Masks without a number of -1000 or less stay.
[[nodiscard]] GraphPatch near_masks(const Graph& graph);
/// Leaves out `activations` of LSTM and GRU that are ONNX's defaults.
[[nodiscard]] GraphPatch default_activations(const Graph& graph);
/// x * (1 + erf(x / sqrt(2))) / 2 in any order of its operators becomes Gelu(x), of opset 20.
[[nodiscard]] GraphPatch gelu_operator(const Graph& graph);
/// Softplus, Mish, Swish, Sigmoid, Tanh and the logarithm of Sigmoid that are written with Exp or Log, in any order of
/// their operators, become Softplus, Sigmoid and Tanh, whose values stay in the range of x.
[[nodiscard]] GraphPatch bounded_activations(const Graph& graph);
[[nodiscard]] GraphPatch division_of_one(const Graph& graph);
/// Add of a constant of one number becomes a Sub of the opposite number.
[[nodiscard]] GraphPatch difference_of_number(const Graph& graph);
[[nodiscard]] GraphPatch sum_of_products(const Graph& graph);
/// Mod of integers by a constant above 0 becomes x - (x / n) * n, twice, so that negative numbers come out right.
[[nodiscard]] GraphPatch remainder_by_division(const Graph& graph);
/// MaxPool over three axes of a value of known sizes becomes two over two axes, between Reshapes.
[[nodiscard]] GraphPatch plane_pooling(const Graph& graph);
/// MatMul of a vector and a constant matrix becomes one of a matrix with one row, between Unsqueeze and Squeeze.
/// Opset 13.
[[nodiscard]] GraphPatch matrix_product(const Graph& graph);
/// The constant weight and bias of a Gemm are multiplied by its alpha and beta, which become 1.
[[nodiscard]] GraphPatch plain_gemm(const Graph& graph);
/// Weights of a ConvTranspose with dilations get zeros between their elements; one with groups, of which each has more
/// than one channel, becomes a ConvTranspose a group between Split and Concat.
[[nodiscard]] GraphPatch plain_deconvolution(const Graph& graph);
/// A Sum, Max or Min of three or more values takes two at a time; a Mean of several is such a sum times a number.
[[nodiscard]] GraphPatch operands_in_pairs(const Graph& graph);
/// Clip from a number above 0 becomes Max, and Min where it has an upper bound.
[[nodiscard]] GraphPatch maximum_of_number(const Graph& graph);
/// An AveragePool whose windows stand side by side (stride = window) counts no padding, in front of which a Pad stands,
/// and averages a window of even extents, which is not the whole plane, over two rows at a time.
[[nodiscard]] GraphPatch plain_averages(const Graph& graph);
/// Strides of 1x1 Convs move up: through activations, Add, Sub and Mul, and 1x1 Convs, into a Conv of a larger kernel
/// or with groups, else into a MaxPool of 1x1. Beside a Conv that takes other elements of the value they stay. Values
/// of which fewer elements remain get new names.
[[nodiscard]] GraphPatch early_strides(const Graph& graph);
/// Sizes that Shape returns, or Gather takes of it, become constants where the graph fixes them whatever its inputs; so
/// does the shape of a Reshape of which only the batch, or one extent, is open. Nodes that computed them go.
[[nodiscard]] GraphPatch fixed_sizes(const Graph& graph);
/// PyTorch's MultiheadAttention puts tokens in front of the batch, and batch and heads on one axis. Its projections
/// read [batch, tokens, channels], and operands are turned as [batch, heads, tokens, channels] between Reshapes. Values
/// between get new names.
[[nodiscard]] GraphPatch batch_first(const Graph& graph);
/// Two products with constant matrices, of a value of 4 axes, with operators between that work element by element, read
/// 3 axes: a Reshape stands in front of the first and behind the second. Values between get new names.
[[nodiscard]] GraphPatch flat_mlps(const Graph& graph);
/// A channel shuffle (Reshape, Transpose, Reshape) of which Slices take channels, as in ShuffleNetV2: a 1x1 Conv behind
/// a Slice reads the value in front of the shuffle, its weights in the order of that, with zeros for other channels;
/// other readers get a 1x1 Conv that picks channels.
[[nodiscard]] GraphPatch shuffle_products(const Graph& graph);
/// A Conv of 4 channels at most whose windows of more than 7 rows or columns stand side by side becomes two: one of
/// zeros and ones that puts each element of a part of the window on another channel, and one of smaller windows.
[[nodiscard]] GraphPatch narrow_strides(const Graph& graph);
/// A Conv of a signal of one channel and known length, whose stride is more than 7 and divides its window, reads the
/// elements of a stride on channels: a Reshape and a Transpose stand in front, and windows are as many strides long.
[[nodiscard]] GraphPatch signal_patches(const Graph& graph);
/// A Conv of constants with a window of more than 16 elements along an axis becomes a sum of Convs with windows of
/// about the same extents, each of what a Slice takes of the input.
[[nodiscard]] GraphPatch narrow_windows(const Graph& graph);
/// Zeros are added in front of a Softmax between two products of values where nothing is added to the scores.
[[nodiscard]] GraphPatch masked_scores(const Graph& graph);
/// A bias of zeros behind a product with a constant matrix becomes 1e-6 and -1e-6, in alternation.
[[nodiscard]] GraphPatch nonzero_biases(const Graph& graph);
/// A GlobalAveragePool of a plane of known extents becomes ReduceMean. In front of that a Conv sums parts of a plane of
/// more than 7 rows or columns, each of 7 x 7 at most; the last ones end in zeros.
[[nodiscard]] GraphPatch reduced_planes(const Graph& graph);
/// A Conv of constants that alone reads a Concat of all pixels that Slices with steps take of a value of known sizes,
/// as YOLOX's Focus joins them, reads that value: its window, strides and pads are the steps times as large.
[[nodiscard]] GraphPatch focus_convs(const Graph& graph);
/// A Conv of constants that alone reads a Concat of channels becomes a Conv for each operand and sums of them, where an
/// operand's channels are no multiple of 8, or the sums have fewer numbers than half of what the Concat copies.
[[nodiscard]] GraphPatch conv_per_operand(const Graph& graph);
/// The last state of a GRU or RNN of one direction, of which all steps are not read, is a Gather of those.
[[nodiscard]] GraphPatch last_steps(const Graph& graph);
/// A graph output of floats that nodes read becomes a copy (Identity) of a value with a new name, which they read.
[[nodiscard]] GraphPatch outputs_apart(const Graph& graph);
/// Outputs that LSTM, GRU and RNN leave out go at the end of the list, and get names in front of others.
[[nodiscard]] GraphPatch named_outputs(const Graph& graph);
/// A LayerNormalization writes out axis and epsilon where they are ONNX's defaults.
[[nodiscard]] GraphPatch explicit_norms(const Graph& graph);
/// A BatchNormalization of constants has mean 0 and variance 1 - epsilon; factor and shift hold what they were.
[[nodiscard]] GraphPatch neutral_statistics(const Graph& graph);

}  // namespace detent::forms
