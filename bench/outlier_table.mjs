// Prints what planted outlier channels cost a language model in INT8, in nats a symbol above FP32, with and without
// evening them out: the table in README.md.
//
//   node bench/outlier_table.mjs DETENT MODEL CALIB.npy EVAL.npy [SEQUENCES]
//
// EVAL.npy holds one symbol more than the model reads; SEQUENCES of it are scored (default: all).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, model, calibration, evaluation, sequences] = process.argv.slice(2);
if (!evaluation) {
  console.error('usage: node bench/outlier_table.mjs DETENT MODEL CALIB.npy EVAL.npy [SEQUENCES]');
  process.exit(2);
}
const planter = fileURLToPath(new URL('plant_outliers.mjs', import.meta.url));
const targets = ['tensorrt', 'onnxruntime'];
const folder = mkdtempSync(join(tmpdir(), 'outliers-'));

function plant(strength) {
  const file = join(folder, `${strength}.onnx`);
  execFileSync('node', [planter, model, String(strength), file]);
  return file;
}

// Nats above FP32, by target.
function losses(file, equalize) {
  const limit = sequences ? ['--eval-limit', sequences] : [];
  const report = JSON.parse(execFileSync(program, ['compare', file, '--data', calibration, '--eval', evaluation, ...limit,
    '--next-token', '--targets', targets.join(), '--calibrators', 'auto', '--equalize', equalize, '--json', '-'],
  { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }));
  return report.variants.map((row) => row.metrics.nats - report.fp32.nats);
}

const print = (cells) => console.log(`| ${cells.join(' | ')} |`);

print(['strength', ...targets.flatMap((target) => [`${target}, off`, `${target}, default`])]);
print(Array(1 + 2 * targets.length).fill('---'));
for (const strength of [1, 4, 16, 64]) {
  const file = strength === 1 ? model : plant(strength);
  const off = losses(file, 'off'), evened = losses(file, 'outliers');
  print([strength, ...targets.flatMap((_, t) => [off[t].toFixed(4), evened[t].toFixed(4)])]);
}
rmSync(folder, { recursive: true });
