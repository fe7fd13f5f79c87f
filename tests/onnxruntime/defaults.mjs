// npm run defaults [-- MODEL...]: what each level of --accuracy is worth, with no calibrator named: score and SQNR on the whole
// evaluation set in ONNX Runtime, agreement with FP32, seconds. With --samples 16,64 calibrated with that many too; with --zoo the
// networks of other people: auto beside the best calibrator that can be named, by 'detent compare'.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detent, freshFolder, only, quantizedFromData, reportOf } from './detent.mjs';
import { runModel } from './engine.mjs';
import { openEvaluation, printHeader, printRow } from './measured.mjs';
import { candidates, levelOf, missing, models, shared } from './models.mjs';
import { decisionsOf, sqnr } from './score.mjs';

const options = process.argv.slice(2);
const named = options.filter((option) => !option.startsWith('--') && !/^\d/.test(option));
const counts = options.includes('--samples') ? options[options.indexOf('--samples') + 1].split(',') : [];

// Share of decisions that are as in FP32.
function agreement(reference, output) {
  const [expected, found] = [decisionsOf(reference), decisionsOf(output)];
  return expected.reduce((same, value, i) => same + (value === found[i]), 0) / expected.length;
}

async function rowOf(set, target, level, limit) {
  const { model, inputs, reference, fp32 } = set;
  const file = await quantizedFromData(model, target, '', '--accuracy', level,
    ...(limit ? ['--shuffle', '1', '--limit', limit] : []));
  const { calibrator, seconds, verdict } = JSON.parse(readFileSync(reportOf(file), 'utf8'));
  const output = only(await runModel(file, inputs, levelOf[target]));
  printRow([model.name, target, level, limit ?? 'all', calibrator, (100 * fp32).toFixed(2),
    (100 * set.set.score(output)).toFixed(2), `${sqnr(reference, output).toFixed(1)} dB`,
    `${(100 * agreement(reference, output)).toFixed(1)} %`, verdict, `${seconds.toFixed(1)} s`]);
}

async function zooRow(name, target) {
  const folder = join(shared, 'zoo', name);
  const { inputs } = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8'));
  const stacks = (part) => inputs.map((input) => `${input}=${join(folder, `${part}__${input}.npy`)}`);
  const json = join(freshFolder(), 'compare.json');
  await detent('compare', join(folder, 'model.onnx'), '--quiet', '--target', target, '--json', json,
    '--calibrators', [...candidates, 'auto'].join(','),
    ...stacks('calib').flatMap((source) => ['--data', source]), ...stacks('eval').flatMap((source) => ['--eval', source]));
  const { variants } = JSON.parse(readFileSync(json, 'utf8'));
  const db = (one) => one.metrics.sqnr_db;
  const auto = variants.find((one) => one.calibrator === 'auto');
  const best = variants.filter((one) => one !== auto).reduce((a, b) => (db(b) > db(a) ? b : a));
  printRow([name, target, auto.takes ?? '', db(auto).toFixed(1), best.calibrator, db(best).toFixed(1)]);
}

if (options.includes('--zoo')) {
  printHeader(['network', 'target', 'auto takes', 'dB', 'best', 'dB']);
  for (const name of ['chess', 'gtcrn_simple', 'latentradio_enc', 'pfld'])
    for (const target of Object.keys(levelOf)) if (existsSync(join(shared, 'zoo', name))) await zooRow(name, target);
} else {
  printHeader(['model', 'target', 'level', 'samples', 'calibrator', 'FP32', 'score', 'SQNR', 'agreement', 'verdict', 'time']);
  for (const model of models) {
    if (missing(model) || model.name === 'sample' || (named.length > 0 && !named.includes(model.name))) continue;
    const set = await openEvaluation(model, 'detent');
    for (const target of Object.keys(levelOf)) {
      for (const level of ['fast', 'balanced', 'best']) await rowOf(set, target, level);
      for (const count of counts) await rowOf(set, target, 'balanced', count);
    }
  }
}
