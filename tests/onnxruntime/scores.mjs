// npm run scores [-- MODEL ...] [--check]: the whole table, every candidate of --calibrator auto and both targets on the
// whole evaluation sets, as Markdown; the last column says what auto took. With --check, exit 1 where a bound of
// models.mjs is missed. Takes tens of minutes for all models.
import { parseArgs } from 'node:util';
import { candidates, levelOf, missing, modelNamed, models } from './models.mjs';
import { cell, chosenByAuto, measure, openEvaluation, printHeader, printRow } from './measured.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const chosen = positionals.length > 0 ? positionals.map((name) => modelNamed(name)) : models;
const misses = [];

// The candidates for which models.mjs promises something; the other percentiles clip some models too much or too little.
const bounded = ['max', 'entropy', 'mse', 'percentile:99.99'];

// How far below the best calibrator's score that of the one auto takes may lie: 32 samples without labels cannot tell
// calibrators apart whose scores differ by the noise of a set of 400 images, of which some 2 % change sides:
// 2 sqrt(.02 / 400) = 1.4 points.
const mayMiss = 0.015;

function hold(ok, sentence) {
  if (!ok) misses.push(sentence);
}

async function scoreModel(model) {
  const evaluation = await openEvaluation(model, 'detent');
  const { fp32 } = evaluation;
  if (model.fp32) hold(Math.abs(fp32 - model.fp32) <= 0.0025, `${model.name} FP32 ${fp32}, known ${model.fp32}`);
  for (const target of Object.keys(levelOf)) {
    const cells = [];
    const scores = {};
    for (const calibrator of candidates) {
      const measured = await measure(evaluation, target, calibrator);
      scores[calibrator] = measured.score;
      cells.push(cell(measured));
    }
    const auto = await chosenByAuto(model, target);
    for (const calibrator of new Set([...bounded, auto])) {
      const score = scores[calibrator];
      hold(score >= (model.atLeast ?? 0), `${model.name} ${target} ${calibrator} ${score} < ${model.atLeast}`);
    }
    const best = Math.max(...Object.values(scores));
    hold(best >= (model.bestAtLeast ?? 0), `${model.name} ${target} best ${best} < ${model.bestAtLeast}`);
    hold(scores[auto] >= best - mayMiss, `${model.name} ${target} auto takes ${auto} ${scores[auto]}, best ${best}`);
    const won = `${(100 * scores[auto]).toFixed(2)} ${auto}`;
    printRow([model.name, model.metric, (100 * fp32).toFixed(2), target, ...cells, won]);
  }
}

printHeader(['model', 'metric', 'FP32', 'target', ...candidates, 'auto takes']);
for (const model of chosen) {
  const reason = missing(model);
  if (reason) console.error(`skipped ${model.name}: ${reason}`);
  else await scoreModel(model);
}
misses.forEach((sentence) => console.error(`missed: ${sentence}`));
process.exitCode = values.check && misses.length > 0 ? 1 : 0;
