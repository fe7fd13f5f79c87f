// See compare_with_onnxruntime.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSession, runOnce } from '../tests/onnxruntime/engine.mjs';
import { elements, writeNpy } from '../tests/onnxruntime/npy.mjs';
import { readModel } from '../tests/onnxruntime/onnx_file.mjs';
import { restrictTo } from './onnxruntime_cpu.mjs';
import { models, program } from './speed_models.mjs';

const { values: options } = parseArgs({ options: {
  rounds: { type: 'string', default: '15' }, threads: { type: 'string', default: '2' }, only: { type: 'string' },
  json: { type: 'string' }, seconds: { type: 'string', default: '1' }, cpu: { type: 'boolean', default: false },
  instructions: { type: 'string', default: 'native' },
} });
const rounds = Number(options.rounds);
const threads = Number(options.threads);
const work = mkdtempSync(join(tmpdir(), 'detent-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
restrictTo(options.instructions, work);

// Seconds by which a long run exceeds a short one: the difference is the cost of the samples alone.
const longSeconds = Number(options.seconds);

function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const [low, high] = [Math.floor(at), Math.ceil(at)];
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

// Returns {median, low, high}; low and high are quartiles.
function summary(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

// Samples, the same in every run: nearly normal deviates, whole numbers below a bound, or ones.
function randomStack(count, { dims, below, ones }) {
  let state = 7;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const size = elements([count, ...dims]);
  const whole = () => (ones ? 1n : BigInt(Math.floor((uniform() + 0.5) * below)));
  return below || ones
    ? { type: 'int64', dims: [count, ...dims], data: BigInt64Array.from({ length: size }, whole) }
    : { type: 'float32', dims: [count, ...dims], data: Float32Array.from({ length: size }, () => (uniform() + uniform() + uniform()) * 2) };
}

// Time of the wall or of this process on the CPU.
const milliseconds = () => {
  if (!options.cpu) return Number(process.hrtime.bigint()) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

// inputs: {NAME: stack}, all with the same number of samples.
async function timeOnnxRuntime(session, inputs, batch, count) {
  const all = Object.values(inputs)[0].dims[0];
  const begin = milliseconds();
  for (let done = 0; done < count; done += batch) {
    const from = done % (all - batch + 1);
    await runOnce(session, Object.fromEntries(Object.entries(inputs).map(([name, { type, dims, data }]) => {
      const size = data.length / all;
      return [name, { type, dims: [batch, ...dims.slice(1)], data: data.subarray(from * size, (from + batch) * size) }];
    })));
  }
  return (milliseconds() - begin) / count;
}

// Returns the wall time of the process in milliseconds, or its time on the CPU by the shell's `time`.
function timeDetent(args) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', 'TIMEFORMAT="%3R %3U %3S"; time "$0" "$@"', program, ...args, '--threads', String(threads),
      '--quiet', '--overwrite'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text) => { errors += text; });
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${args[0]}: ${errors}`));
      const [wall, user, system] = errors.trim().split('\n').at(-1).split(' ').map(Number);
      return resolve(1000 * (options.cpu ? user + system : wall));
    });
  });
}

// Returns the cost of a sample without start and end: (long run - short run) / difference in samples.
async function marginal(args, short, long) {
  const few = await timeDetent([...args, '--limit', String(short)]);
  const many = await timeDetent([...args, '--limit', String(long)]);
  return { sample: (many - few) / (long - short), whole: many / long };
}

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

async function measure(model) {
  const file = model.make ? join(work, `${model.name}.onnx`) : model.file;
  if (model.make) model.make(file);
  const batch = model.batch ?? 1;
  const session = await openSession(file, 'all', { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const described = model.inputs ?? { [session.inputNames[0]]: { dims: model.dims } };
  const stacks = (count) => Object.fromEntries(Object.entries(described).map(([name, input]) => [name, randomStack(count, input)]));
  const probe = stacks(2 * batch);
  await timeOnnxRuntime(session, probe, batch, 2 * batch);
  const about = await timeOnnxRuntime(session, probe, batch, 4 * batch);
  const short = model.short ?? 16;  // quantize measures its error on 16, in the short run as in the long one
  const more = Math.max(16, batch * Math.ceil((longSeconds * 1000) / about / batch));
  const long = Math.min(short + more, model.most ?? Infinity);
  const inputs = stacks(long);
  const data = Object.entries(inputs).flatMap(([name, stack], index) => {
    const path = join(work, `input${index}.npy`);
    writeNpy(path, stack);
    return ['--data', `${name}=${path}`];
  });
  const isa = ['--isa', options.instructions];
  const run = ['run', file, ...data, ...isa, '-o', join(work, 'outputs')];
  const report = join(work, 'report.json');
  // Not `quantize`: its work behind the pass depends on the verdict, which a few more samples may change.
  const calibrate = ['calibrate', file, '--target', 'tensorrt:10.13', ...data, ...isa, '-o', join(work, 'table.dct')];
  const rows = [];
  for (let round = 0; round < rounds; ++round) {
    const theirs = await timeOnnxRuntime(session, inputs, batch, long - short);
    await pause(50);  // ONNX Runtime's threads spin for a while after a run
    const plain = await marginal(run, short, long);
    const histograms = await marginal(calibrate, short, long);
    rows.push({ theirs, run: plain.sample, whole: plain.whole, calibrate: histograms.sample });
  }
  await timeDetent(['quantize', file, '--accept-broken', ...data, '--calibrator', 'max', '-o', join(work, 'quantized.onnx'), `--json=${report}`]);
  const { peak_mb: peak } = JSON.parse(readFileSync(report, 'utf8'));
  await session.release();
  if (model.make) for (const path of [file, `${file}.data`]) rmSync(path, { force: true });
  const of = (pick) => summary(rows.map(pick));
  return { name: model.name, samples: long, theirs: of((r) => r.theirs), run: of((r) => r.run), whole: of((r) => r.whole),
    calibrate: of((r) => r.calibrate), peak, runRatio: of((r) => r.run / r.theirs),
    calibrateRatio: of((r) => r.calibrate / r.theirs), bound: model.bound };
}

const number = (value, digits = 2) => value.toFixed(digits).padStart(6);
const ratio = ({ median, low, high }, bound) =>
  `${number(median)} (${low.toFixed(2)}-${high.toFixed(2)})${bound === undefined ? '' : median <= bound ? '  ' : ' >'}`;

console.log(`${cpus()[0].model}, instructions: ${options.instructions}, ${threads} threads, ${rounds} rounds; ms ${options.cpu ? 'of CPU time ' : ''}a sample, medians; ratios with quartiles; > misses its bound`);
console.log('model               samples  ONNX Rt     run   whole  calibr.  peak MB   run / ONNX Rt       calibrate / ONNX Rt');
const names = options.only?.split(',');
const results = [];
for (const model of models.filter((m) => (names ? names.includes(m.name) : !m.onlyByName))) {
  const r = await measure(model);
  results.push(r);
  console.log([r.name.padEnd(19), String(r.samples).padStart(7), number(r.theirs.median), number(r.run.median),
    number(r.whole.median), number(r.calibrate.median), number(r.peak, 0), ratio(r.runRatio, r.bound),
    ratio(r.calibrateRatio, r.bound)].join('  '));
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
