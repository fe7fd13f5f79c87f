// npm run scores [-- MODEL ...] [--check]: the whole table, every calibrator and both targets on the whole evaluation
// sets, as Markdown. With --check, exit 1 where a bound of models.mjs is missed. Takes tens of minutes for all models.
import { parseArgs } from 'node:util';
import { only, quantized, runOver, writeSamples } from './detent.mjs';
import { runModel } from './engine.mjs';
import { calibrators, levelOf, missing, modelNamed, models } from './models.mjs';
import { readNpy } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { sqnr } from './score.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const chosen = positionals.length > 0 ? positionals.map((name) => modelNamed(name)) : models;
const misses = [];

function hold(ok, sentence) {
  if (!ok) misses.push(sentence);
}

async function scoreModel(model) {
  const set = model.evaluation(1);
  const samples = await writeSamples(model, set);
  const inputs = { [readModel(model.file).inputs[0].name]: readNpy(samples) };
  const reference = only(await runOver(model.file, samples));
  const fp32 = set.score(reference);
  if (model.fp32) hold(Math.abs(fp32 - model.fp32) <= 0.0025, `${model.name} FP32 ${fp32}, known ${model.fp32}`);
  for (const [target, level] of Object.entries(levelOf)) {
    const cells = [];
    let best = 0;
    for (const calibrator of calibrators) {
      const output = only(await runModel(await quantized(model, target, calibrator), inputs, level));
      const score = set.score(output);
      best = Math.max(best, score);
      cells.push(`${(100 * score).toFixed(2)} (${sqnr(reference, output).toFixed(1)} dB)`);
      hold(score >= (model.atLeast ?? 0), `${model.name} ${target} ${calibrator} ${score} < ${model.atLeast}`);
    }
    hold(best >= (model.bestAtLeast ?? 0), `${model.name} ${target} best ${best} < ${model.bestAtLeast}`);
    console.log(`| ${model.name} | ${model.metric} | ${(100 * fp32).toFixed(2)} | ${target} | ${cells.join(' | ')} |`);
  }
}

console.log(`| model | metric | FP32 | target | ${calibrators.join(' | ')} |`);
console.log(`|${' --- |'.repeat(4 + calibrators.length)}`);
for (const model of chosen) {
  const reason = missing(model);
  if (reason) console.error(`skipped ${model.name}: ${reason}`);
  else await scoreModel(model);
}
misses.forEach((sentence) => console.error(`missed: ${sentence}`));
process.exitCode = values.check && misses.length > 0 ? 1 : 0;
