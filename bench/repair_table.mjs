// node bench/repair_table.mjs DETENT FOLDER [TARGET...]      default: tensorrt
//
// Repairs every .onnx file of a folder for each target and prints one row a file: what lint finds before and after,
// what became of the pairs, the difference, the time, and the scales and codes that stayed the same bit for bit. The
// files are read here, not by Detent: a kept pair has the scale of the QuantizeLinear on the same value, a kept weight
// the scales and codes of the same input of the same layer. A second repair has to write the same bytes.
// FILE.args beside FILE.onnx holds the options of its data, one a line; default: --data random:normal,n=8.
// Exits 1 where a kept scale or code differs, a finding is left, or the second repair changes a byte.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse, readModel } from '../tests/onnxruntime/onnx_file.mjs';

const [program, folder, ...targets] = process.argv.slice(2);
if (!folder) throw new Error('usage: node bench/repair_table.mjs DETENT FOLDER [TARGET...]');
const work = mkdtempSync(join(tmpdir(), 'repair-table-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const FLOAT = 1, UINT8 = 2, INT8 = 3;
const text = (bytes) => new TextDecoder().decode(bytes);
const numbersOf = { [FLOAT]: Float32Array, [UINT8]: Uint8Array, [INT8]: Int8Array };

// {type, dims, data}: bytes of a TensorProto, also where they stand in float_data or int32_data.
function tensorOf(bytes) {
  const tensor = { type: 0, dims: [], data: null };
  const typed = [];
  for (const { number, value } of parse(bytes)) {
    if (number === 1) tensor.dims.push(...(typeof value === 'bigint' ? [Number(value)] : varints(value)));
    if (number === 2) tensor.type = Number(value);
    if (number === 9) tensor.data = Buffer.from(value);
    if (number === 4) typed.push(Buffer.from(value));
    if (number === 5) typed.push(Buffer.from(typeof value === 'bigint' ? [Number(value) & 255] : varints(value).map((x) => x & 255)));
  }
  tensor.data ??= Buffer.concat(typed);
  return tensor;
}

function varints(bytes) {
  const found = [];
  for (let at = 0, value = 0n, shift = 0n; at < bytes.length; ++at) {
    value |= BigInt(bytes[at] & 127) << shift;
    shift += 7n;
    if (bytes[at] < 128) found.push(Number(BigInt.asIntN(64, value))), (value = 0n), (shift = 0n);
  }
  return found;
}

// Nodes with attributes {name: field bytes or integer}, constants by name, and the node that writes each value.
function load(path) {
  const model = readModel(path);
  const constants = new Map([...model.initializers].map(([name, raw]) => [name, tensorOf(parse(raw)[0].value)]));
  const makers = new Map();
  for (const node of model.nodes) {
    node.attributes = new Map(parse(parse(node.raw)[0].value).filter((f) => f.number === 5).map((f) => {
      const parts = parse(f.value), one = (number) => parts.find((part) => part.number === number)?.value;
      if (text(one(1)) === 'axes') node.axes = parts.filter((part) => part.number === 8).flatMap(({ value }) =>
        typeof value === 'bigint' ? [Number(value)] : varints(value));
      return [text(one(1)), one(5) ?? one(3)];
    }));
    for (const output of node.outputs) makers.set(output, node);
    if (node.op === 'Constant' && node.attributes.get('value')) constants.set(node.outputs[0], tensorOf(node.attributes.get('value')));
  }
  for (const node of model.nodes)  // copies of constants
    if (node.op === 'Identity' && constants.has(node.inputs[0])) constants.set(node.outputs[0], constants.get(node.inputs[0]));
  const producer = model.fields.find((f) => f.number === 2);
  return { nodes: model.nodes, constants, makers, producer: producer ? text(producer.value) : '' };
}

const array = (tensor) => new numbersOf[tensor.type](tensor.data.buffer.slice(tensor.data.byteOffset, tensor.data.byteOffset + tensor.data.length));

// The numbers of each row of a tensor that ReduceMax keeps: the largest |x| over the other axes.
function largest({ dims, data }, axes) {
  const kept = dims.map((size, axis) => (axes.includes(axis) || axes.includes(axis - dims.length) ? 1 : size));
  const found = new Float32Array(kept.reduce((a, b) => a * b, 1)).fill(-Infinity);
  array({ type: FLOAT, dims, data }).forEach((x, i) => {
    let at = 0, step = 1, rest = i;
    for (let axis = dims.length - 1; axis >= 0; --axis) {
      if (kept[axis] > 1) (at += (rest % dims[axis]) * step), (step *= dims[axis]);
      rest = Math.floor(rest / dims[axis]);
    }
    found[at] = Math.max(found[at], x);
  });
  return found;
}

const floats = (values, dims) => ({ type: FLOAT, dims, data: Buffer.from(values.buffer) });

// A constant, or one that the file computes from a weight: ReduceMax(Abs(W)) / 127. Other values are undefined.
function constantOf(file, value) {
  const known = file.constants.get(value), node = file.makers.get(value);
  if (known || !node) return known;
  const [a, b] = node.inputs.map((input) => constantOf(file, input));
  if (a?.type !== FLOAT) return undefined;
  if (node.op === 'Abs') return floats(array(a).map(Math.abs), a.dims);
  if (node.op === 'Div' && b?.data.length === 4) return floats(array(a).map((x) => x / array(b)[0]), a.dims);
  if (node.op !== 'ReduceMax') return undefined;
  const axes = b ? [...new BigInt64Array(new Uint8Array(b.data).buffer)].map(Number) : node.axes ?? a.dims.map((_, i) => i);
  const maxima = largest(a, axes);
  return floats(maxima, [maxima.length]);
}

// The value in front of the pairs in front of a value.
function beforePairs(file, value) {
  const dequantize = file.makers.get(value);
  const quantize = dequantize?.op === 'DequantizeLinear' && file.makers.get(dequantize.inputs[0]);
  return quantize?.op === 'QuantizeLinear' ? beforePairs(file, quantize.inputs[0]) : value;
}

// {value: [bytes of scales]} of every QuantizeLinear on an activation; null: a scale that is not known here.
function scalesOf(file) {
  const scales = new Map();
  for (const node of file.nodes)
    if (node.op === 'QuantizeLinear' && !file.constants.has(node.inputs[0])) {
      const value = beforePairs(file, node.inputs[0]);
      scales.set(value, [...(scales.get(value) ?? []), constantOf(file, node.inputs[1])?.data ?? null]);
    }
  return scales;
}

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
function roundEven(x) {
  const floor = Math.floor(x), rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

// Codes about zero point 0 of a float weight, as QuantizeLinear computes them.
function quantized(weight, scales, axis) {
  const inner = weight.dims.slice(axis + 1).reduce((a, b) => a * b, 1), channels = scales.length;
  return Array.from(array(weight), (w, i) =>
    clamp(roundEven(Math.fround(w / scales[channels === 1 ? 0 : Math.floor(i / inner) % channels])), -128, 127));
}

// {'node slot': {scales: bytes, codes}} of weights behind a DequantizeLinear; codes are about zero point 0, of other
// types the bytes; null: a scale that is not known here.
function weightsOf(file) {
  const weights = new Map();
  for (const node of file.nodes)
    for (const [slot, input] of node.inputs.entries()) {
      const dequantize = file.makers.get(input);
      if (dequantize?.op !== 'DequantizeLinear' || slot !== 1) continue;
      const scales = constantOf(file, dequantize.inputs[1]), key = `${node.name} ${slot}`;
      const axis = Number(dequantize.attributes.get('axis') ?? 1);
      const stored = file.constants.get(dequantize.inputs[0]), quantize = file.makers.get(dequantize.inputs[0]);
      const float = quantize?.op === 'QuantizeLinear' && file.constants.get(quantize.inputs[0]);
      if (!stored && !float) continue;
      if (!scales || scales.type !== FLOAT) weights.set(key, null);
      else if (float) weights.set(key, { scales: scales.data, codes: quantized(float, array(scales), axis) });
      else weights.set(key, { scales: scales.data, codes: stored.type === UINT8 ? Array.from(array(stored), (x) => x - 128)
        : stored.type === INT8 ? Array.from(array(stored)) : [...stored.data] });
    }
  return weights;
}

const equal = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);

// "12 of 12", with the number of scales that could not be read.
function tellSame(same, all, computed) {
  return `${same} of ${all}${computed ? ` (${computed} not read)` : ''}`;
}

// Compares the pairs that the report calls kept.
function keptScales(before, after, report) {
  const was = scalesOf(before), is = scalesOf(after);
  const kept = [...new Set(report.pairs.filter((pair) => pair.action === 'kept').map((pair) => pair.value))];
  let same = 0, computed = 0;
  for (const value of kept) {
    const old = was.get(value) ?? was.get(value.replace(/_relu$/, '')) ?? [];  // repair puts such a Relu back
    const now = is.get(value) ?? is.get(value.replace(/_relu$/, '')) ?? [];
    if (old.includes(null)) ++computed;
    else if (now.some((bytes) => old.some((other) => bytes && bytes.equals(other)))) ++same;
  }
  return { cell: tellSame(same, kept.length, computed), right: same + computed === kept.length };
}

// Compares the weights that have codes in both files. A BatchNormalization that is folded into a layer multiplies its
// scales: then the magnitudes of the codes have to be the same.
function keptWeights(before, after) {
  const was = weightsOf(before), is = weightsOf(after);
  let same = 0, folded = 0, computed = 0, all = 0;
  for (const [key, now] of is) {
    if (!was.has(key) || !now) continue;
    const old = was.get(key);
    ++all;
    if (!old) ++computed;
    else if (equal(old.codes, now.codes) && Buffer.compare(old.scales, now.scales) === 0) ++same;
    else if (equal(old.codes.map(Math.abs), now.codes.map(Math.abs))) ++folded;
  }
  return { cell: `${tellSame(same, all, computed)}${folded ? `, ${folded} with a folded factor` : ''}`, all, same, folded, computed };
}

function detent(...args) {
  try {
    return execFileSync(program, args, { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
  } catch (error) {
    if (error.status === 1) return error.stdout.toString();  // a finding is left
    throw new Error(error.stderr.toString().trim().split('\n')[0]);
  }
}

function errorOf({ error }) {
  if (!error) return '';
  const agreement = error.detections?.agreement;
  if (agreement !== undefined && agreement !== null) return `${(100 * agreement).toFixed(1)} % of detections`;
  return error.sqnr_db === null ? 'exact' : `${error.sqnr_db.toFixed(1)} dB`;
}

console.log('| file | writer | target | errors, warnings | kept, moved, removed, added | after | difference | seconds | ' +
  'kept scales equal | weights equal | again |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const name of readdirSync(folder).filter((file) => file.endsWith('.onnx')).sort())
  for (const target of targets.length ? targets : ['tensorrt']) {
    const file = join(folder, name), out = join(work, 'out.onnx'), again = join(work, 'again.onnx');
    const options = file.replace(/onnx$/, 'args');
    const data = existsSync(options) ? readFileSync(options, 'utf8').trim().split('\n') : ['--data', 'random:normal,n=8'];
    const row = [basename(name, '.onnx'), load(file).producer, target];
    try {
      const report = JSON.parse(detent('repair', file, '--target', target, ...data, '-o', out, '--overwrite', '--quiet', '--json'));
      detent('repair', out, '--target', target, '-o', again, '--overwrite', '--quiet');
      const before = load(file), after = load(out);
      const scales = keptScales(before, after, report), weights = keptWeights(before, after);
      const count = (action) => report.pairs.filter((pair) => pair.action === action).length;
      const left = report.findings.filter(({ level }) => level !== 'note').length;
      const unchanged = readFileSync(out).equals(readFileSync(again));
      row.push(`${report.errors_before}, ${report.warnings_before}`, ['kept', 'moved', 'removed', 'added'].map(count).join(', '),
        left === 0 ? 'clean' : `${left} left`, errorOf(report), report.seconds.toFixed(2), scales.cell, weights.cell,
        unchanged ? 'same bytes' : 'CHANGED');
      const codes = weights.same + weights.folded + weights.computed + report.weights_anew.length >= weights.all;
      if (!scales.right || !codes || left > 0 || !unchanged) process.exitCode = 1;
    } catch (error) {
      row.push(error.message.slice(0, 100));
      process.exitCode = 1;
    }
    console.log(`| ${row.join(' | ')} |`);
  }
