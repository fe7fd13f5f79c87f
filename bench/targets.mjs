// Quantizes every network that has labels here for every engine, in one pass each. Prints a table: error, score, share
// of the MACs in INT8, findings of `lint`, and whether ONNX Runtime, which runs the arithmetic of all of them, loads
// the file. Files for DLA are float models and stay out.
//
//   node bench/targets.mjs DETENT SHARED [NETWORK...]
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openSession} from '../tests/onnxruntime/engine.mjs';
import {labelledNetworks} from './labelled_networks.mjs';

const [detent, shared, ...only] = process.argv.slice(2);
if (!shared || !existsSync(join(shared, 'models/cifar10_resnet18'))) {
  console.error('usage: node bench/targets.mjs DETENT SHARED [NETWORK...]');
  process.exit(2);
}

// The rows of the table: engine and type of activations.
const ROWS = [{targets: ['tensorrt', 'onnxruntime', 'openvino', 'qnn'], words: []},
  {targets: ['qnn'], words: ['--activation', 'uint16']}];
const folder = mkdtempSync(join(tmpdir(), 'targets-'));

/** Runs detent; its exit code says what it found, and only an error of use is one here. */
function run(...words) {
  try {
    execFileSync(detent, words, {stdio: ['ignore', 'ignore', 'pipe']});
  } catch (error) {
    if (error.status !== 1) throw new Error(`${words.join(' ')}: ${error.stderr}`);
  }
}

/** Returns how many findings of each level `lint` has. */
function findings(file, target) {
  const report = join(folder, 'lint.json');
  run('lint', file, '--target', target, '--json', report, '--overwrite');
  const {findings: all} = JSON.parse(readFileSync(report, 'utf8'));
  return ['error', 'warning'].map(level => all.filter(one => one.level === level).length).join(', ');
}

async function loads(file) {
  try {
    await (await openSession(file, 'all')).release();
    return 'yes';
  } catch (error) {
    return `no: ${String(error.message).slice(0, 80)}`;
  }
}

/** Prints the rows of one network for these targets. */
async function print(name, {options}, {targets, words}) {
  const several = targets.length > 1;
  const out = join(folder, 'x.onnx'), report = join(folder, 'report.json');
  const chosen = targets.flatMap(target => ['--target', target]);
  run('quantize', ...options, ...chosen, ...words, '--max-drop', '100', '--accept-broken', '--quiet', '--overwrite',
    '-o', out, '--report', report);
  const document = JSON.parse(readFileSync(report, 'utf8'));
  for (const [i, target] of targets.entries()) {
    const {bound, error, coverage, verdict, seconds} = several ? document.targets[i] : document;
    const file = several ? join(folder, `x.${target}.onnx`) : out;
    const share = 100 * coverage.int8_macs / coverage.macs;
    console.log(`| ${name} | ${[target, ...words.slice(1)].join(' ')} | ${error.sqnr_db.toFixed(1)} | ` +
      `${bound.fp32.toFixed(4)} -> ${bound.reached.toFixed(4)} ${bound.metric} | ${verdict} | ${share.toFixed(1)} | ` +
      `${findings(file, target)} | ${await loads(file)} | ${seconds.toFixed(1)} |`);
  }
}

const {networks, folder: samples} = labelledNetworks(shared);
console.log('| network | target | SQNR dB | score | verdict | INT8 MACs % | lint errors, warnings | loads | s |\n' +
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, network] of Object.entries(networks))
  if (only.length === 0 || only.includes(name)) for (const row of ROWS) await print(name, network, row);
rmSync(samples, {recursive: true});
rmSync(folder, {recursive: true});
