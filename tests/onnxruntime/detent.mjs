// Runs the program under test (environment DETENT, else the release build) and hands back what it wrote.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './models.mjs';
import { readNpy } from './npy.mjs';
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
export async function detent(...args) {
  try {
    return await promisify(execFile)(program, args, { maxBuffer: 1 << 28 });
  } catch (error) {
    throw new Error(`detent ${args.slice(0, 12).join(' ')} ... exit ${error.code}\n${error.stdout}${error.stderr}`);
  }
}

const preprocessing = (model) => (model.preprocess ? ['--preprocess', model.preprocess] : []);

// Every output of `detent run`: {name as in its file name: {type, dims, data}}.
async function run(file, args) {
  const folder = join(freshFolder(), 'out');
  await detent('run', file, '-o', folder, '--quiet', ...args);
  return Object.fromEntries(readdirSync(folder).map((entry) =>
    [entry.replace(/\.npy$/, ''), readNpy(join(folder, entry))]));
}

// The samples of an evaluation set ({files}, {stack, shard} or {source}), preprocessed for the model, as one stack on disk
// for each input. Returns {input: path}. An Identity model of the same inputs makes `detent run` write them.
export async function writeInputs(model, set, ...more) {
  const folder = freshFolder();
  const identity = join(folder, 'identity.onnx');
  const { inputs } = readModel(model.file);
  writeFileSync(identity, identityModel(inputs));
  const out = join(folder, 'out');
  await detent('run', identity, '-o', out, '--quiet', ...sourceOf(folder, set), ...preprocessing(model), ...more);
  return Object.fromEntries(inputs.map(({ name }, index) => [name, join(out, `samples_${index}.npy`)]));
}

// Those of a model with one input: the path.
export const writeSamples = async (model, set) => only(await writeInputs(model, set));

// {source}: anything that --data takes.
function sourceOf(folder, set) {
  if (set.source) return ['--data', set.source];
  return set.stack ? ['--data', set.stack, '--shard', set.shard] : ['--data', writeList(folder, set.files)];
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
export const runWith = (file, stacks) =>
  run(file, Object.entries(stacks).flatMap(([input, path]) => ['--data', `${input}=${path}`]));

// The single output of a run.
export const only = (outputs) => Object.values(outputs)[0];

const written = new Map();

// Path of the model quantized for a target; made once per process.
export function quantized(model, target, calibrator = 'entropy', ...more) {
  const key = [model.name, target, calibrator, ...more].join(' ');
  if (!written.has(key)) {
    const file = join(freshFolder(), 'model.int8.onnx');
    written.set(key, detent('quantize', model.file, '-o', file, '--quiet', '--data', model.calibration,
      ...preprocessing(model), '--target', target, '--calibrator', calibrator, '--report', reportOf(file),
      ...more).then(() => file));
  }
  return written.get(key);
}

// Where the report of a file that quantized() wrote lies.
export const reportOf = (file) => `${file}.json`;

// What tells `detent compare` good outputs of a set from bad ones. A truth of packed bits belongs to the whole stack.
function judgesOf(folder, set) {
  if (set.masks) return ['--masks', set.masks];
  if (set.labels) return ['--labels', writeLabels(folder, set)];
  return ['--metric-command', `node '${join(root, 'tests/onnxruntime/occupancy_iou.mjs')}' '${set.truth}'`];
}

// The report of `detent compare` on an evaluation set.
export async function compared(model, set, target, calibrators) {
  const folder = freshFolder();
  const report = join(folder, 'report.json');
  await detent('compare', model.file, '--data', model.calibration, ...preprocessing(model), '--eval',
    set.stack ?? writeList(folder, set.files), ...judgesOf(folder, set), '--target', target, '--calibrators',
    calibrators.join(','), '--json', report, '--quiet');
  return JSON.parse(readFileSync(report, 'utf8'));
}

// Path of the model quantized for a target under a bound on an evaluation set; its report lies where reportOf() says.
export async function boundTo(model, set, target, ...more) {
  const folder = freshFolder();
  const file = join(folder, 'model.int8.onnx');
  await detent('quantize', model.file, '-o', file, '--quiet', '--data', model.calibration, ...preprocessing(model), '--target',
    target, '--eval', set.stack ?? writeList(folder, set.files), ...judgesOf(folder, set), '--report', reportOf(file), ...more);
  return file;
}

function writeLabels(folder, { files, labels }) {
  const path = join(folder, 'labels.csv');
  writeFileSync(path, `file,label\n${files.map((file, index) => `"${file}",${labels[index]}\n`).join('')}`);
  return path;
}

// Path of a model of float_models.mjs quantized on its few samples: enough where the numbers do not matter.
export async function quantizedOnFew(model, target, ...more) {
  if (!model.samples) return quantized(model, target, 'max', ...more);
  const folder = freshFolder();
  const file = join(folder, 'model.int8.onnx');
  await detent('quantize', model.file, '-o', file, '--quiet', ...sourceOf(folder, model.samples()),
    ...preprocessing(model), '--target', target, '--calibrator', 'max', ...more);
  return file;
}

export async function plan(model, target) {
  return JSON.parse((await detent('plan', model.file, '--target', target, '--json')).stdout);
}

// `detent verify` of many folders: {closing, failures}, where failures are the lines that do not say they passed.
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
