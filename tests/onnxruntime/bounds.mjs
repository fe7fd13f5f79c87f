// npm run bounds [-- CALIBRATOR ...] [--model NAME] [--max-drop 0.005] [--limit 64] [--with off,auto,auto+bias]
// [--check]
// Prints as Markdown which layers `detent quantize --max-drop` keeps float on the whole evaluation set, without
// equalization, with `--equalize auto`, and also with `--policy bias-correction=on`; ONNX Runtime scores each file.
// --check exits 1 if a bound does not hold there, or if equalization keeps as many layers float as none.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { boundTo, only, reportOf } from './detent.mjs';
import { runModel } from './engine.mjs';
import { openEvaluation, printHeader, printRow } from './measured.mjs';
import { levelOf, missing, modelNamed } from './models.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: {
  model: { type: 'string', default: 'cifar10_efficientnet_b0' }, 'max-drop': { type: 'string', default: '0.005' },
  limit: { type: 'string', default: '64' }, with: { type: 'string', default: 'off,auto,auto+bias' },
  check: { type: 'boolean' } } });
const calibrators = positionals.length > 0 ? positionals : ['max', 'percentile:99.9'];
const options = { off: [], auto: ['--equalize', 'auto'], 'auto+bias': ['--equalize', 'auto', '--policy', 'bias-correction=on'] };
const target = 'tensorrt';
const misses = [];

const points = (score) => (100 * score).toFixed(2);

async function row(evaluation, calibrator, settings) {
  const file = await boundTo(evaluation.model, evaluation.set, target, '--max-drop', values['max-drop'], '--limit', values.limit,
    '--calibrator', calibrator, ...options[settings]);
  const { bound, coverage, seconds } = JSON.parse(readFileSync(reportOf(file), 'utf8'));
  const inEngine = evaluation.set.score(only(await runModel(file, evaluation.inputs, levelOf[target])));
  const kept = coverage.layers - coverage.int8_layers;
  printRow([calibrator, settings, points(bound.all_int8), points(bound.reached), points(inEngine), kept, bound.kept.length,
    `${(100 * coverage.int8_macs / coverage.macs).toFixed(1)} %`, seconds.toFixed(0)]);
  const name = `${calibrator} ${settings}`;
  if (bound.met && inEngine < bound.fp32 - Number(values['max-drop']) - 1e-9) misses.push(`${name}: ${points(inEngine)} in the engine`);
  return { kept: bound.kept.length, name };
}

const model = modelNamed(values.model);
const reason = missing(model);
if (reason) {
  console.error(`skipped ${model.name}: ${reason}`);
} else {
  const evaluation = await openEvaluation(model, 'detent');
  console.error(`${model.name}, FP32 ${points(evaluation.fp32)}, --max-drop ${values['max-drop']}`);
  printHeader(['calibrator', 'equalize', 'all INT8', 'reached', 'in ONNX Runtime', 'layers float', 'kept by the bound', 'MACs in INT8', 'seconds']);
  for (const calibrator of calibrators) {
    const rows = [];
    for (const settings of values.with.split(',')) rows.push(await row(evaluation, calibrator, settings));
    const [plain, ...others] = rows;
    for (const { name, kept } of others) if (plain.kept > 0 && kept >= plain.kept) misses.push(`${name}: ${kept} kept, without ${plain.kept}`);
  }
}
misses.forEach((sentence) => console.error(`missed: ${sentence}`));
process.exitCode = values.check && misses.length > 0 ? 1 : 0;
