// Plants outlier channels into a transformer without changing what it computes: at each place three channels become
// STRENGTH times as large, a power of two, and the weights that read them as much smaller.
//
//   node bench/plant_outliers.mjs MODEL STRENGTH FILE
//
// Places: outputs of normalizations, products of two branches (SwiGLU), attention's values (one head of values for each
// head of queries, values in the last columns of a joint projection). The model must be exported by PyTorch: weights of
// layers are constants [inputs, outputs] of MatMul, float32, raw bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, readModel } from '../tests/onnxruntime/onnx_file.mjs';

const planted = [3, 17, 40];
const [source, strengthText, target] = process.argv.slice(2);
const strength = Number(strengthText);
if (!target || !Number.isInteger(Math.log2(strength))) {
  console.error('usage: node bench/plant_outliers.mjs MODEL STRENGTH FILE; STRENGTH is a power of two');
  process.exit(2);
}

const bytes = readFileSync(source);
const model = readModel(bytes);
const writer = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node])));
const readers = (name) => model.nodes.filter((node) => node.inputs.includes(name) && node.op !== 'Shape');

// {dims, at(i), scale(i, factor)} of an initializer, whose bytes lie in `bytes`.
function constant(name) {
  const raw = model.initializers.get(name);
  if (!raw) return null;
  const fields = parse(parse(raw)[0].value);
  const data = fields.find((f) => f.number === 9)?.value;
  if (!data) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const dims = fields.filter((f) => f.number === 1).map((f) => Number(f.value));
  return { dims, scale: (i, factor) => view.setFloat32(4 * i, view.getFloat32(4 * i, true) * factor, true) };
}

const weightOf = (node) => (node?.op === 'MatMul' ? constant(node.inputs[1]) : null);

function scaleRow({ dims: [, columns], scale }, row, factor) {
  for (let c = 0; c < columns; ++c) scale(row * columns + c, factor);
}

function scaleColumn({ dims: [rows, columns], scale }, column, factor) {
  for (let r = 0; r < rows; ++r) scale(r * columns + column, factor);
}

// The layers that read a value; null where something else reads it.
function layersBehind(name) {
  const all = readers(name);
  return all.length > 0 && all.every(weightOf) ? all.map(weightOf) : null;
}

// Scale and shift of a normalization.
function vectorsOf(node) {
  if (node.op !== 'LayerNormalization' && node.op !== 'Mul') return null;
  const vectors = node.inputs.slice(1).map(constant);
  return vectors.length > 0 && vectors.every((v) => v?.dims.length === 1 && v.dims[0] > 1) ? vectors : null;
}

// The layer [weight, bias or null] that makes a value, through an Add of a bias.
function layerOf(name) {
  const node = writer.get(name);
  if (node?.op !== 'Add') return weightOf(node) && [weightOf(node), null];
  const bias = node.inputs.findIndex((input) => constant(input)?.dims.length === 1);
  const weight = bias < 0 ? null : weightOf(writer.get(node.inputs[1 - bias]));
  return weight && [weight, constant(node.inputs[bias])];
}

const moves = ['Reshape', 'Transpose', 'Squeeze', 'Split', 'Identity'];

function movedFrom(name) {
  let from = name;
  while (moves.includes(writer.get(from)?.op)) from = writer.get(from).inputs[0];
  return from;
}

function movedTo(name) {
  let to = name;
  for (let next = readers(to); next.length === 1 && moves.includes(next[0].op); next = readers(to)) to = next[0].outputs[0];
  return to;
}

function plantBetween([made, bias], read, shift) {
  for (const channel of planted) {
    scaleColumn(made, channel + shift, strength);
    bias?.scale(channel + shift, strength);
    for (const weight of read) scaleRow(weight, channel, 1 / strength);
  }
}

const counts = { norm: 0, product: 0, value: 0 };
for (const node of model.nodes) {
  const [out] = node.outputs;
  const vectors = vectorsOf(node);
  const read = layersBehind(out);
  if (vectors && read) {
    for (const channel of planted) {
      for (const vector of vectors) vector.scale(channel, strength);
      for (const weight of read) scaleRow(weight, channel, 1 / strength);
    }
    ++counts.norm;
  } else if (node.op === 'Mul' && read) {
    const factor = node.inputs.find((input) => readers(input).length === 1 && layerOf(input));
    if (!factor) continue;
    plantBetween(layerOf(factor), read, 0);
    ++counts.product;
  } else if (node.op === 'MatMul' && writer.get(node.inputs[0])?.op === 'Softmax') {
    const made = layerOf(movedFrom(node.inputs[1]));
    const behind = layersBehind(movedTo(out));
    if (!made || !behind) continue;
    plantBetween(made, behind, made[0].dims[1] - behind[0].dims[0]);
    ++counts.value;
  }
}
writeFileSync(target, bytes);
console.log(`${target}: ${Object.entries(counts).map(([place, count]) => `${count} ${place}`).join(', ')}, times ${strength}`);
