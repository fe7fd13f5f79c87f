// node large_transformer.mjs OUT.onnx [LAYERS [WIDTH]]
// Writes a decoder-only transformer with random weights in OUT.onnx.data, opset 17; 20 layers of width 1536 are 2.4
// GB. For memory and time, not for accuracy. Input: ids [batch, sequence], output: logits. Eight sequences of 128 ids
// go to OUT.onnx.ids.npy.
import { closeSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { writeNpy } from '../tests/onnxruntime/npy.mjs';
import { integer, message, tensorProto } from '../tests/onnxruntime/onnx_file.mjs';

const [file, layers, width] = [process.argv[2], Number(process.argv[3] ?? 20), Number(process.argv[4] ?? 1536)];
if (!file?.endsWith('.onnx')) {
  console.error('usage: node bench/large_transformer.mjs OUT.onnx [LAYERS [WIDTH]]');
  process.exit(2);
}
const [heads, vocabulary, longest] = [width / 128, 8192, 512];
const [intKind, intsKind] = [2, 7];  // AttributeProto.AttributeType
const int = (name, value) => message(5, message(1, name), integer(3, value), integer(20, intKind));
const ints = (name, values) => message(5, message(1, name), ...values.map((v) => integer(8, v)), integer(20, intsKind));

// Nearly normal numbers from a linear congruential generator. Weights are pieces of one pool, each from another place.
let state = 1;
function uniform() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32 - 0.5;
}
const pool = Float32Array.from({ length: 1 << 22 }, () => (uniform() + uniform() + uniform() + uniform()) * Math.sqrt(3));

const dimension = (extent) => message(1, typeof extent === 'string' ? message(2, extent) : integer(1, extent));
const value = (number, name, type, dims) =>
  message(number, message(1, name), message(2, message(1, integer(1, type), message(2, ...dims.map(dimension)))));

const [nodes, initializers] = [[], []];
const data = openSync(`${file}.data`, 'w');
let [count, offset] = [0, 0];

function node(op, inputs, ...attributes) {
  const output = `${op.toLowerCase()}_${count++}`;
  nodes.push(message(1, ...inputs.map((name) => message(1, name)), message(2, output), message(3, output), message(4, op),
    ...attributes));
  return output;
}

function constant(type, dims, values) {
  const name = `c_${count++}`;
  initializers.push(message(5, tensorProto(name, { type, dims, data: values })));
  return name;
}

// Normal weights in the external file, at a multiple of a page.
function weights(dims, deviation) {
  const name = `w_${count++}`;
  const elements = dims.reduce((a, b) => a * b, 1);
  const entry = (key, value) => message(13, message(1, key), message(2, String(value)));
  initializers.push(message(5, ...dims.map((extent) => integer(1, extent)), integer(2, 1), message(8, name),
    entry('location', `${basename(file)}.data`), entry('offset', offset), entry('length', elements * 4), integer(14, 1)));
  for (let done = 0; done < elements;) {
    const from = (count * 7919 + done) % pool.length;
    const piece = pool.subarray(from, from + Math.min(elements - done, pool.length - from)).map((x) => x * deviation);
    writeSync(data, piece, 0, piece.byteLength, offset + done * 4);
    done += piece.length;
  }
  offset = Math.ceil((offset + elements * 4) / 4096) * 4096;
  return name;
}

const ones = (n) => constant('float32', [n], new Float32Array(n).fill(1));
const norm = (x) => node('LayerNormalization', [x, ones(width), constant('float32', [width], new Float32Array(width))]);
const linear = (x, from, to, gain = 1) =>
  node('Add', [node('MatMul', [x, weights([from, to], gain / Math.sqrt(from))]), constant('float32', [to], new Float32Array(to))]);
const split = constant('int64', [4], BigInt64Array.from([0n, 0n, BigInt(heads), 128n]));
const joined = constant('int64', [3], BigInt64Array.from([0n, 0n, BigInt(width)]));
const scale = constant('float32', [], Float32Array.of(1 / Math.sqrt(128)));

function attention(x) {
  const by_head = (projection, ...perm) =>
    node('Transpose', [node('Reshape', [projection, split])], ints('perm', perm));
  const query = by_head(linear(x, width, width), 0, 2, 1, 3);
  const key = by_head(linear(x, width, width), 0, 2, 3, 1);
  const value = by_head(linear(x, width, width), 0, 2, 1, 3);
  const scores = node('Softmax', [node('Add', [node('Mul', [node('MatMul', [query, key]), scale]), mask])], int('axis', -1));
  const mixed = node('Transpose', [node('MatMul', [scores, value])], ints('perm', [0, 2, 1, 3]));
  return linear(node('Reshape', [mixed, joined]), width, width, 0.3);
}

function gelu(x) {
  const half = constant('float32', [], Float32Array.of(0.5)), one = constant('float32', [], Float32Array.of(1));
  const root = constant('float32', [], Float32Array.of(Math.SQRT2));
  return node('Mul', [node('Mul', [x, node('Add', [node('Erf', [node('Div', [x, root])]), one])]), half]);
}

// The mask: a triangle of 0 and -1e9, cut to the length of the input.
const triangle = new Float32Array(longest * longest);
for (let i = 0; i < longest; ++i) triangle.fill(-1e9, i * longest + i + 1, (i + 1) * longest);
const index = (value) => constant('int64', [1], BigInt64Array.of(BigInt(value)));
const length = node('Slice', [node('Shape', ['ids']), index(1), index(2)]);
const ends = node('Concat', [length, length], int('axis', 0));
const mask = node('Slice', [constant('float32', [longest, longest], triangle),
  constant('int64', [2], BigInt64Array.of(0n, 0n)), ends]);
const positions = node('Slice', [weights([longest, width], 0.1), index(0), length, index(0)]);

let x = node('Add', [node('Gather', [weights([vocabulary, width], 1), 'ids']), positions]);
for (let layer = 0; layer < layers; ++layer) {
  x = node('Add', [x, attention(norm(x))]);
  x = node('Add', [x, linear(gelu(linear(norm(x), width, 4 * width)), 4 * width, width, 0.3)]);
}
nodes.push(message(1, message(1, norm(x)), message(1, weights([width, vocabulary], 1 / Math.sqrt(width))), message(2, 'logits'),
  message(3, 'logits'), message(4, 'MatMul')));
closeSync(data);

const model = openSync(file, 'w');
writeSync(model, Buffer.concat([integer(1, 8), message(8, integer(2, 17)),
  message(7, ...nodes, message(2, 'large_transformer'), ...initializers, value(11, 'ids', 7, ['batch', 'sequence']),
    value(12, 'logits', 1, ['batch', 'sequence', vocabulary]))]));
closeSync(model);
const ids = BigInt64Array.from({ length: 8 * 128 }, () => BigInt(Math.floor((uniform() + 0.5) * vocabulary)));
writeNpy(`${file}.ids.npy`, { type: 'int64', dims: [8, 128], data: ids });
