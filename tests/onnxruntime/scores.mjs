// npm run scores [-- MODEL ...] [--check]: prints the whole table, every candidate of --calibrator auto and both
// targets on whole evaluation sets, as Markdown; the last column is auto's choice. --check exits 1 if a bound of
// models.mjs is missed. Takes tens of minutes for all models.
import { parseArgs } from 'node:util';
import { candidates, levelOf, missing, modelNamed, models } from './models.mjs';
import { cell, chosenByAuto, measure, openEvaluation, printHeader, printRow } from './measured.mjs';
import { changedArgmax } from './score.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const chosen = positionals.length > 0 ? positionals.map((name) => modelNamed(name)) : models;
const misses = [];

// Candidates with a bound in models.mjs; the other percentiles clip some models too much or too little.
const bounded = ['max', 'entropy', 'mse', 'percentile:99.99'];

function hold(ok, sentence) {
  if (!ok) misses.push(sentence);
}

// Largest difference of the shares of correct answers of two equally good models: two standard deviations if each of
// the k of n samples on which they disagree is a coin toss, 2 sqrt(k) / n.
function noise(one, other) {
  return 2 * Math.sqrt(changedArgmax(one, other) / one.dims[0]);
}

async function scoreModel(model) {
  const evaluation = await openEvaluation(model, 'detent');
  const { fp32 } = evaluation;
  if (model.fp32) hold(Math.abs(fp32 - model.fp32) <= 0.0025, `${model.name} FP32 ${fp32}, known ${model.fp32}`);
  for (const target of Object.keys(levelOf)) {
    const cells = [];
    const scores = {};
    const outputs = {};
    for (const calibrator of candidates) {
      const measured = await measure(evaluation, target, calibrator);
      scores[calibrator] = measured.score;
      outputs[calibrator] = measured.output;
      cells.push(cell(measured));
    }
    const auto = await chosenByAuto(model, target);
    for (const calibrator of new Set([...bounded, auto])) {
      const score = scores[calibrator];
      hold(score >= (model.atLeast ?? 0), `${model.name} ${target} ${calibrator} ${score} < ${model.atLeast}`);
    }
    const best = candidates.reduce((a, b) => (scores[b] > scores[a] ? b : a));
    hold(scores[best] >= (model.bestAtLeast ?? 0),
      `${model.name} ${target} best ${scores[best]} < ${model.bestAtLeast}`);
    if (model.metric === 'top-1') {
      hold(scores[auto] >= scores[best] - noise(outputs[auto], outputs[best]),
        `${model.name} ${target} auto takes ${auto} ${scores[auto]}, best ${best} ${scores[best]}`);
    }
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
