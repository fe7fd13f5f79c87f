// npm run next-tokens [-- ARGUMENT...]: prints the cross entropy in nats a symbol and the share of correct next
// symbols of the shared folder's GPT in ONNX Runtime, over all evaluation sequences, FP32 and quantized for both
// targets with the given arguments of `detent quantize` (none: the defaults).
//   --file A.onnx,B.onnx   scores these files instead of quantizing
//   --targets tensorrt     only this one
//   --draws 16,32x3        also calibrates on so many samples, with 1 or so many seeds
//   --check                exits 1 if FP32 is not 1.4204 +- 1e-4, or a default is 0.01 nats or more above it
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { quantizedFromData, reportOf } from './detent.mjs';
import { runModel } from './engine.mjs';
import { printHeader, printRow } from './measured.mjs';
import { levelOf } from './models.mjs';
import { charsGpt, knownNats, readSequences } from './language_models.mjs';
import { nextTokens } from './score.mjs';

const own = ['--file', '--targets', '--draws'];
const given = process.argv.slice(2);
const isOwn = given.map((word, i) => word === '--check' || own.includes(word) || own.includes(given[i - 1]));
const { values: options } = parseArgs({ args: given.filter((_, i) => isOwn[i]), options: { file: { type: 'string' },
  targets: { type: 'string', default: Object.keys(levelOf).join(',') }, draws: { type: 'string' }, check: { type: 'boolean' } } });
const quantizeArgs = given.filter((_, i) => !isOwn[i]);

if (!existsSync(charsGpt.file)) {
  console.error(`${charsGpt.file} is not there`);
  process.exit(77);
}
const { ids, next } = readSequences(charsGpt.evaluation);
const misses = [];

async function score(file, level) {
  return nextTokens(Object.values(await runModel(file, { ids }, level))[0], next);
}

let float;
async function row(target, file, level, samples, calibrator, left) {
  const { nats, right } = await score(file, level);
  float ??= nats;
  printRow([target, samples, calibrator, left, nats.toFixed(4), (nats - float).toFixed(4), `${(100 * right).toFixed(2)} %`]);
  return nats;
}

// '32x3' -> --shuffle 1, 2 and 3 with --limit 32.
const draws = (options.draws?.split(',') ?? []).flatMap((draw) => {
  const [count, seeds = 1] = draw.split('x').map(Number);
  return Array.from({ length: seeds }, (_, i) => ({ name: `${count}, seed ${i + 1}`, args: ['--shuffle', i + 1, '--limit', count] }));
});

printHeader(['target', 'samples', 'calibrator', 'layers left float', 'nats', 'above FP32', 'right']);
await row('FP32', charsGpt.file, 'all', '', '', '');
if (Math.abs(float - knownNats) > 1e-4) misses.push(`FP32 ${float} nats, known ${knownNats}`);
for (const file of options.file?.split(',') ?? []) await row(file, file, 'disabled', '', '', '');
for (const target of options.file ? [] : options.targets.split(',')) {
  for (const { name, args } of [{ name: 'all', args: [] }, ...draws]) {
    const file = await quantizedFromData(charsGpt, target, '', ...quantizeArgs, ...args.map(String));
    const { calibrator, float_layers: left } = JSON.parse(readFileSync(reportOf(file), 'utf8'));
    const nats = await row(target, file, levelOf[target], name, calibrator, left.length);
    if (name === 'all' && nats - float >= 0.01) misses.push(`${target}: ${(nats - float).toFixed(4)} nats above FP32`);
  }
}
misses.forEach((sentence) => console.error(`missed: ${sentence}`));
process.exitCode = options.check && misses.length > 0 ? 1 : 0;
