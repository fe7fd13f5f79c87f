// See int8_speed.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { quantizedFromData, workFolder, writeInputs } from '../tests/onnxruntime/detent.mjs';
import { openSession, tensorOf } from '../tests/onnxruntime/engine.mjs';
import { floatModels } from '../tests/onnxruntime/float_models.mjs';
import { optimizedModel } from '../tests/onnxruntime/integer_nodes.mjs';
import { charsGpt } from '../tests/onnxruntime/language_models.mjs';
import { printHeader, printRow } from '../tests/onnxruntime/measured.mjs';
import { missing, models as scoredModels, shared } from '../tests/onnxruntime/models.mjs';
import { readNpy, sampleOf } from '../tests/onnxruntime/npy.mjs';
import { restrictTo } from './onnxruntime_cpu.mjs';
import { floatNodes, kindsOf, layersOf, profileOf, standalonePairs } from './int8_profile.mjs';

const { values: options, positionals: quantizeOptions } = parseArgs({ allowPositionals: true, options: {
  only: { type: 'string' }, threads: { type: 'string' }, rounds: { type: 'string', default: '15' },
  seconds: { type: 'string', default: '0.2' }, instructions: { type: 'string', default: 'native' },
  cpu: { type: 'boolean', default: false }, files: { type: 'string' },
  json: { type: 'string' }, profile: { type: 'string' }, worst: { type: 'string', default: '12' },
} });
restrictTo(options.instructions, workFolder);
const threadCounts = (options.threads ?? (options.profile ? '1' : '1,2')).split(',').map(Number);

// ---- models ----

const detector = (name) => ({ name, file: join(shared, 'models', name, 'model_opset17.onnx'), preprocess: 'unit',
  calibration: join(shared, 'images/bccd/calib'), one: { source: join(shared, 'images/bccd/calib') } });

// {name, file, preprocess, calibration or samples(), one: the set whose first sample is timed}.
const models = [
  ...scoredModels.filter((model) => model.name !== 'sample').map((model) => ({ ...model, one: { source: model.calibration } })),
  ...floatModels.filter((model) => /^(coco|face|text|style)_/.test(model.name)).map((model) => ({ ...model, one: model.samples() })),
  { ...charsGpt, one: { source: charsGpt.calibration } }, detector('bccd_dfl'), detector('bccd_nmsfree'),
];

// {input: tensor} of one sample.
async function feedsOf(model) {
  const paths = await writeInputs(model, model.one, '--limit', '1');
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, tensorOf(sampleOf(readNpy(path), 0))]));
}

async function int8File(model) {
  const kept = options.files && join(options.files, `${model.name}.onnx`);
  if (kept && existsSync(kept)) return kept;
  const written = await quantizedFromData(model, 'onnxruntime', '', ...quantizeOptions);
  if (!kept) return written;
  mkdirSync(options.files, { recursive: true });
  copyFileSync(written, kept);
  return kept;
}

// ---- times ----

// Time of the wall or of this process on the CPU.
function milliseconds() {
  if (!options.cpu) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

// Milliseconds of each run during `seconds`, five runs at least.
async function timed(session, feeds, seconds) {
  const times = [];
  const end = performance.now() + 1000 * seconds;
  do {
    const begin = milliseconds();
    await session.run(feeds);
    times.push(milliseconds() - begin);
  } while (times.length < 5 || performance.now() < end);
  return times;
}

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// Returns {float, int8: least milliseconds, ratio of them, median: ratio of the rounds' medians, median over rounds}.
async function compared(model, file, threads) {
  const feeds = await feedsOf(model);
  const open = (path) => openSession(path, 'all', { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const sessions = [await open(model.file), await open(file)];
  const least = [Infinity, Infinity];
  const ratios = [];
  for (const session of sessions) await timed(session, feeds, 0.05);
  for (let round = 0; round < Number(options.rounds); ++round) {
    const medians = [];
    for (const [which, session] of sessions.entries()) {
      const times = await timed(session, feeds, Number(options.seconds));
      least[which] = Math.min(least[which], ...times);
      medians.push(median(times));
      if (threads > 1) await pause(20);  // ONNX Runtime's threads spin for a while after a run
    }
    ratios.push(medians[0] / medians[1]);
  }
  for (const session of sessions) await session.release();
  return { threads, float: least[0], int8: least[1], ratio: least[0] / least[1], median: median(ratios) };
}

// ---- main ----

const fixed = (digits) => (value) => value.toFixed(digits);
const ms = (value) => value.toFixed(value < 10 ? 2 : 1);
const title = `${cpus()[0].model}, instructions: ${options.instructions}`;

async function table() {
  const names = options.only?.split(',');
  console.log(`${title}; ms ${options.cpu ? 'of CPU time ' : ''}a sample, least of all runs; ratio FP32 / INT8, in brackets the median of ${options.rounds} rounds' medians\n`);
  printHeader(['model', ...threadCounts.flatMap((count) => {
    const threads = `${count} thread${count > 1 ? 's' : ''}`;
    return [`FP32, ${threads}`, 'INT8', 'ratio'];
  })]);
  const results = [];
  for (const model of models.filter(({ name }) => !names || names.includes(name))) {
    const reason = missing(model);
    if (reason) {
      console.error(`skipped ${model.name}: ${reason}`);
      continue;
    }
    const file = await int8File(model);
    const measured = [];
    for (const threads of threadCounts) measured.push(await compared(model, file, threads));
    results.push({ name: model.name, measured });
    printRow([model.name, ...measured.flatMap((m) => [ms(m.float), ms(m.int8), `${fixed(2)(m.ratio)} (${fixed(2)(m.median)})`])]);
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ cpu: title, results }, null, 2)}\n`);
}

async function profile(model) {
  const file = await int8File(model);
  const feeds = await feedsOf(model);
  const settings = { intraOpNumThreads: threadCounts[0], interOpNumThreads: 1 };
  const [float, int8] = [await profileOf(model.file, feeds, settings, Number(options.seconds)),
    await profileOf(file, feeds, settings, Number(options.seconds))];
  console.log(`${model.name}, ${title}, ${threadCounts[0]} threads: ms of all nodes ${ms(float.total)} FP32, ${ms(int8.total)} INT8\n`);
  printHeader(['kind', 'FP32 ms', 'nodes', 'INT8 ms', 'nodes']);
  for (const { kind, float: f, int8: i } of kindsOf(float, int8)) printRow([kind, fixed(3)(f.ms), f.nodes, fixed(3)(i.ms), i.nodes]);
  const alone = standalonePairs(int8);
  console.log(`\nstandalone QuantizeLinear and DequantizeLinear: ${alone.length}, ${ms(alone.reduce((sum, node) => sum + node.ms, 0))} ms`);
  console.log('\nfloat nodes and standalone pairs of the INT8 file, worst first\n');
  printHeader(['kind', 'node', 'ms', 'reads from', 'read by']);
  floatNodes(int8, await optimizedModel(file)).slice(0, Number(options.worst))
    .forEach((node) => printRow([node.kind, node.name, fixed(3)(node.ms), node.from, node.to]));
  console.log('\nlayers that lose most\n');
  printHeader(['layer', 'FP32', 'ms', 'INT8', 'ms', 'output']);
  for (const row of layersOf(float, int8).slice(0, Number(options.worst)))
    printRow([row.int8.name, row.float.kind, fixed(3)(row.float.ms), row.int8.kind, fixed(3)(row.int8.ms), row.int8.shape]);
}

if (options.profile) {
  const model = models.find(({ name }) => name === options.profile);
  if (!model) throw new Error(`--profile ${options.profile}: known are ${models.map(({ name }) => name).join(', ')}`);
  await profile(model);
} else {
  await table();
}
