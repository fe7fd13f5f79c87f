// A small decoder of one layer: ids and past keys and values in, logits and all keys and values out. Embedding and
// head share their table; the head reads it transposed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elemTypes, integer, message, tensorProto, valueInfo } from './onnx_file.mjs';
import { random } from './random_inputs.mjs';
import { writeNpy } from './npy.mjs';

export const [symbols, width, heads, past, step] = [48, 64, 4, 12, 4];
const headWidth = width / heads;
const [intType, intsType] = [2, 7]; // AttributeProto.AttributeType

const attribute = (name, value) => message(5, message(1, name),
  ...(Array.isArray(value) ? [...value.map((v) => integer(8, v)), integer(20, intsType)] : [integer(3, value), integer(20, intType)]));
const node = (op, inputs, output, attributes = {}) => message(1, ...inputs.map((name) => message(1, name)), message(2, output),
  message(3, output), message(4, op), ...Object.entries(attributes).map(([name, value]) => attribute(name, value)));
const floats = (name, dims, scale) => message(5, tensorProto(name, random(dims, scale, name.length + 7)));
const constant = (name, type, dims, data) => message(5, tensorProto(name, { type, dims, data }));
const ints = (name, ...values) => constant(name, 'int64', [values.length], BigInt64Array.from(values.map(BigInt)));
const ones = (name) => constant(name, 'float32', [width], new Float32Array(width).fill(1));
const zeros = (name) => constant(name, 'float32', [width], new Float32Array(width));

const perHead = (from, to) => [node('Reshape', [from, 'split'], `${to}_split`), node('Transpose', [`${to}_split`], to, { perm: [0, 2, 1, 3] })];
const norm = (x, y) => node('LayerNormalization', [x, 'one', 'zero'], y);

const nodes = [
  node('Gather', ['table', 'ids'], 'x'), norm('x', 'n'),
  node('MatMul', ['n', 'wq'], 'q_flat'), node('MatMul', ['n', 'wk'], 'k_flat'), node('MatMul', ['n', 'wv'], 'v_flat'),
  ...perHead('q_flat', 'q'), ...perHead('k_flat', 'k'), ...perHead('v_flat', 'v'),
  node('Concat', ['past_key', 'k'], 'present_key', { axis: 2 }), node('Concat', ['past_value', 'v'], 'present_value', { axis: 2 }),
  node('Transpose', ['present_key'], 'kt', { perm: [0, 1, 3, 2] }), node('MatMul', ['q', 'kt'], 'scores'),
  node('Mul', ['scores', 'scale'], 'scaled'), node('Softmax', ['scaled'], 'p', { axis: -1 }),
  node('MatMul', ['p', 'present_value'], 'c'), node('Transpose', ['c'], 'ct', { perm: [0, 2, 1, 3] }),
  node('Reshape', ['ct', 'join'], 'cr'), node('MatMul', ['cr', 'wo'], 'o'), node('Add', ['x', 'o'], 'r'), norm('r', 'm'),
  node('MatMul', ['m', 'wu'], 'u'), node('Relu', ['u'], 'a'), node('MatMul', ['a', 'wd'], 'd'), node('Add', ['r', 'd'], 's'),
  norm('s', 'f'), node('Transpose', ['table'], 'head', { perm: [1, 0] }), node('MatMul', ['f', 'head'], 'logits'),
];
const constants = [
  floats('table', [symbols, width], 1), floats('wq', [width, width], 0.2), floats('wk', [width, width], 0.22),
  floats('wv', [width, width], 0.18), floats('wo', [width, width], 0.15), floats('wu', [width, 2 * width], 0.2),
  floats('wd', [2 * width, width], 0.14), ones('one'), zeros('zero'),
  constant('scale', 'float32', [], Float32Array.of(headWidth ** -0.5)), ints('split', 0, -1, heads, headWidth), ints('join', 0, -1, width),
];
const cache = (field, name, length) => valueInfo(field, name, elemTypes.float32, [1, heads, length, headWidth]);

export function cacheModel() {
  const declared = [valueInfo(11, 'ids', elemTypes.int64, [1, step]), cache(11, 'past_key', past), cache(11, 'past_value', past),
    valueInfo(12, 'logits', elemTypes.float32, [1, step, symbols]), cache(12, 'present_key', past + step),
    cache(12, 'present_value', past + step)];
  return Buffer.concat([integer(1, 8), message(8, integer(2, 17)),
    message(7, message(2, 'decoder'), ...nodes, ...constants, ...declared)]);
}

// Writes `count` samples of each input as stacks; returns {input: path}.
export function writeCacheSamples(folder, count, seed) {
  const ids = BigInt64Array.from({ length: count * step }, (_, i) => BigInt((i * 31 + seed * 17 + (i >> 2) * 5) % symbols));
  const stacks = { ids: { type: 'int64', dims: [count, step], data: ids },
    past_key: random([count, heads, past, headWidth], 1, seed), past_value: random([count, heads, past, headWidth], 1, seed + 1) };
  return Object.fromEntries(Object.entries(stacks).map(([name, stack]) => {
    const path = join(folder, `${name}_${seed}.npy`);
    writeNpy(path, stack);
    return [name, path];
  }));
}

export function writeCacheModel(folder) {
  const file = join(folder, 'decoder.onnx');
  writeFileSync(file, cacheModel());
  return file;
}
