// CPU time of `detent quantize` with its defaults over that with `--accuracy fast`, one thread, for every network here
// with all its calibration samples and for both engines. The samples to judge on are left out, because only a bound
// needs them.
//
//   node bench/quantize_cost.mjs DETENT SHARED [NETWORK...]
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {labelledNetworks} from './labelled_networks.mjs';
import {unlabelledNetworks} from './unlabelled_networks.mjs';

const [detent, shared, ...only] = process.argv.slice(2);
if (!shared) {
  console.error('usage: node bench/quantize_cost.mjs DETENT SHARED [NETWORK...]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'cost-'));

/** Returns the options without those of an evaluation, each with the words behind it. */
function withoutEvaluation(options) {
  const parts = options.reduce((all, word) => {
    if (word.startsWith('--')) all.push([word]);
    else all.at(-1).push(word);
    return all;
  }, [[]]);
  return parts.filter(([option]) => !/^--(limit|eval|eval-limit|labels|masks|metric-command|next-token)$/.test(option ?? '')).flat();
}

/** Returns user and system time of a command in seconds. */
function cpuTime(words) {
  const {status, stderr} = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'time', ...words], {encoding: 'utf8'});
  if (status > 1) throw new Error(stderr);
  return stderr.trim().split('\n').at(-1).split(' ').reduce((sum, part) => sum + Number(part), 0);
}

console.log('| network | target | fast | default / fast |\n| --- | --- | --- | --- |');
const {networks, folder: samples} = labelledNetworks(shared);
for (const [name, {options}] of Object.entries({...networks, ...unlabelledNetworks(shared)})) {
  if (only.length > 0 && !only.includes(name)) continue;
  for (const target of ['tensorrt', 'onnxruntime']) {
    const call = accuracy => cpuTime([detent, 'quantize', ...withoutEvaluation(options), '--target', target, '--accuracy', accuracy, '--threads', '1',
      '--accept-broken', '--quiet', '--overwrite', '-o', join(folder, 'x.onnx')]);
    const [fast, balanced] = ['fast', 'balanced'].map(call);
    console.log(`| ${name} | ${target} | ${fast.toFixed(2)} s | ${(balanced / fast).toFixed(2)} |`);
  }
}
for (const made of [folder, samples]) rmSync(made, {recursive: true});
