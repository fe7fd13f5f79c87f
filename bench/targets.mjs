// Quantizes every network here for every engine, with 8-bit and with 16-bit activations. Prints a row for each network:
// SQNR, score, verdict if it is not good, the share of the MACs in INT8 or INT16 if it is not all, and whether ONNX
// Runtime, which runs the arithmetic of all engines, does not load the file. For DLA the file is the float model, with
// the number of scales in its cache and of layers that its arguments leave to the GPU. A last table names the findings
// of `lint` and the refusals. The options of `detent quantize` in MORE follow each of its calls.
//
//   node bench/targets.mjs DETENT SHARED [NETWORK...] [-- MORE...]
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openSession} from '../tests/onnxruntime/engine.mjs';
import {labelledNetworks} from './labelled_networks.mjs';
import {unlabelledNetworks} from './unlabelled_networks.mjs';

const [detent, shared, ...rest] = process.argv.slice(2);
if (!shared || !existsSync(join(shared, 'models/cifar10_resnet18'))) {
  console.error('usage: node bench/targets.mjs DETENT SHARED [NETWORK...] [-- MORE...]');
  process.exit(2);
}
const [only, more] = rest.includes('--') ? [rest.slice(0, rest.indexOf('--')), rest.slice(rest.indexOf('--') + 1)]
  : [rest, []];

// The columns of the table, a pass over the samples each row: engines and type of activations.
const PASSES = [{targets: ['tensorrt', 'onnxruntime', 'openvino', 'qnn', 'tensorrt:dla'], words: []},
  {targets: ['onnxruntime', 'qnn'], words: ['--activation', 'uint16']}];
const columnOf = (target, words) => [target, ...words.slice(1)].join(' ');
const folder = mkdtempSync(join(tmpdir(), 'targets-'));
const remarks = new Map();  // column and remark -> networks

function remark(column, text, network) {
  const key = `${column} | ${text}`;
  remarks.set(key, [...remarks.get(key) ?? [], network]);
}

/** Runs detent; its exit code says what it found, and only an error of use is one here. */
function run(...words) {
  try {
    execFileSync(detent, words, {stdio: ['ignore', 'ignore', 'pipe']});
  } catch (error) {
    if (error.status !== 1) throw new Error(String(error.stderr).replaceAll(folder, '').trim());
  }
}

/** Remarks the errors and warnings of `lint`. */
function lint(file, target, column, network) {
  const report = join(folder, 'lint.json');
  run('lint', file, '--target', target, '--json', report, '--overwrite');
  const {findings} = JSON.parse(readFileSync(report, 'utf8'));
  for (const {level, id} of findings.filter(one => one.level !== 'note')) remark(column, `${level} ${id}`, network);
}

async function loads(file) {
  try {
    await (await openSession(file, 'all')).release();
    return [];
  } catch (error) {
    return [`does not load: ${String(error.message).slice(0, 200)}`];
  }
}

const scoreOf = bound => bound ? [`${bound.reached.toFixed(4)} ${bound.metric}`] : [];
const verdictOf = verdict => verdict && verdict !== 'good' ? [verdict] : [];

/** Returns the share of the MACs that is not float; empty if it is all of them. */
function shareOf({int8_macs: coded, macs}) {
  return coded === macs ? [] : [`${(100 * coded / macs).toFixed(1)} % of MACs`];
}

/** Returns what the cache and the arguments for trtexec say. */
function dlaWords(file) {
  const lines = ending => readFileSync(file.replace(/onnx$/, ending), 'utf8').trim().split('\n');
  const devices = lines('dla.txt').find(line => line.startsWith('--layerDeviceTypes=')) ?? '';
  return [`${lines('cache').length - 1} scales`, `${devices.split(':GPU').length - 1} layers on the GPU`];
}

/** Returns the cell of one file. */
async function cell(network, column, target, file, {bound, error, coverage, verdict}) {
  if (target !== 'tensorrt:dla') lint(file, target, column, network);
  const sqnr = error.sqnr_db === null ? 'exact' : `${error.sqnr_db.toFixed(1)} dB`;
  return [sqnr, ...scoreOf(bound), ...verdictOf(verdict), ...shareOf(coverage),
    ...target === 'tensorrt:dla' ? dlaWords(file) : [], ...await loads(file)].join(', ');
}

/** Returns the cells of one network for these targets. */
async function cells(network, {options}, {targets, words}) {
  const out = join(folder, 'x.onnx'), report = join(folder, 'report.json');
  const bounded = options.some(word => /^--(labels|masks|next-token|metric-command)$/.test(word));
  run('quantize', ...options, ...targets.flatMap(target => ['--target', target]), ...words,
    ...bounded ? ['--max-drop', '100'] : [], ...more, '--accept-broken', '--quiet', '--overwrite', '-o', out,
    `--json=${report}`);
  const document = JSON.parse(readFileSync(report, 'utf8'));
  const several = targets.length > 1, reports = several ? document.targets : [document];
  const all = [];
  for (const [i, target] of targets.entries())
    all.push(await cell(network, columnOf(target, words), target,
      several ? join(folder, `x.${target.replace(':', '-')}.onnx`) : out, reports[i]));
  return {all, fp32: reports[0].bound};
}

/** Returns the cells of one network in one pass, or where that is refused, target by target. */
async function cellsOf(network, given, pass) {
  try {
    return await cells(network, given, pass);
  } catch (error) {
    if (pass.targets.length > 1) {
      const parts = [];
      for (const target of pass.targets) parts.push(await cellsOf(network, given, {...pass, targets: [target]}));
      return {all: parts.flatMap(part => part.all), fp32: parts.find(part => part.fp32)?.fp32};
    }
    remark(columnOf(pass.targets[0], pass.words), `refused: ${error.message.split('\n')[0]}`, network);
    return {all: ['refused']};
  }
}

const {networks: labelled, folder: samples} = labelledNetworks(shared);
const networks = Object.entries({...labelled, ...unlabelledNetworks(shared)});
const columns = PASSES.flatMap(({targets, words}) => targets.map(target => columnOf(target, words)));
console.log(`| network, FP32 | ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length + 1)}`);
for (const [name, network] of networks.filter(([name]) => only.length === 0 || only.includes(name))) {
  const parts = [];
  for (const pass of PASSES) parts.push(await cellsOf(name, network, pass));
  const {fp32} = parts[0];
  const label = fp32 ? `${name}, ${fp32.fp32.toFixed(4)} ${fp32.metric}` : name;
  console.log(`| ${label} | ${parts.flatMap(part => part.all).join(' | ')} |`);
}
console.log('\n| target | finding or refusal | networks |\n| --- | --- | --- |');
for (const [key, found] of remarks) console.log(`| ${key} | ${[...new Set(found)].join('; ')} |`);
rmSync(samples, {recursive: true});
rmSync(folder, {recursive: true});
