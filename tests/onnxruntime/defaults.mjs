// npm run defaults [-- MODEL...]: prints for each level of --accuracy, without a named calibrator, score and SQNR on
// the whole evaluation set in ONNX Runtime, agreement with FP32, seconds of `quantize` by the clock and of all
// threads, and these in units of the first row of a model and target. --samples 16,64 also calibrates on that many;
// --zoo adds the zoo's networks: auto beside the best calibrator by 'detent compare'.
//   --levels fast,best         only these
//   --calibrators max,mse      these instead of the levels
//   --outliers keep,clip,drop  each of them; also --equalize off,auto. 'default' passes no option
//   --targets tensorrt         only this one
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { costOf, detent, freshFolder, only, quantizedFromData, reportOf } from './detent.mjs';
import { runModel } from './engine.mjs';
import { openEvaluation, printHeader, printRow } from './measured.mjs';
import { candidates, levelOf, missing, models, shared } from './models.mjs';
import { decisionsOf, sqnr } from './score.mjs';

const list = (value) => ({ type: 'string', default: value });
const { values: options, positionals: named } = parseArgs({ allowPositionals: true, options: {
  samples: list(''), levels: list('fast,balanced,best'), calibrators: list(''), outliers: list('default'),
  equalize: list('default'), targets: list(Object.keys(levelOf).join(',')), zoo: { type: 'boolean' } } });
const listed = (name) => options[name].split(',').filter((one) => one !== '');

// The rows: {level or calibrator, outliers, equalize, count of samples}.
const asked = [
  ...(options.calibrators ? listed('calibrators').map((calibrator) => ({ calibrator }))
    : listed('levels').map((level) => ({ level })))
    .flatMap((one) => listed('outliers').map((outliers) => ({ ...one, outliers })))
    .flatMap((one) => listed('equalize').map((equalize) => ({ ...one, equalize }))),
  ...listed('samples').map((count) => ({ level: 'balanced', outliers: 'default', equalize: 'default', count })),
];

// Returns the share of decisions that are as in FP32.
function agreement(reference, output) {
  const [expected, found] = [decisionsOf(reference), decisionsOf(output)];
  return expected.reduce((same, value, i) => same + (value === found[i]), 0) / expected.length;
}

const isGiven = (value) => value !== undefined && value !== 'default';
const given = (option, value) => (isGiven(value) ? [option, value] : []);
const policy = ({ outliers }) => (isGiven(outliers) ? ['--policy', `outliers=${outliers}`] : []);

// The first row of a model and target is the unit of the last column.
async function rowOf(set, target, { level, calibrator, outliers, equalize, count }, unit) {
  const { model, inputs, reference, fp32 } = set;
  const file = await quantizedFromData(model, target, calibrator ?? '', ...given('--accuracy', level),
    ...policy({ outliers }), ...given('--equalize', equalize), ...(count ? ['--shuffle', '1', '--limit', count] : []));
  const { calibrator: taken, verdict } = JSON.parse(readFileSync(reportOf(file), 'utf8'));
  const { wall, cpu } = costOf(file);
  const output = only(await runModel(file, inputs, levelOf[target]));
  printRow([model.name, target, level ?? calibrator, outliers, equalize, count ?? 'all', taken, (100 * fp32).toFixed(2),
    (100 * set.set.score(output)).toFixed(2), `${sqnr(reference, output).toFixed(1)} dB`,
    `${(100 * agreement(reference, output)).toFixed(1)} %`, verdict, `${wall.toFixed(1)} s`, `${cpu.toFixed(1)} s`,
    (cpu / (unit ?? cpu)).toFixed(1)]);
  return cpu;
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

if (options.zoo) {
  printHeader(['network', 'target', 'auto takes', 'dB', 'best', 'dB']);
  for (const name of ['chess', 'gtcrn_simple', 'latentradio_enc', 'pfld'])
    for (const target of listed('targets')) if (existsSync(join(shared, 'zoo', name))) await zooRow(name, target);
} else {
  printHeader(['model', 'target', 'asked', 'outliers', 'equalize', 'samples', 'calibrator', 'FP32', 'score', 'SQNR', 'agreement',
    'verdict', 'wall', 'CPU', 'CPU / first row']);
  for (const model of models) {
    if (missing(model) || model.name === 'sample' || (named.length > 0 && !named.includes(model.name))) continue;
    const set = await openEvaluation(model, 'detent');
    for (const target of listed('targets')) {
      let unit;
      for (const one of asked) {
        const cpu = await rowOf(set, target, one, unit);
        unit ??= cpu;
      }
    }
  }
}
