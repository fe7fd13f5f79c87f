// Reads and writes the few parts of an ONNX file that these tests cut out or add, at the level of the protobuf wire
// format (field numbers: onnx.proto). Other parts are copied byte for byte.
import { readFileSync } from 'node:fs';

const utf8 = new TextDecoder();

export const elemTypes = {
  float32: 1, uint8: 2, int8: 3, uint16: 4, int16: 5, int32: 6, int64: 7, bool: 9, float16: 10, float64: 11,
  uint32: 12, uint64: 13, bfloat16: 16, float8e4m3fn: 17,
};

// ---- wire format ----

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [BigInt.asIntN(64, value), at];
  }
}

// [{number, value, raw}]: value is a BigInt or the field's bytes, raw the whole field with its key.
export function parse(bytes) {
  const fields = [];
  for (let at = 0; at < bytes.length;) {
    const start = at;
    let key, value;
    [key, at] = readVarint(bytes, at);
    const wire = Number(key & 7n);
    if (wire === 0) {
      [value, at] = readVarint(bytes, at);
    } else {
      let length = wire === 1 ? 8 : 4;
      if (wire === 2) {
        [value, at] = readVarint(bytes, at);
        length = Number(value);
      }
      value = bytes.subarray(at, at + length);
      at += length;
    }
    fields.push({ number: Number(key >> 3n), value, raw: bytes.subarray(start, at) });
  }
  return fields;
}

function varint(value) {
  const out = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    out.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(out);
}

export const integer = (number, value) => Buffer.concat([varint(number << 3), varint(value)]);
export const message = (number, ...parts) => {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([varint((number << 3) | 2), varint(body.length), body]);
};

export const floating = (number, value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((number << 3) | 5), bytes]);
};

// ---- parts of a model ----

const strings = (fields, number) => fields.filter((f) => f.number === number).map((f) => utf8.decode(f.value));
const one = (fields, number) => fields.find((f) => f.number === number)?.value;

function readNode(field) {
  const fields = parse(field.value);
  return {
    inputs: strings(fields, 1), outputs: strings(fields, 2), name: strings(fields, 3)[0] ?? '',
    op: strings(fields, 4)[0], raw: field.raw,
  };
}

function readValueInfo(field) {
  const fields = parse(field.value);
  const tensor = one(parse(one(fields, 2) ?? new Uint8Array()), 1);
  if (!tensor) return { name: strings(fields, 1)[0] };
  const type = parse(tensor);
  const shape = one(type, 2);
  const dims = shape && parse(shape).map((dim) => {
    const size = one(parse(dim.value), 1);
    return size === undefined ? null : Number(size);
  });
  return { name: strings(fields, 1)[0], elemType: Number(one(type, 1)), dims };
}

// {nodes, initializers: Map name -> raw field, inputs, outputs}; `inputs` without those that are initializers.
export function readModel(pathOrBytes) {
  const bytes = typeof pathOrBytes === 'string' ? readFileSync(pathOrBytes) : pathOrBytes;
  const fields = parse(bytes);
  const graph = parse(one(fields, 7));
  const initializers = new Map(graph.filter((f) => f.number === 5).map((f) => {
    const name = parse(f.value).find((part) => part.number === 8);
    return [utf8.decode(name.value), f.raw];
  }));
  return {
    fields, graph, initializers,
    nodes: graph.filter((f) => f.number === 1).map(readNode),
    inputs: graph.filter((f) => f.number === 11).map(readValueInfo).filter((v) => !initializers.has(v.name)),
    outputs: graph.filter((f) => f.number === 12).map(readValueInfo),
  };
}

export function opsetOf(model) {
  for (const field of model.fields.filter((f) => f.number === 8)) {
    const parts = parse(field.value);
    const domain = strings(parts, 1)[0] ?? '';
    if (domain === '' || domain === 'ai.onnx') return Number(one(parts, 2));
  }
  throw new Error('no opset for the default domain');
}

// ---- writing ----

// null is the open size 'N'; a text names another one.
const dimension = (size) => message(1, size === null ? message(2, 'N') : typeof size === 'string' ? message(2, size) : integer(1, size));

export const valueInfo = (number, name, elemType, dims) =>
  message(number, message(1, name),
    ...(elemType ? [message(2, message(1, integer(1, elemType), message(2, ...dims.map(dimension))))] : []));

export function tensorProto(name, { type, dims, data }) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.concat([...dims.map((d) => integer(1, d)), integer(2, elemTypes[type]), message(8, name),
    message(9, bytes)]);
}

// A model of the given graph parts (already encoded fields of GraphProto) with another model's IR and opsets.
export function modelLike(model, graphParts) {
  const kept = model.fields.filter((f) => f.number === 1 || f.number === 8 || f.number === 25).map((f) => f.raw);
  return Buffer.concat([...kept, message(7, message(2, 'graph'), ...graphParts)]);
}

// The same model with every value that `wanted` names, initializers too, as a graph output.
export function withAllOutputs(model, wanted = () => true) {
  const present = new Set(model.outputs.map((v) => v.name));
  const values = [...model.nodes.flatMap((node) => node.outputs), ...model.initializers.keys()];
  const names = values.filter((name) => name && !present.has(name) && wanted(name));
  const graph = [...model.graph.map((f) => f.raw), ...names.map((name) => valueInfo(12, name))];
  const other = model.fields.filter((f) => f.number !== 7).map((f) => f.raw);
  return Buffer.concat([...other, message(7, ...graph)]);
}

// One Identity node for each of [{name, elemType, dims}]: `detent run` of it writes the samples exactly as the model
// would receive them, the k-th input as samples_k.
export function identityModel(values) {
  const copied = (index) => `samples_${index}`;
  const nodes = values.map(({ name }, index) =>
    message(1, message(1, name), message(2, copied(index)), message(3, `copy_${index}`), message(4, 'Identity')));
  const inputs = values.map(({ name, elemType, dims }) => valueInfo(11, name, elemType, dims));
  const outputs = values.map(({ elemType, dims }, index) => valueInfo(12, copied(index), elemType, dims));
  const graph = message(7, ...nodes, message(2, 'identity'), ...inputs, ...outputs);
  return Buffer.concat([integer(1, 8), message(8, integer(2, 13)), graph]);
}
