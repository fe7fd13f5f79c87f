// node resnet50.mjs OUT.onnx
// Writes a network of the shape of ResNet-50 (He et al. 2015, BatchNormalization folded, opset 13) with random
// weights, 102 MB: for speed and memory, not for accuracy.
import { closeSync, openSync, writeSync } from 'node:fs';
import { integer, message, tensorProto, valueInfo } from '../tests/onnxruntime/onnx_file.mjs';

const [intKind, intsKind] = [2, 7];  // AttributeProto.AttributeType
const ints = (name, values) =>
  message(5, message(1, name), ...values.map((value) => integer(8, value)), integer(20, intsKind));
const int = (name, value) => message(5, message(1, name), integer(3, value), integer(20, intKind));

// The same weights every time: a linear congruential generator and the sum of four uniform numbers, nearly normal.
let state = 1;
function uniform() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32 - 0.5;
}
const normal = () => (uniform() + uniform() + uniform() + uniform()) * Math.sqrt(3);

const [nodes, initializers] = [[], []];
let count = 0;

function node(op, inputs, attributes = []) {
  const output = `${op.toLowerCase()}_${count++}`;
  nodes.push(message(1, ...inputs.map((name) => message(1, name)), message(2, output), message(3, output),
    message(4, op), ...attributes));
  return output;
}

function weights(dims, deviation) {
  const name = `w_${count++}`;
  const data = Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, () => normal() * deviation);
  initializers.push(message(5, tensorProto(name, { type: 'float32', dims, data })));
  return name;
}

// gain: keeps the branch that is added to the residual stream small; otherwise values would double with every block.
function conv(input, from, to, kernel, stride, gain = 1) {
  const deviation = gain * Math.sqrt(2 / (from * kernel * kernel));
  const pad = kernel >> 1;
  return node('Conv', [input, weights([to, from, kernel, kernel], deviation), weights([to], 0.1)],
    [ints('kernel_shape', [kernel, kernel]), ints('strides', [stride, stride]), ints('pads', [pad, pad, pad, pad])]);
}

const relu = (input) => node('Relu', [input]);

function bottleneck(input, from, inner, stride) {
  const to = inner * 4;
  const reduced = relu(conv(input, from, inner, 1, 1));
  const spatial = relu(conv(reduced, inner, inner, 3, stride));
  const branch = conv(spatial, inner, to, 1, 1, 0.3);
  const shortcut = from === to ? input : conv(input, from, to, 1, stride, 0.7);
  return relu(node('Add', [branch, shortcut]));
}

let value = relu(conv('image', 3, 64, 7, 2));
value = node('MaxPool', [value], [ints('kernel_shape', [3, 3]), ints('strides', [2, 2]), ints('pads', [1, 1, 1, 1])]);
let channels = 64;
for (const [inner, blocks, stride] of [[64, 3, 1], [128, 4, 2], [256, 6, 2], [512, 3, 2]]) {
  for (let block = 0; block < blocks; ++block) {
    value = bottleneck(value, channels, inner, block === 0 ? stride : 1);
    channels = inner * 4;
  }
}
value = node('Flatten', [node('GlobalAveragePool', [value])]);
nodes.push(message(1, ...[value, weights([1000, 2048], 0.02), weights([1000], 0.1)].map((name) => message(1, name)),
  message(2, 'logits'), message(3, 'logits'), message(4, 'Gemm'), int('transB', 1)));

const file = openSync(process.argv[2], 'w');
writeSync(file, Buffer.concat([integer(1, 8), message(8, integer(2, 13)),
  message(7, ...nodes, message(2, 'resnet50'), ...initializers, valueInfo(11, 'image', 1, [null, 3, 224, 224]),
    valueInfo(12, 'logits', 1, [null, 1000]))]));
closeSync(file);
