// The GPT of the shared folder with a residual stream as wide as those of large transformers and LayerNorm written
// out, as older exporters write it: the same network in FP32, another one in raw FP16, where the squares overflow.
import { readFileSync } from 'node:fs';
import { integer, message, modelLike, parse, readModel, tensorProto } from './onnx_file.mjs';

function floatsOf(raw) {
  const fields = parse(parse(raw)[0].value);
  const bytes = fields.find((f) => f.number === 9).value;
  const dims = fields.filter((f) => f.number === 1).flatMap((f) => (typeof f.value === 'bigint' ? [Number(f.value)] : packed(f.value)));
  return { dims, data: new Float32Array(Uint8Array.from(bytes).buffer) };
}

function packed(bytes) {
  const numbers = [];
  for (let i = 0, value = 0, shift = 0; i < bytes.length; ++i) {
    value += (bytes[i] & 127) * 2 ** shift;
    shift += 7;
    if (bytes[i] < 128) [value, shift] = [numbers.push(value) * 0, 0];
  }
  return numbers;
}

// Initializers whose products and sums make the residual stream, read backwards from its last value.
function streamConstants(model, value) {
  const producer = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node])));
  const found = new Set();
  const visit = (name) => {
    if (model.initializers.has(name)) return found.add(name);
    const node = producer.get(name);
    if (node.op === 'Add') node.inputs.forEach(visit);
    else if (node.op === 'Gather') visit(node.inputs[0]);
    else if (node.op === 'MatMul') visit(node.inputs[1]);
    else throw new Error(`${node.op} in the residual stream`);
  };
  visit(value);
  return found;
}

const scaled = (name, raw, factor) => {
  const { dims, data } = floatsOf(raw);
  return message(5, tensorProto(name, { type: 'float32', dims, data: data.map((x) => x * factor) }));
};

const node = (op, inputs, output, ...attributes) => message(1, ...inputs.map((name) => message(1, name)), message(2, output),
  message(3, `${op} of ${output}`), message(4, op), ...attributes);
const lastAxis = [message(5, message(1, 'axes'), integer(8, -1), integer(20, 7)),
  message(5, message(1, 'keepdims'), integer(3, 1), integer(20, 2))];

// d = x - mean(x); y = d / sqrt(mean(d^2) + epsilon) * weight + bias. Source: ONNX LayerNormalization-17.
function writtenOut({ inputs: [x, weight, bias], outputs: [y] }) {
  const part = (name) => `${y}/${name}`;
  return [node('ReduceMean', [x], part('mean'), ...lastAxis), node('Sub', [x, part('mean')], part('d')),
    node('Pow', [part('d'), 'two'], part('square')), node('ReduceMean', [part('square')], part('variance'), ...lastAxis),
    node('Add', [part('variance'), 'epsilon'], part('guarded')), node('Sqrt', [part('guarded')], part('deviation')),
    node('Div', [part('d'), part('deviation')], part('normal')), node('Mul', [part('normal'), weight], part('scaled')),
    node('Add', [part('scaled'), bias], y)];
}

const scalar = (name, number) =>
  message(5, tensorProto(name, { type: 'float32', dims: [], data: Float32Array.of(number) }));

// The bytes of the model whose stream is `factor` times as large. LayerNorm takes the factor out again.
export function withLargeResidual(file, factor) {
  const model = readModel(readFileSync(file));
  const last = model.nodes.findLast((n) => n.op === 'LayerNormalization');
  const stream = streamConstants(model, last.inputs[0]);
  const constants = [...model.initializers].map(([name, raw]) => (stream.has(name) ? scaled(name, raw, factor) : raw));
  const nodes = model.nodes.flatMap((n) => (n.op === 'LayerNormalization' ? writtenOut(n) : [n.raw]));
  const declared = model.graph.filter((f) => f.number === 11 || f.number === 12).map((f) => f.raw);
  return modelLike(model, [...constants, scalar('two', 2), scalar('epsilon', 1e-5), ...nodes, ...declared]);
}

// Names of all its float values, which raw FP16 rounds. ONNX Runtime's outputs tell integers and shapes.
export const floatNames = (values) =>
  new Set(Object.entries(values).filter(([, value]) => value.type === 'float32').map(([name]) => name));
