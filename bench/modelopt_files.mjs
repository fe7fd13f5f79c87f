// node bench/modelopt_files.mjs DETENT SHARED FOLDER
//
// Writes files for bench/repair_table.mjs with pairs where NVIDIA Model-Optimizer puts them (SHARED/reference/peers/
// modelopt_placement), on the float models of SHARED. Activations have the scale amax / 127 over four samples, weights
// one for each output channel, between QuantizeLinear and DequantizeLinear of floats.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNpy } from '../tests/onnxruntime/npy.mjs';
import { integer, message, parse, readModel, tensorProto, withAllOutputs } from '../tests/onnxruntime/onnx_file.mjs';

const [program, shared, folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node bench/modelopt_files.mjs DETENT SHARED FOLDER');
const imagenet = 'unit,mean=.485/.456/.406,std=.229/.224/.225';
const MODELS = {
  cifar10_resnet18__model_opset17: ['--data', `${shared}/images/cifar10/calib`, '--preprocess',
    'unit,mean=.4914/.4822/.4465,std=.2470/.2435/.2616', '--limit', '16'],
  shapes_unet__model_opset13: ['--data', `${shared}/models/shapes_unet/calib`, '--preprocess', imagenet, '--limit', '16'],
  occupancy3d__model_opset13: ['--data', `${shared}/models/occupancy3d/calib`, '--limit', '8'],
  conv3d_mini__legacy_opset13: ['--data', 'random:normal,n=8'],
};
const work = mkdtempSync(join(tmpdir(), 'modelopt-files-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

// {value: largest |x|} of the named values over four samples.
function reaches(model, values, data) {
  const file = join(work, 'all.onnx'), out = join(work, 'out');
  writeFileSync(file, withAllOutputs(model, (name) => values.has(name)));
  const limited = [...data.slice(0, data.indexOf('--limit') < 0 ? data.length : data.indexOf('--limit')), '--limit', '4'];
  execFileSync(program, ['run', file, '-o', out, '--quiet', '--overwrite', ...limited], { stdio: 'pipe' });
  const plain = (name) => name.replace(/[^A-Za-z0-9]/g, '');
  const files = new Map(readdirSync(out).map((entry) => [plain(entry.replace(/\.npy$/, '')), join(out, entry)]));
  const amax = (name) => readNpy(files.get(plain(name))).data.reduce((most, x) => Math.max(most, Math.abs(Number(x))), 0);
  const found = new Map([...values].filter((name) => files.has(plain(name))).map((name) => [name, amax(name)]));
  rmSync(out, { recursive: true });
  return found;
}

const node = (op, name, inputs, output, attributes = []) => message(1, ...inputs.map((input) => message(1, input)),
  message(2, output), message(3, name), message(4, op), ...attributes);
const axisOf = (axis) => [message(5, message(1, 'axis'), integer(3, axis), integer(20, 2))];

// Q/DQ nodes and constants behind a value: [fields of the graph].
function pair(value, scales, axis) {
  const dims = scales.length === 1 && axis === undefined ? [] : [scales.length];
  const attributes = axis === undefined ? [] : axisOf(axis);
  return [message(5, tensorProto(`${value}_s`, { type: 'float32', dims, data: Float32Array.from(scales) })),
    message(5, tensorProto(`${value}_z`, { type: 'int8', dims, data: new Int8Array(scales.length) })),
    node('QuantizeLinear', `${value}_Q`, [value, `${value}_s`, `${value}_z`], `${value}_q`, attributes),
    node('DequantizeLinear', `${value}_DQ`, [`${value}_q`, `${value}_s`, `${value}_z`], `${value}_dq`, attributes)];
}

// One scale for each channel of a float weight; undefined for weights without raw data.
function channelScales(raw, axis) {
  const fields = parse(parse(raw)[0].value);
  const dims = fields.filter((f) => f.number === 1).map((f) => Number(f.value));
  const data = fields.find((f) => f.number === 9)?.value;
  if (!data || dims.length < 2) return undefined;
  const weights = new Float32Array(new Uint8Array(data).buffer), inner = dims.slice(axis + 1).reduce((a, b) => a * b, 1);
  const amax = new Float32Array(dims[axis]);
  weights.forEach((w, i) => (amax[Math.floor(i / inner) % dims[axis]] = Math.max(amax[Math.floor(i / inner) % dims[axis]], Math.abs(w))));
  return Array.from(amax, (x) => (x || 127) / 127);
}

function placed(model, edges, amax) {
  const read = new Map(edges.filter(([, , , value, kind]) => kind === 'pair' && amax.get(value) > 0)
    .map(([, name, slot, value]) => [`${name} ${slot}`, value]));
  const before = new Map(), rewired = new Map();  // fields in front of a node; its inputs
  const done = new Set();
  const put = (at, value, fields) => (done.has(value) ? 0 : (done.add(value), before.set(at, [...(before.get(at) ?? []), ...fields])));
  for (const one of model.nodes) {
    const inputs = one.inputs.map((input, slot) => {
      const value = read.get(`${one.name} ${slot}`);
      if (value !== input) return input;
      put(one.name, value, pair(value, [amax.get(value) / 127]));
      return `${value}_dq`;
    });
    const axis = one.op === 'ConvTranspose' ? 1 : 0;
    const scales = /^Conv/.test(one.op) && inputs[0] !== one.inputs[0] && model.initializers.has(one.inputs[1])
      ? channelScales(model.initializers.get(one.inputs[1]), axis) : undefined;
    if (scales) put(one.name, one.inputs[1], pair(one.inputs[1], scales, axis)), (inputs[1] = `${one.inputs[1]}_dq`);
    rewired.set(one.name, inputs);
  }
  const graph = model.graph.flatMap((field) => {
    if (field.number !== 1) return [field.raw];
    const parts = parse(field.value), name = new TextDecoder().decode(parts.find((part) => part.number === 3)?.value ?? new Uint8Array());
    const rest = parts.filter((part) => part.number !== 1).map((part) => part.raw);
    return [...(before.get(name) ?? []), message(1, ...(rewired.get(name) ?? []).map((input) => message(1, input)), ...rest)];
  });
  const other = model.fields.filter((f) => f.number !== 7 && f.number !== 2).map((f) => f.raw);
  return Buffer.concat([...other, message(2, 'modelopt placement'), message(7, ...graph)]);
}

mkdirSync(folder, { recursive: true });
for (const [name, data] of Object.entries(MODELS)) {
  const [model, file] = name.split('__');
  const path = ['models', 'exports'].map((kind) => join(shared, kind, model, `${file}.onnx`)).find(existsSync);
  const { edges } = JSON.parse(readFileSync(join(shared, 'reference/peers/modelopt_placement', `${name}.json`), 'utf8'));
  const float = readModel(path);
  const values = new Set(edges.filter((edge) => edge[4] === 'pair').map((edge) => edge[3]));
  const inputs = float.inputs.map((input) => input.name).filter((input) => values.has(input));
  const amax = reaches(float, values, data);
  for (const input of inputs) amax.set(input, 3);  // normalized inputs; not an output of a run
  writeFileSync(join(folder, `modelopt_${model}.onnx`), placed(float, edges, amax));
  writeFileSync(join(folder, `modelopt_${model}.args`), `${data.join('\n')}\n`);
}
