// Models of FP32 whose values are rounded to a narrower type behind each node. ONNX Runtime's CPU has hardly any
// kernel for BFloat16, so such a twin judges a model of that type. Sums inside a node are FP32, as in engines.
import { integer, message, modelLike, parse, readModel } from './onnx_file.mjs';

const [float, half, bfloat] = [1, 10, 16];
const utf8 = new TextDecoder();

// Operators whose first output has another type than their operands.
const otherTypes = new Set(['Shape', 'Size', 'ArgMax', 'ArgMin', 'Equal', 'Greater', 'Less', 'GreaterOrEqual', 'LessOrEqual',
  'IsNaN', 'IsInf', 'NonZero', 'QuantizeLinear', 'Not', 'And', 'Or', 'Constant', 'ConstantOfShape', 'NonMaxSuppression']);

const number = (fields, key) => {
  const field = fields.find((f) => f.number === key);
  return field === undefined ? undefined : Number(field.value);
};

function attributeOf(node, name) {
  const body = parse(parse(node.raw)[0].value);
  return body.filter((f) => f.number === 5).map((f) => parse(f.value)).find((f) => utf8.decode(f[0].value) === name);
}

// Names of the values whose type is BFloat16.
export function bfloatValues(model) {
  const names = new Set(model.inputs.filter((v) => v.elemType === bfloat).map((v) => v.name));
  for (const [name, raw] of model.initializers) if (typeOfInitializer(raw) === bfloat) names.add(name);
  for (const node of model.nodes) {
    const made = node.op === 'Cast' ? number(attributeOf(node, 'to'), 3) === bfloat
      : node.op === 'DequantizeLinear' ? names.has(node.inputs[1])
        : node.op === 'Constant' || node.op === 'ConstantOfShape' ? constantType(node) === bfloat
          : !otherTypes.has(node.op) && node.inputs.some((name) => names.has(name));
    if (made) names.add(node.outputs[0]);
    if (made && ['Split', 'LSTM', 'GRU', 'RNN'].includes(node.op)) node.outputs.forEach((name) => names.add(name));
  }
  return names;
}

const typeOfInitializer = (raw) => number(parse(parse(raw)[0].value), 2);
const constantType = (node) => {
  const value = attributeOf(node, 'value')?.find((f) => f.number === 5);
  return value && number(parse(value.value), 2);
};

// BFloat16 is the upper half of FP32.
function widen(bytes) {
  const out = Buffer.alloc(bytes.length * 2);
  for (let i = 0; i < bytes.length; i += 2) out.set(bytes.subarray(i, i + 2), 2 * i + 2);
  return out;
}

// A TensorProto's fields in FP32; numbers that are not in raw_data stand in int32_data, packed.
function wideTensor(fields) {
  const raw = fields.find((f) => f.number === 9);
  if (!raw) throw new Error('a BFloat16 tensor without raw_data');
  return Buffer.concat([...fields.filter((f) => f.number !== 2 && f.number !== 9).map((f) => f.raw), integer(2, float),
    message(9, widen(raw.value))]);
}

const castNode = (from, to, type) => message(1, message(1, from), message(2, to), message(3, `twin of ${to}`), message(4, 'Cast'),
  message(5, message(1, 'to'), integer(3, type), integer(20, 2)));

// The node with other outputs, and an attribute replaced.
function rewritten(node, outputs, replace) {
  const fields = parse(parse(node.raw)[0].value);
  let slot = 0;
  return message(1, ...fields.map((f) => (f.number === 2 ? message(2, outputs[slot++]) : f.number === 5 ? replace(f) : f.raw)));
}

// {bytes, bfloat}: the twin of a BFloat16 file, and the names of the values that are BFloat16 in it.
export function twinOf(file) {
  const model = readModel(file);
  const names = bfloatValues(model);
  names.delete('');  // outputs that nothing reads have no name
  const widenNode = (node) => (f) => {
    const parts = parse(f.value);
    const key = utf8.decode(parts[0].value);
    if (node.op === 'Cast' && key === 'to' && number(parts, 3) === bfloat)
      return message(5, message(1, 'to'), integer(3, float), integer(20, 2));
    const tensor = parts.find((p) => p.number === 5);
    if (key !== 'value' || !tensor || number(parse(tensor.value), 2) !== bfloat) return f.raw;
    return message(5, ...parts.map((p) => (p.number === 5 ? message(5, wideTensor(parse(p.value))) : p.raw)));
  };
  const constants = [...model.initializers].map(([name, raw]) =>
    (names.has(name) ? message(5, wideTensor(parse(parse(raw)[0].value))) : raw));
  return { bytes: rounding(model, constants, names, bfloat, widenNode), bfloat: names };
}

// An FP32 model whose every float value is rounded to FP16: what a conversion without exceptions computes.
export function rawHalf(model, names) {
  const nodes = [...model.initializers].filter(([name]) => names.has(name)).map(([name]) => name);
  const constants = [...model.initializers].map(([name, raw]) => (names.has(name) ? renamed(raw, `${name}__exact`) : raw));
  const casts = nodes.flatMap((name) => castPair(name, half));
  return rounding(model, [...constants, ...casts], names, half, () => (f) => f.raw);
}

const renamed = (raw, name) =>
  message(5, ...parse(parse(raw)[0].value).filter((f) => f.number !== 8).map((f) => f.raw), message(8, name));

const castPair = (name, type) =>
  [castNode(`${name}__exact`, `${name}__rounded`, type), castNode(`${name}__rounded`, name, float)];

// The model with a Cast to `type` and back behind each value of `names` that a node makes.
function rounding(model, constants, names, type, attributes) {
  const graph = model.nodes.flatMap((node) => [
    rewritten(node, node.outputs.map((name) => (names.has(name) ? `${name}__exact` : name)), attributes(node)),
    ...node.outputs.filter((name) => names.has(name)).flatMap((name) => castPair(name, type))]);
  const declared = (f) => f.number === 12 || (f.number === 11 && !model.initializers.has(utf8.decode(parse(f.value)[0].value)));
  return modelLike(model, [...constants, ...graph, ...model.graph.filter(declared).map((f) => f.raw)]);
}

// A tensor of FP32 numbers that are BFloat16 ones, in that type.
export function narrowed({ dims, data }) {
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  return { type: 'bfloat16', dims, data: Uint16Array.from(bits, (word) => word >>> 16) };
}
