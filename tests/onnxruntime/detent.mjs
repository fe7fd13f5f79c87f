// Runs the program under test (environment DETENT, else the release build) and returns its output.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './models.mjs';
import { everyNth, readNpy, writeNpy } from './npy.mjs';
import { identityModel, readModel } from './onnx_file.mjs';

const program = process.env.DETENT ?? join(root, 'build/release/detent');

export const workFolder = mkdtempSync(join(tmpdir(), 'detent-onnxruntime-'));
process.on('exit', () => rmSync(workFolder, { recursive: true, force: true }));

let folders = 0;
export function freshFolder() {
  const folder = join(workFolder, String(folders++));
  mkdirSync(folder);
  return folder;
}

// {stdout, stderr}; throws with the program's own message when it fails.
async function execute(file, args) {
  try {
    return await promisify(execFile)(file, args, { maxBuffer: 1 << 28 });
  } catch (error) {
    const command = [file, ...args.slice(0, 12)].join(' ');
    throw new Error(`${command} ... exit ${error.code}\n${error.stdout}${error.stderr}`);
  }
}

export const detent = (...args) => execute(program, args);

const preprocessing = (model) => (model.preprocess ? ['--preprocess', model.preprocess] : []);

// Every output of `detent run`: {name as in its file name: {type, dims, data}}.
async function run(file, args) {
  const folder = join(freshFolder(), 'out');
  await detent('run', file, '-o', folder, '--quiet', ...args);
  return Object.fromEntries(readdirSync(folder).map((entry) =>
    [entry.replace(/\.npy$/, ''), readNpy(join(folder, entry))]));
}

const remembered = new Map();

// Returns the first result of `make` for this key, so that several tests of a process share it.
export function once(key, make) {
  const text = JSON.stringify(key);
  if (!remembered.has(text)) remembered.set(text, make());
  return remembered.get(text);
}

// Writes the samples of an evaluation set ({files}, {stack, stride} or {source}), preprocessed for the model, as one
// stack on disk for each input, once. Returns {input: path}.
export function writeInputs(model, set, ...more) {
  const { files, stack, stride, source } = set;
  return once(['inputs', model.file, model.preprocess, files, stack, stride, source, more],
    () => writeNewInputs(model, set, more));
}

// An Identity model of the same inputs makes `detent run` write them.
async function writeNewInputs(model, set, more) {
  const folder = freshFolder();
  const identity = join(folder, 'identity.onnx');
  const { inputs } = readModel(model.file);
  writeFileSync(identity, identityModel(inputs));
  const out = join(folder, 'out');
  await detent('run', identity, '-o', out, '--quiet', ...sourceOf(folder, set), ...preprocessing(model), ...more);
  return Object.fromEntries(inputs.map(({ name }, index) => [name, join(out, `samples_${index}.npy`)]));
}

// Returns the path of the only input's samples.
export const writeSamples = async (model, set) => only(await writeInputs(model, set));

// {source}: anything that --data takes.
function sourceOf(folder, set) {
  if (set.source) return ['--data', set.source];
  return set.stack ? ['--data', set.stack, '--shard', `1/${set.stride}`] : ['--data', writeList(folder, set.files)];
}

// Absolute paths stay what they are when joined to the list's folder.
function writeList(folder, files) {
  const list = join(folder, 'files.txt');
  writeFileSync(list, `${files.join('\n')}\n`);
  return list;
}

// `detent run` of a file over a stack of samples.
export const runOver = (file, stack) => run(file, ['--data', stack]);

// `detent run` of a file with one stack for each of several inputs.
export const runWith = (file, stacks, ...more) =>
  run(file, [...Object.entries(stacks).flatMap(([input, path]) => ['--data', `${input}=${path}`]), ...more]);

// The single output of a run.
export const only = (outputs) => Object.values(outputs)[0];

// Returns the calibration data of a model, or the few samples of float_models.mjs.
export const calibrationOf = (model) => [...(model.samples ? sourceOf(freshFolder(), model.samples()) : ['--data', model.calibration]),
  ...preprocessing(model)];

// The table of that data, for every target, calibrator and policy; made once.
const tableOf = (model) => once(['table', model.file, model.name], async () => {
  const file = join(freshFolder(), 'table.dct');
  await detent('calibrate', model.file, '-o', file, '--quiet', ...calibrationOf(model));
  return file;
});

const costs = new Map();

// Returns the seconds that making a quantized file took: {wall, cpu}; cpu is user and system time of all its threads.
export const costOf = (file) => costs.get(file);

// calibrator  '' for the default.
async function quantize(model, target, calibrator, args) {
  const file = join(freshFolder(), 'model.int8.onnx');
  const begin = performance.now();
  const { stdout } = await execute('sh', ['-c', '"$0" "$@" && times', program, 'quantize', model.file, '-o', file, '--quiet',
    '--accept-broken', '--target', target, ...(calibrator ? ['--calibrator', calibrator] : []),
    `--json=${reportOf(file)}`, ...args]);
  costs.set(file, { wall: (performance.now() - begin) / 1000, cpu: childSeconds(stdout) });
  return file;
}

// The last line of the shell's `times` is the user and system time of its commands: "0m1.25s 0m0.03s".
const childSeconds = (stdout) => [...stdout.trim().split('\n').at(-1).matchAll(/(\d+)m([\d.]+)s/g)]
  .reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);

// Path of the model quantized for a target from its calibration data.
export const quantizedFromData = (model, target, calibrator, ...more) =>
  once(['from data', model.file, model.name, target, calibrator, more],
    () => quantize(model, target, calibrator, [...calibrationOf(model), ...more]));

// Returns the same file made from its table, with the same bytes (agreement.test.mjs).
export const quantized = (model, target, calibrator = 'entropy', ...more) =>
  once(['quantized', model.file, model.name, target, calibrator, more],
    async () => quantize(model, target, calibrator, ['--table', await tableOf(model), ...more]));

// Path of the model cast to a 16-bit type, without pairs.
export const castTo = (model, type) => once(['cast', model.file, model.name, type], async () => {
  const file = join(freshFolder(), `model.${type}.onnx`);
  await detent('cast', model.file, '-o', file, '--quiet', '--float-type', type, '--json', reportOf(file),
    ...calibrationOf(model));
  return file;
});

// Returns the path of the report of such a file.
export const reportOf = (file) => `${file}.json`;

// A stack's every stride-th sample, as a file.
function writePart(folder, path, stride) {
  if (stride === 1) return path;
  const part = join(folder, basename(path));
  writeNpy(part, everyNth(readNpy(path), stride));
  return part;
}

// Returns an evaluation set as --eval takes it, with the labels, masks or metric of its outputs.
function evaluationOf(folder, set) {
  if (!set.stack) return ['--eval', writeList(folder, set.files), ...judgesOf(folder, set)];
  const truth = writePart(folder, set.truth, set.stride);
  return ['--eval', writePart(folder, set.stack, set.stride), '--metric-command',
    `node '${join(root, 'tests/onnxruntime/occupancy_iou.mjs')}' '${truth}'`];
}

const judgesOf = (folder, set) => (set.masks ? ['--masks', set.masks] : ['--labels', writeLabels(folder, set)]);

// The report of `detent compare` on an evaluation set.
export async function compared(model, set, target, calibrators, ...more) {
  const folder = freshFolder();
  const report = join(folder, 'report.json');
  await detent('compare', model.file, '--data', model.calibration, ...preprocessing(model), ...evaluationOf(folder, set),
    '--target', target, '--calibrators', calibrators.join(','), '--json', report, '--quiet', ...more);
  return JSON.parse(readFileSync(report, 'utf8'));
}

// Returns the path of the model quantized for a target under a bound on an evaluation set; reportOf() gives its
// report.
export async function boundTo(model, set, target, ...more) {
  const folder = freshFolder();
  const file = join(folder, 'model.int8.onnx');
  await detent('quantize', model.file, '-o', file, '--quiet', '--accept-broken',
    '--data', model.calibration, ...preprocessing(model), '--target',
    target, ...evaluationOf(folder, set), `--json=${reportOf(file)}`, ...more);
  return file;
}

function writeLabels(folder, { files, labels }) {
  const path = join(folder, 'labels.csv');
  writeFileSync(path, `file,label\n${files.map((file, index) => `"${file}",${labels[index]}\n`).join('')}`);
  return path;
}

export async function plan(model, target, ...more) {
  return JSON.parse((await detent('plan', model.file, '--target', target, '--json', ...more)).stdout);
}

// Returns {closing, failures} of `detent verify` over many folders; failures are the lines of models that did not
// pass.
export async function verify(dirs, ...options) {
  let text;
  try {
    text = (await detent('verify', ...dirs, ...options)).stdout;
  } catch (error) {
    text = error.message;
  }
  const lines = text.trim().split('\n');
  const closing = lines.find((line) => /\d+ passed, \d+ failed, \d+ unsupported/.test(line)) ?? '';
  return { closing, text };
}
