// NumPy .npy files, C order, little endian: {type, dims, data} with the type names of ONNX Runtime.
import { readFileSync, writeFileSync } from 'node:fs';

const kinds = {
  '<f4': ['float32', Float32Array],
  '<f8': ['float64', Float64Array],
  '<f2': ['float16', Uint16Array],
  '|u1': ['uint8', Uint8Array],
  '|i1': ['int8', Int8Array],
  '<u2': ['uint16', Uint16Array],
  '<i2': ['int16', Int16Array],
  '<i4': ['int32', Int32Array],
  '<u4': ['uint32', Uint32Array],
  '<i8': ['int64', BigInt64Array],
  '<u8': ['uint64', BigUint64Array],
  '|b1': ['bool', Uint8Array],
};

export const elements = (dims) => dims.reduce((a, b) => a * b, 1);

export function readNpy(path) {
  const file = readFileSync(path);
  if (file.length < 10 || file.toString('latin1', 0, 6) !== '\x93NUMPY') throw new Error(`${path}: not a .npy file`);
  const wide = file[6] > 1;
  const length = wide ? file.readUInt32LE(8) : file.readUInt16LE(8);
  const start = (wide ? 12 : 10) + length;
  const header = file.toString('latin1', start - length, start);
  const descr = /'descr':\s*'([^']+)'/.exec(header)[1];
  if (!kinds[descr]) throw new Error(`${path}: type ${descr} is not known here`);
  if (/'fortran_order':\s*True/.test(header)) throw new Error(`${path}: Fortran order is not known here`);
  const dims = /'shape':\s*\(([^)]*)\)/.exec(header)[1].split(',').map((s) => s.trim()).filter(Boolean).map(Number);
  const [type, Typed] = kinds[descr];
  const bytes = elements(dims) * Typed.BYTES_PER_ELEMENT;
  if (file.length < start + bytes) throw new Error(`${path}: truncated`);
  // Copied, because a typed array must start at a multiple of its element size.
  const copy = new Uint8Array(bytes);
  copy.set(file.subarray(start, start + bytes));
  return { type, dims, data: new Typed(copy.buffer) };
}

export function writeNpy(path, { type, dims, data }) {
  const descr = Object.keys(kinds).find((key) => kinds[key][0] === type);
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`;
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  header += ' '.repeat(63 - ((10 + header.length) % 64)) + '\n';
  const head = Buffer.alloc(10 + header.length);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length, 8);
  head.write(header, 10, 'latin1');
  writeFileSync(path, Buffer.concat([head, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

// Sample i of a stack, with a leading axis of 1. A view, not a copy.
export function sampleOf({ type, dims, data }, index) {
  const size = elements(dims.slice(1));
  return { type, dims: [1, ...dims.slice(1)], data: data.subarray(index * size, (index + 1) * size) };
}

// Stacks samples [1, ...] or [] on axis 0.
export function stack(samples) {
  const first = samples[0];
  const inner = first.dims.length > 0 && first.dims[0] === 1 ? first.dims.slice(1) : first.dims;
  const size = first.data.length;
  const data = new first.data.constructor(size * samples.length);
  samples.forEach((sample, index) => data.set(sample.data, index * size));
  return { type: first.type, dims: [samples.length, ...inner], data };
}

// Every stride-th sample of a stack, as a stack.
export function everyNth(all, stride) {
  const kept = [];
  for (let index = 0; index < all.dims[0]; index += stride) kept.push(sampleOf(all, index));
  return stack(kept);
}

function halfToFloat(bits) {
  const [sign, exponent, mantissa] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + mantissa / 1024) * 2 ** (exponent - 15) : mantissa * 2 ** -24);
}

// Returns half precision as numbers, any other stack as it is. Newer Node.js returns halves as numbers itself.
export function widened({ type, dims, data }) {
  if (type !== 'float16') return { type, dims, data };
  return { type, dims, data: data instanceof Uint16Array ? Float32Array.from(data, halfToFloat) : Float32Array.from(data) };
}
