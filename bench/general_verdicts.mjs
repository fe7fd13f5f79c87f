// Quantizes seven networks that are no detectors in many ways and lays the verdict, which needs no labels, beside the
// true loss of the score. Prints a table, and how often a verdict is wrong on the networks that the limits were fitted
// to and on the others.
//
//   node bench/general_verdicts.mjs DETENT SHARED [NETWORK...]
import {existsSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {labelledNetworks} from './labelled_networks.mjs';
import {grading, reportOf, wrongVerdicts} from './verdicts.mjs';

const [detent, shared, ...only] = process.argv.slice(2);
if (!shared || !existsSync(join(shared, 'models/cifar10_resnet18'))) {
  console.error('usage: node bench/general_verdicts.mjs DETENT SHARED [NETWORK...]');
  process.exit(2);
}

const {networks: all, folder} = labelledNetworks(shared);
const NETWORKS = Object.fromEntries(Object.entries(all).filter(([, network]) => !network.detector));
const RANGES = ['max', 'percentile:99.9', 'percentile:99', 'percentile:97', 'entropy', 'mse'];
const VARIANTS = ['tensorrt', 'onnxruntime'].flatMap(target => [
  ...RANGES.map(one => ['--calibrator', one]), ['--calibrator', 'max', '--format', 'per-tensor=on'],
  ['--accuracy', 'fast', '--format', 'weight-bits=7']].map(options => ['--target', target, ...options]))
  .concat([['--calibrator', 'percentile:95'], [], ['--type', 'int4'], ['--type', 'int4', '--block', 'channel']]);

// Shares of the score, as for detectors: .0125 and .055 of a mAP of .63.
const grade = grading(0.02, 0.09);

/** Returns what the report of one variant says; undefined where it cannot be made, or nothing is quantized. */
function measure(name, variant) {
  const {options, judged, fitted = false} = NETWORKS[name];
  const command = variant.includes('int4') ? 'quantize-weights' : 'quantize';
  const report = reportOf(detent, [...options, '--max-drop', '100', ...variant], command);
  if (!report?.verdict) return undefined;
  const {fp32, reached, metric} = report.bound;
  const loss = metric === 'nats' ? reached - fp32 : fp32 - reached;
  // A label can change its verdict only where the class changes: the standard error is at most that of these.
  const error = judged ? Math.sqrt((1 - report.error.argmax_agreement) / judged) : 0;
  const truths = [...new Set([-1, 0, 1].map(side => grade((loss + side * error) / fp32)))];
  return {name, fitted, variant: variant.join(' ') || '(defaults)', loss, error, verdict: report.verdict, truths,
    reason: report.verdict_reasons[0]};
}

const rows = [];
console.log('| network | options | loss | verdict | by its loss | because |\n| --- | --- | --- | --- | --- | --- |');
for (const name of Object.keys(NETWORKS).filter(one => only.length === 0 || only.includes(one)))
  for (const variant of VARIANTS) {
    const row = measure(name, variant);
    if (!row) continue;
    rows.push(row);
    console.log(`| ${name} | ${row.variant} | ${row.loss.toFixed(4)} ± ${row.error.toFixed(4)} | ${row.verdict} | ` +
      `${row.truths.join(' or ')} | ${row.reason} |`);
  }
rmSync(folder, {recursive: true});
for (const fitted of [true, false])
  console.log(`\n${fitted ? 'Fitted to' : 'Others'}: ${wrongVerdicts(rows.filter(row => row.fitted === fitted))}`);
