// Nodes of ONNX Runtime's own operators, each a model of one node: {op, form, inputs, attributes, outputs, opset}.
// inputs in the order of slots: a tensor is fed, constant(tensor) is an initializer, null is left out. outputs: their
// number, or a list whose false ones are left out.
import { random } from './random_inputs.mjs';

let seed = 0;
const f = (dims, scale = 1) => random(dims, scale, ++seed);
const positive = (dims) => { const tensor = f(dims); return { ...tensor, data: tensor.data.map((v) => 0.5 + Math.abs(v)) }; };
export const constant = (tensor) => ({ ...tensor, constant: true });
const w = (dims, scale) => constant(f(dims, scale));
const elements = (dims) => dims.reduce((a, b) => a * b, 1);
const integers = (type, dims, values) => ({ type, dims, data: { int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array,
  int8: Int8Array, bool: Uint8Array }[type].from(values, (v) => (type === 'int64' ? BigInt(v) : v)) });
const i32 = (dims, values) => integers('int32', dims, values);
const i64 = (dims, values) => integers('int64', dims, values);
// Codes over a whole 8-bit type.
// int8 has 7 bits: pairs of its products with uint8 stay in 16 bits, in which the engine adds on CPUs without VNNI.
const codes = (type, dims) => integers(type, dims, [...f(dims, type === 'int8' ? 63 : 127).data].map((v) => Math.round(v) + (type === 'uint8' ? 128 : 0)));
const scale = (value) => constant({ type: 'float32', dims: [], data: Float32Array.of(value) });
const zero = (type, value) => constant(integers(type, [], [value]));
const all = (op, rows) => rows.map(([form, inputs, attributes = {}, rest = {}]) => ({ op, form, inputs, attributes, outputs: 1, ...rest }));

const x3 = () => f([2, 5, 8]);

const norms = [
  ...all('SkipLayerNormalization', [
    ['beta', [x3(), x3(), w([8]), w([8])]],
    ['no beta', [x3(), x3(), w([8])]],
    ['bias and sum', [x3(), x3(), w([8]), w([8]), w([8])], { epsilon: 1e-5 }, { outputs: [true, false, false, true] }],
    ['bias without beta', [x3(), x3(), w([8]), null, w([8])]],
    ['one skip for all samples', [x3(), f([1, 5, 8]), w([8]), w([8])]],
    ['skip of rank 2', [x3(), w([5, 8]), w([8]), w([8])]],
    ['opset 13', [x3(), x3(), w([8]), w([8])], {}, { opset: 13 }],
    ['opset 13 without beta', [x3(), x3(), w([8])], { epsilon: 1e-3 }, { opset: 13 }],
  ]),
  ...all('SkipSimplifiedLayerNormalization', [
    ['plain', [x3(), x3(), w([8])]],
    ['bias and sum', [x3(), x3(), w([8]), w([8])], { epsilon: 1e-6 }, { outputs: [true, false, false, true] }],
    ['rank 2', [f([7, 8]), f([7, 8]), w([8])], { epsilon: 1e-5 }],
    ['opset 12', [x3(), x3(), w([8])], {}, { opset: 12 }],
  ]),
  ...all('SimplifiedLayerNormalization', [
    ['default axis', [x3(), w([8])], { stash_type: 1 }, { domain: '' }],
    ['axis 2', [x3(), w([8])], { axis: 2, epsilon: 1e-6, stash_type: 1 }, { domain: '' }],
    ['axis 1', [x3(), w([5, 8])], { axis: 1, stash_type: 1 }, { domain: '' }],
    ['opset 13', [x3(), w([8])], { axis: -1, stash_type: 1 }, { domain: '', opset: 13 }],
  ]),
  ...all('LayerNormalization', [
    ['opset 13', [x3(), w([8]), w([8])], { axis: -1 }, { domain: '', opset: 13 }],
    ['opset 14 without beta', [x3(), w([8])], { axis: 2, epsilon: 1e-3 }, { domain: '', opset: 14 }],
    ['opset 11 over two axes', [x3(), w([5, 8]), w([5, 8])], { axis: 1 }, { domain: '', opset: 11 }],
  ]),
  ...all('EmbedLayerNormalization', [
    ['segments', [i32([2, 5], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), i32([2, 5], [0, 0, 1, 1, 1, 0, 0, 0, 1, 1]), w([10, 8]),
      w([6, 8]), w([2, 8]), w([8]), w([8])], { epsilon: 1e-5 }, { outputs: 2 }],
    ['no segments', [i32([2, 5], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), null, w([10, 8]), w([6, 8]), null, w([8]), w([8])], {},
      { outputs: 2 }],
    ['mask', [i32([2, 5], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), null, w([10, 8]), w([6, 8]), null, w([8]), w([8]),
      i32([2, 5], [1, 1, 1, 0, 0, 1, 1, 1, 1, 0])], {}, { outputs: 2 }],
    ['mask at opset 12', [i32([2, 5], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), null, w([10, 8]), w([6, 8]), null, w([8]), w([8]),
      i32([2, 5], [1, 1, 1, 0, 0, 1, 1, 1, 1, 0])], {}, { outputs: 2, opset: 12 }],
    ['positions and sum', [i32([2, 5], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), null, w([10, 8]), w([6, 8]), null, w([8]), w([8]),
      null, i32([1, 5], [5, 4, 3, 2, 1])], {}, { outputs: 3 }],
  ]),
];

const activations = [
  ...all('Gelu', [['plain', [f([3, 7], 4)]], ['opset 20', [f([3, 7], 4)], {}, { opset: 20 }]]),
  ...all('BiasGelu', [['plain', [f([3, 7], 4), w([7])]]]),
  ...all('FastGelu', [['plain', [f([3, 7], 4)]], ['bias', [f([3, 7], 4), w([7])]]]),
  ...all('QuickGelu', [['default', [f([3, 7], 4)]], ['alpha 1', [f([3, 7], 4)], { alpha: { float: 1 } }],
    ['alpha', [f([3, 7], 4)], { alpha: 1.3 }]]),
];

const image = () => f([2, 4, 6, 6]);
const fused = (form, activation, numbers, more = []) => [form, [image(), w([6, 4, 3, 3], 0.3), w([6]), ...more],
  { activation, pads: [1, 1, 1, 1], ...(numbers ? { activation_params: { floats: numbers } } : {}) }];
const products = [
  ...all('FusedMatMul', [
    ['alpha', [f([2, 3, 4]), f([2, 4, 5])], { alpha: 0.25 }],
    ['transposed weight', [f([2, 3, 4]), w([5, 4])], { transB: 1 }],
    ['transposed data', [f([2, 4, 3]), f([2, 4, 5])], { transA: 1, alpha: 0.5 }],
    ['both', [f([4, 3]), f([5, 4])], { transA: 1, transB: 1 }],
    ['heads', [f([2, 3, 5, 4]), f([2, 3, 5, 4])], { transB: 1, alpha: 0.5 }],
    ['a vector', [f([4]), f([5, 4])], { transA: 1, transB: 1 }],
    ['batch of A', [f([3, 2, 4]), f([2, 4, 5])], { transBatchA: 1 }],
    ['batch of B', [f([2, 3, 4]), f([4, 2, 5])], { transBatchB: 1 }],
    ['batches swapped', [f([4, 2, 3]), f([5, 2, 4])], { transA: 1, transB: 1, transBatchA: 1, transBatchB: 1 }],
    ['batches of rank 4', [f([3, 2, 2, 4]), f([4, 2, 2, 5])], { transBatchA: 1, transBatchB: 1 }],
    ['no shapes', [f([2, 3, 4]), f([2, 5, 4])], { transB: 1 }, { declare: 'nothing' }],
  ]),
  ...all('TransposeMatMul', [['plain', [f([2, 4, 3]), f([2, 4, 5])], { transA: 1, alpha: 0.5 }]]),
  ...all('FusedGemm', [
    ['Relu', [f([3, 4]), w([4, 5]), w([5])], { activation: 'Relu' }],
    ['LeakyRelu', [f([3, 4]), w([5, 4]), w([5])], { activation: 'LeakyRelu', activation_alpha: 0.2, transB: 1, alpha: 0.5, beta: 0.25 }],
    ['Sigmoid without C', [f([3, 4]), w([4, 5])], { activation: 'Sigmoid' }],
    ['Tanh', [f([3, 4]), w([4, 5]), w([5])], { activation: 'Tanh' }],
    ['Elu', [f([3, 4]), w([4, 5]), w([5])], { activation: 'Elu', activation_alpha: 0.7 }],
    ['HardSigmoid', [f([3, 4]), w([4, 5]), w([5])], { activation: 'HardSigmoid', activation_alpha: 0.3, activation_beta: 0.4 }],
    ['Selu', [f([3, 4]), w([4, 5]), w([5])], { activation: 'Selu', activation_alpha: 1.5, activation_gamma: 1.1 }],
    ['Softplus', [f([3, 4]), w([4, 5]), w([5])], { activation: 'Softplus' }],
    ['Softsign', [f([3, 4]), w([4, 5]), w([5])], { activation: 'Softsign' }],
    ['ThresholdedRelu', [f([3, 4]), w([4, 5]), w([5])], { activation: 'ThresholdedRelu', activation_alpha: 0.3 }],
  ]),
  ...all('FusedConv', [
    fused('Relu', 'Relu'), fused('Tanh', 'Tanh'), fused('Sigmoid', 'Sigmoid'), fused('LeakyRelu', 'LeakyRelu', [0.1]),
    fused('Clip', 'Clip', [-0.2, 0.5]), fused('HardSigmoid', 'HardSigmoid', [0.25, 0.5]),
    fused('sum and Relu', 'Relu', undefined, [f([2, 6, 6, 6])]),
    ['no bias', [image(), w([6, 2, 3, 3], 0.3)], { activation: 'Relu', group: 2, strides: [2, 2] }],
  ]),
];

// Packed codes of MatMulNBits.
const bytes = (dims) => constant(integers('uint8', dims, Array.from({ length: elements(dims) }, (_, i) => (i * 37 + 11) % 256)));
const blocks = (K, N, block, bits, zeros, more = []) => {
  const count = Math.ceil(K / block);
  const packed = zeros === 'packed' ? bytes([N, Math.ceil(count * bits / 8)]) : zeros === 'float' ? w([N, count], 4) : null;
  return [`K ${K}, N ${N}, blocks of ${block}, ${bits} bits, ${zeros} zero points${more.length ? ', bias' : ''}`,
    [f([3, K]), bytes([N, count, block * bits / 8]), w([N, count], 0.05), packed, null, ...more],
    { K, N, bits, block_size: block }];
};
const weights = all('MatMulNBits', [
  blocks(32, 6, 16, 4, 'no'), blocks(32, 6, 16, 4, 'packed'), blocks(40, 6, 16, 4, 'packed'), blocks(64, 5, 32, 4, 'no'),
  blocks(64, 5, 32, 4, 'float'), blocks(64, 5, 32, 8, 'no'), blocks(64, 5, 32, 8, 'packed'), blocks(64, 5, 16, 2, 'no'),
  blocks(64, 5, 16, 2, 'packed'), blocks(32, 6, 16, 4, 'no', [w([6])]),
]);

const caches = (rows, half) => [w([rows, half]), w([rows, half])];
const rotary = all('RotaryEmbedding', [
  ['heads in the last axis', [f([2, 3, 16]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 4)]],
  ['interleaved', [f([2, 3, 16]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 4)], { interleaved: 1 }],
  ['first position', [f([2, 3, 16]), i64([1], [2]), ...caches(8, 4)]],
  ['rank 4', [f([2, 2, 3, 8]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 4)]],
  ['rank 4, first position, interleaved', [f([2, 2, 3, 8]), i64([1], [3]), ...caches(8, 4)], { interleaved: 1 }],
  ['part of a head', [f([2, 3, 16]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 2)], { num_heads: 2, rotary_embedding_dim: 4 }],
  ['part of a head, interleaved', [f([2, 3, 16]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 2)],
    { num_heads: 2, rotary_embedding_dim: 4, interleaved: 1 }],
  ['num_heads', [f([2, 3, 16]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 4)], { num_heads: 2 }],
]);

const joint = () => [f([2, 4, 8]), w([8, 24], 0.5), w([24])];
const mask2 = i32([2, 4], [1, 1, 1, 0, 1, 1, 0, 0]);
const attention = [
  ...all('Attention', [
    ['plain', joint(), { num_heads: 2 }],
    ['fed weights', [f([2, 4, 8]), f([8, 24], 0.5), f([24])], { num_heads: 2 }],
    ['causal', joint(), { num_heads: 2, unidirectional: 1 }],
    ['scale', joint(), { num_heads: 2, scale: 0.3 }],
    ['mask [B, T]', [...joint(), mask2], { num_heads: 2 }],
    ['mask [B, T], causal', [...joint(), i32([2, 4], [1, 1, 1, 0, 1, 1, 0, 0])], { num_heads: 2, unidirectional: 1 }],
    ['mask [B, S, T]', [...joint(), i32([2, 4, 4], Array.from({ length: 32 }, (_, i) => Number(i % 3 > 0)))], { num_heads: 2 }],
    ['mask of lengths', [...joint(), i32([2], [3, 2])], { num_heads: 2 }],
    ['mask of ends and starts', [...joint(), i32([4], [4, 3, 1, 0])], { num_heads: 2 }],
    ['mask_filter_value', [...joint(), mask2], { num_heads: 2, mask_filter_value: { float: -3 } }],
    ['bias of scores', [...joint(), null, null, f([2, 2, 4, 4])], { num_heads: 2 }],
    ['one bias of scores', [...joint(), mask2, null, f([1, 1, 4, 4])], { num_heads: 2 }],
    ['past', [...joint(), null, f([2, 2, 2, 3, 4])], { num_heads: 2 }, { outputs: 2 }],
    ['past, causal', [...joint(), null, f([2, 2, 2, 3, 4])], { num_heads: 2, unidirectional: 1 }, { outputs: 2 }],
    ['past, mask', [...joint(), i32([2, 7], [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]), f([2, 2, 2, 3, 4])],
      { num_heads: 2, unidirectional: 1 }, { outputs: 2 }],
    ['present without past', [f([1, 4, 8]), w([8, 24], 0.5), w([24])], { num_heads: 2 }, { outputs: 2 }],
    ['wider values', [f([2, 4, 8]), w([8, 28], 0.5), w([28])], { num_heads: 2, qkv_hidden_sizes: [8, 8, 12] }],
    ['opset 12', joint(), { num_heads: 2, unidirectional: 1 }, { opset: 12 }],
  ]),
  ...all('MultiHeadAttention', [
    ['plain', [x3(), x3(), x3()], { num_heads: 2 }],
    ['other length', [f([2, 4, 8]), f([2, 6, 8]), f([2, 6, 8])], { num_heads: 2 }],
    ['bias', [x3(), x3(), x3(), w([24])], { num_heads: 2 }],
    ['wider values', [x3(), x3(), f([2, 5, 12])], { num_heads: 2 }],
    ['wider values, bias', [x3(), x3(), f([2, 5, 12]), w([28])], { num_heads: 2 }],
    ['scale', [x3(), x3(), x3()], { num_heads: 4, scale: 0.7 }],
    ['causal', [x3(), x3(), x3()], { num_heads: 2, unidirectional: 1 }],
    ['causal, fewer keys', [f([2, 6, 8]), f([2, 4, 8]), f([2, 4, 8])], { num_heads: 2, unidirectional: 1 }],
    ['causal, more keys', [f([2, 4, 8]), f([2, 6, 8]), f([2, 6, 8])], { num_heads: 2, unidirectional: 1 }],
    ['mask [B, T]', [x3(), x3(), x3(), null, i32([2, 5], [1, 1, 1, 0, 0, 1, 1, 1, 1, 0])], { num_heads: 2 }],
    ['mask [B, S, T]', [x3(), x3(), x3(), null, i32([2, 5, 5], Array.from({ length: 50 }, (_, i) => Number(i % 4 > 0)))],
      { num_heads: 2 }],
    ['mask of lengths', [x3(), x3(), x3(), null, i32([2], [3, 5])], { num_heads: 2 }],
    ['bias of scores', [x3(), x3(), x3(), null, null, f([1, 2, 5, 5])], { num_heads: 2 }],
    ['past', [f([2, 1, 8]), f([2, 1, 8]), f([2, 1, 8]), null, null, null, f([2, 2, 3, 4]), f([2, 2, 3, 4])],
      { num_heads: 2 }, { outputs: 3 }],
    ['past, bias, causal', [f([2, 2, 8]), f([2, 2, 8]), f([2, 2, 8]), w([24]), null, null, f([2, 2, 3, 4]), f([2, 2, 3, 4])],
      { num_heads: 2, unidirectional: 1 }, { outputs: 3 }],
    ['present without past', [x3(), x3(), x3()], { num_heads: 2 }, { outputs: 3 }],
    ['keys of an encoder', [x3(), f([2, 2, 6, 4]), f([2, 2, 6, 4])], { num_heads: 2 }],
    ['keys of an encoder, bias of queries', [x3(), f([2, 2, 6, 4]), f([2, 2, 6, 4]), w([24])], { num_heads: 2 }],
  ]),
];

// Grouped queries: S new positions behind P old ones, 4 heads in 2 groups, 16 elements each.
const past = (rows, length) => [f([rows, 2, length, 16]), f([rows, 2, length, 16])];
const lengths = (rows, total) => [i32([rows], Array(rows).fill(total - 1)), constant(i32([], [total]))];
const grouped = (rows, S, P, more = [], joined = false) => [
  ...(joined ? [f([rows, S, 128]), null, null] : [f([rows, S, 64]), f([rows, S, 32]), f([rows, S, 32])]),
  ...(P ? past(rows, P) : [null, null]), ...lengths(rows, S + P), ...more];
const groups = { num_heads: 4, kv_num_heads: 2 };
// Caches hold other places behind unequal pasts.
const unequal = { outputs: 3, compared: ['out_0'] };
const gqa = all('GroupQueryAttention', [
  ['prompt', grouped(2, 5, 0), groups, { outputs: 3 }],
  ['token', grouped(2, 1, 6), groups, { outputs: 3 }],
  ['several tokens', grouped(1, 3, 6), groups, { outputs: 3 }],
  ['one group a head', [f([1, 3, 16]), f([1, 3, 16]), f([1, 3, 16]), null, null, ...lengths(1, 3)], { num_heads: 2, kv_num_heads: 2 }, { outputs: 3 }],
  ['joint projections', grouped(2, 5, 0, [], true), groups, { outputs: 3 }],
  ['joint projections, token', grouped(2, 1, 6, [], true), groups, { outputs: 3 }],
  ['rotary', grouped(2, 5, 0, caches(16, 8)), { ...groups, do_rotary: 1 }, { outputs: 3 }],
  ['rotary, token', grouped(2, 1, 6, caches(16, 8)), { ...groups, do_rotary: 1 }, { outputs: 3 }],
  ['rotary, token, interleaved', grouped(2, 1, 6, caches(16, 8)), { ...groups, do_rotary: 1, rotary_interleaved: 1 }, { outputs: 3 }],
  ['rotary, joint', grouped(1, 3, 6, caches(16, 8), true), { ...groups, do_rotary: 1 }, { outputs: 3 }],
  ['rotary over a part of a head', [f([1, 3, 64]), f([1, 3, 32]), f([1, 3, 32]), null, null, ...lengths(1, 3), ...caches(16, 8)],
    { num_heads: 2, kv_num_heads: 1, do_rotary: 1 }, { outputs: 3 }],
  ['positions', grouped(1, 1, 6, [...caches(16, 8), i64([1, 1], [6])]), { ...groups, do_rotary: 1 }, { outputs: 3 }],
  ['scale', grouped(1, 5, 0), { ...groups, scale: 0.2 }, { outputs: 3 }],
  ['softcap', grouped(1, 5, 0), { ...groups, softcap: 1.5 }, { outputs: 3 }],
  ['window', grouped(1, 7, 0), { ...groups, local_window_size: 3 }, { outputs: 3 }],
  ['window, token', grouped(2, 1, 6), { ...groups, local_window_size: 3 }, { outputs: 3 }],
  ['bias of scores', grouped(1, 5, 0, [null, null, null, f([1, 4, 5, 5])]), groups, { outputs: 3 }],
  ['sinks', grouped(1, 5, 0, [null, null, null, null, f([4])]), groups, { outputs: 3 }],
  ['sinks, token', grouped(2, 1, 6, [null, null, null, null, f([4])]), groups, { outputs: 3 }],
  ['smooth softmax', grouped(1, 5, 0), { ...groups, smooth_softmax: 1 }, { outputs: 3 }],
  ['unequal pasts', [f([2, 1, 64]), f([2, 1, 32]), f([2, 1, 32]), ...past(2, 6), i32([2], [6, 4]), constant(i32([], [7]))], groups, unequal],
  ['unequal pasts, rotary', [f([2, 1, 64]), f([2, 1, 32]), f([2, 1, 32]), ...past(2, 6), i32([2], [6, 4]),
    constant(i32([], [7])), ...caches(16, 8)], { ...groups, do_rotary: 1 }, unequal],
  ['unequal pasts, window', [f([2, 1, 64]), f([2, 1, 32]), f([2, 1, 32]), ...past(2, 6), i32([2], [6, 4]),
    constant(i32([], [7]))], { ...groups, local_window_size: 3 }, unequal],
]);

// Codes with scale and zero point.
const coded = (type, dims, s, z) => [codes(type, dims), scale(s), zero(type, z)];
const quantizedBy = (type, s, z) => [scale(s), zero(type, z)];
const both = (make) => ['uint8', 'int8'].map((type) => make(type, type === 'uint8' ? 120 : -5));
const integersOf = [
  ...all('QLinearAdd', [
    ...both((type, z) => [type, [...coded(type, [2, 9], 0.02, z), ...coded(type, [2, 9], 0.03, z + 1), ...quantizedBy(type, 0.05, z)]]),
    ['broadcast', [...coded('uint8', [2, 3, 4], 0.02, 7), ...coded('uint8', [4], 0.03, 200), ...quantizedBy('uint8', 0.05, 99)]],
  ]),
  ...all('QLinearMul', both((type, z) => [type, [...coded(type, [2, 9], 0.02, z), ...coded(type, [2, 9], 0.03, z + 1),
    ...quantizedBy(type, 0.03, z)]])),
  ...all('QLinearSigmoid', both((type, z) => [type, [...coded(type, [3, 40], 0.05, z), ...quantizedBy(type, 1 / 256, type === 'uint8' ? 0 : -128)]])),
  ...all('QLinearLeakyRelu', both((type, z) => [type, [...coded(type, [3, 40], 0.05, z), ...quantizedBy(type, 0.04, z)], { alpha: 0.2 }])),
  ...all('QLinearConcat', [
    ...both((type, z) => [type, [...quantizedBy(type, 0.05, z), ...coded(type, [2, 3], 0.05, z), ...coded(type, [2, 4], 0.03, z + 2)], { axis: 1 }]),
    ['three parts', [...quantizedBy('uint8', 0.05, 9), ...coded('uint8', [2, 3], 0.05, 9), ...coded('uint8', [1, 3], 0.03, 1),
      ...coded('uint8', [3, 3], 0.01, 255)], { axis: 0 }],
  ]),
  ...all('QLinearWhere', both((type, z) => [type, [integers('bool', [2, 4], [1, 0, 1, 0, 0, 1, 1, 0]), ...coded(type, [2, 4], 0.02, z),
    ...coded(type, [2, 4], 0.03, z + 1), ...quantizedBy(type, 0.05, z)]])),
  ...all('QLinearConv', [
    ['channels last', [codes('uint8', [1, 5, 5, 4]), scale(0.02), zero('uint8', 128), constant(codes('int8', [3, 4, 3, 3])), scale(0.01),
      zero('int8', 0), scale(0.05), zero('uint8', 128), constant(i32([3], [100, -50, 7]))], { channels_last: 1, pads: [1, 1, 1, 1] }],
    ['channels first', [codes('uint8', [1, 4, 5, 5]), scale(0.02), zero('uint8', 128), constant(codes('int8', [3, 4, 3, 3])), scale(0.01),
      zero('int8', 0), scale(0.05), zero('uint8', 128)], { strides: [2, 2] }],
  ]),
  ...all('QLinearGlobalAveragePool', both((type, z) => [type, [...coded(type, [2, 3, 5, 5], 0.02, z), ...quantizedBy(type, 0.005, z)]])),
  ...all('QLinearGlobalAveragePool', [['channels last', [...coded('uint8', [2, 5, 5, 3], 0.02, 120), ...quantizedBy('uint8', 0.005, 120)],
    { channels_last: 1 }]]),
  ...all('QLinearAveragePool', [
    ['uint8', [...coded('uint8', [1, 3, 6, 6], 0.02, 120), ...quantizedBy('uint8', 0.015, 120)], { kernel_shape: [2, 2], strides: [2, 2] }],
    ['channels last', [...coded('uint8', [1, 6, 6, 3], 0.02, 120), ...quantizedBy('uint8', 0.015, 120)],
      { kernel_shape: [3, 3], pads: [1, 1, 1, 1], channels_last: 1 }],
  ]),
  ...all('QLinearSoftmax', [['last axis', [...coded('uint8', [3, 8], 0.02, 120), ...quantizedBy('uint8', 1 / 256, 0)], { axis: -1, opset: 13 }]]),
  ...all('NhwcMaxPool', [
    ['uint8', [codes('uint8', [1, 6, 6, 3])], { kernel_shape: [2, 2], strides: [2, 2] }],
    ['int8, padded', [codes('int8', [1, 6, 6, 3])], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }],
  ]),
  ...all('QGemm', [
    ['float result', [...coded('uint8', [3, 8], 0.02, 120), constant(codes('int8', [8, 5])), scale(0.03), zero('int8', 0),
      constant(i32([5], [10, -200, 30, 0, 500]))]],
    ['codes, transposed', [...coded('uint8', [3, 8], 0.02, 120), constant(codes('int8', [5, 8])), scale(0.03), zero('int8', 0),
      constant(i32([5], [10, -200, 30, 0, 500])), scale(0.2), zero('uint8', 128)], { transB: 1 }],
    ['a scale per column', [...coded('uint8', [3, 8], 0.02, 120), constant(codes('int8', [8, 5])), constant(positive([5])),
      constant(integers('int8', [5], [0, 0, 0, 0, 0]))], { alpha: { float: 0.5 } }],
  ]),
  ...all('DynamicQuantizeMatMul', [
    ['int8', [f([3, 8]), constant(codes('int8', [8, 5])), scale(0.03), zero('int8', 0)]],
    ['a scale per column, bias', [f([2, 3, 8]), constant(codes('int8', [8, 5])), constant(positive([5])), null, w([5])]],
  ]),
  ...all('MatMulIntegerToFloat', [
    ['uint8 and int8', [codes('uint8', [3, 8]), constant(codes('int8', [8, 5])), scale(0.02), scale(0.03), zero('uint8', 120), zero('int8', 2)]],
    ['bias', [codes('uint8', [3, 8]), constant(codes('uint8', [8, 5])), scale(0.02), constant(positive([5])), zero('uint8', 120), null, w([5])]],
  ]),
];



// Halves, where the engine has kernels for them.
function halfBits(value) {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0];
  const exponent = ((bits >> 23) & 255) - 112;
  if (exponent <= 0) return (bits >>> 16) & 0x8000;
  const mantissa = (bits & 0x7fffff) + 0x1000;  // to nearest; a carry goes into the exponent
  return ((bits >>> 16) & 0x8000) | ((exponent << 10) + (mantissa >> 13));
}
const halves = (tensor) => (tensor?.type === 'float32'
  ? { ...tensor, type: 'float16', data: Uint16Array.from(tensor.data, halfBits) } : tensor);
const halved = [
  ...['SkipLayerNormalization', 'SkipSimplifiedLayerNormalization', 'FastGelu', 'RotaryEmbedding', 'MatMulNBits',
    'GroupQueryAttention', 'MultiHeadAttention', 'Gelu', 'FusedMatMul', 'QuickGelu', 'SimplifiedLayerNormalization',
    'LayerNormalization', 'BiasGelu', 'FusedConv', 'FusedGemm', 'Attention', 'EmbedLayerNormalization'].map((op) =>
    [...norms, ...activations, ...products, ...weights, ...rotary, ...attention, ...gqa].find((one) => one.op === op)),
].map((one) => ({ ...one, form: `${one.form}, FP16`, inputs: one.inputs.map(halves) }));

export const cases = [...norms, ...activations, ...products, ...weights, ...rotary, ...attention, ...gqa, ...integersOf, ...halved];

// Forms without an expansion, and the reason that is given.
const because = (op, reason, form, inputs, attributes = {}, rest = {}) =>
  ({ op, form, inputs, attributes, outputs: 1, reason, ...rest });
export const refused = [
  because('MultiHeadAttention', /packed queries, keys and values/, 'packed', [f([1, 4, 2, 3, 8]), null, null], { num_heads: 2 }),
  because('MultiHeadAttention', /packed keys and values/, 'packed keys', [f([1, 4, 16]), f([1, 4, 2, 2, 8]), f([1, 4, 16])],
    { num_heads: 2 }),
  because('GroupQueryAttention', /q_norm_weight/, 'norms of queries', grouped(1, 5, 0, [null, null, null, null, null, null, null, f([16]), f([16])]),
    groups),
  because('GroupQueryAttention', /qk_output=1/, 'scores as output', grouped(1, 5, 0), { ...groups, qk_output: 1 }),
  because('GroupQueryAttention', /opset 14/, 'old opset', grouped(1, 5, 0), groups, { opset: 13 }),
  because('Attention', /past_present_share_buffer=1/, 'shared buffer', joint(), { num_heads: 2, past_present_share_buffer: 1 }),
  because('Attention', /do not tell whether it holds lengths/, 'a list of unknown meaning', [...joint(), i32([8], Array(8).fill(4))],
    { num_heads: 2 }),
  because('RotaryEmbedding', /declares no shape/, 'unknown rank', [f([2, 3, 16]), i64([2, 3], [0, 1, 2, 4, 5, 6]), ...caches(8, 4)],
    {}, { declare: 'nothing' }),
  because('MatMulNBits', /is not constant/, 'fed weights', [f([3, 32]), integers('uint8', [6, 2, 8], Array(96).fill(7)), w([6, 2]), null],
    { K: 32, N: 6, bits: 4, block_size: 16 }),
  because('FusedConv', /activation 'Mish'/, 'unknown activation', [image(), w([6, 4, 3, 3])], { activation: 'Mish' }),
  because('SkipLayerNormalization', /output 1 \(mean\)/, 'outputs of training', [x3(), x3(), w([8])], {}, { outputs: 2 }),
  because('QAttention', /not supported/, 'no expansion', [codes('uint8', [1, 4, 8]), constant(codes('int8', [8, 24])), w([24]), scale(0.1),
    scale(0.1)], { num_heads: 2 }),
  because('Conv', /level extended/, 'blocked layout', [image(), w([6, 4, 3, 3])], {}, { domain: 'com.microsoft.nchwc' }),
];
