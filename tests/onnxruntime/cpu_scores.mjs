// npm run cpus [-- MODEL... [--OPTION...]]: scores files for ONNX Runtime on x86 CPUs with VNNI and without, on whole
// evaluation sets. Each file is judged three times: computed exactly (the engine without optimizations), by the
// engine on this CPU, and as a CPU without VNNI computes it (`detent run --emulate avx2`, which cpu_products.test.mjs
// compares with the engine). Files: `--cpu vnni`, that with 7-bit weights, and the default, whose weights do not
// saturate. A cell is the score in percent and the SQNR against FP32; without labels the SQNR alone, the mean over
// the float outputs. Options go to `detent quantize`: `--policy small-layers=quantize` makes first layers INT8.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasVnni } from './cpus.mjs';
import { detent, freshFolder, once, quantizedFromData, reportOf, writeInputs } from './detent.mjs';
import { openSession, runModel, runOnce } from './engine.mjs';
import { printHeader, printRow } from './measured.mjs';
import { missing, modelNamed, models, shared } from './models.mjs';
import { readNpy, sampleOf, stack, writeNpy } from './npy.mjs';
import { readModel } from './onnx_file.mjs';
import { sqnr } from './score.mjs';

const variants = [['--cpu vnni', ['--cpu', 'vnni']], ['7 bits', ['--cpu', 'vnni', '--format', 'weight-bits=7']], ['default', []]];

// Returns the mAP by the shared folder's script, from one output.
function meanAveragePrecision(form) {
  return (path) => JSON.parse(execFileSync('python3', [join(shared, 'models/score_map.py'), form,
    join(shared, 'images/bccd/labels.json'), path], { encoding: 'utf8', env: { ...process.env, PATH: `/usr/bin:${process.env.PATH}` } }));
}

const detector = (name, form) => ({
  name, file: join(shared, `models/${name}/model_opset17.onnx`), calibration: join(shared, 'images/bccd/calib'), preprocess: 'unit',
  evaluation: () => ({ source: join(shared, 'images/bccd/eval') }), map: meanAveragePrecision(form),
});

function zoo() {
  const folder = join(shared, 'zoo');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort().map((name) => {
    const { inputs } = JSON.parse(readFileSync(join(folder, name, 'inputs.json'), 'utf8'));
    const stacksOf = (set) => Object.fromEntries(inputs.map((input) => [input, join(folder, name, `${set}__${input}.npy`)]));
    return { name: `zoo/${name}`, file: join(folder, name, 'model.onnx'), stacks: stacksOf('calib'), evaluationStacks: stacksOf('eval') };
  });
}

const all = [...models.filter(({ name }) => name !== 'sample'), detector('bccd_dfl', 'dfl'), detector('bccd_nmsfree', 'nmsfree'), ...zoo()];
const given = process.argv.slice(2);
const options = given.findIndex((word) => word.startsWith('--'));
const [wanted, more] = options < 0 ? [given, []] : [given.slice(0, options), given.slice(options)];
const chosen = wanted.length > 0 ? wanted.map((name) => all.find((model) => model.name === name) ?? modelNamed(name)) : all;

const dataArguments = (stacks) => Object.entries(stacks).flatMap(([name, path]) => ['--data', `${name}=${path}`]);

const quantizedFile = (model, args) => (model.stacks
  ? once(['cpus', model.name, args], async () => {
    const file = join(freshFolder(), 'model.onnx');
    await detent('quantize', model.file, ...dataArguments(model.stacks), '-o', file, '--quiet', '--accept-broken', '--target',
      'onnxruntime', `--json=${reportOf(file)}`, ...args);
    return file;
  })
  : quantizedFromData(model, 'onnxruntime', '', ...args));

// Every float output as {name: {path, stack}}, in the order of the model.
async function outputsOf(model, file, stacks, products) {
  const out = join(freshFolder(), 'out');
  await detent('run', file, ...dataArguments(stacks), '-o', out, '--quiet', ...(products ? ['--emulate', products] : []));
  return Object.fromEntries(readModel(model.file).outputs.map(({ name }) => {
    const path = join(out, `${name.replace(/[^A-Za-z0-9_.-]/g, '_')}.npy`);
    return [name, { path, stack: existsSync(path) ? readNpy(path) : null }];
  }));
}

// The mean SQNR over float outputs that both have.
function meanSqnr(reference, found) {
  const each = Object.entries(reference).filter(([name, { stack }]) => stack?.type === 'float32' && found[name])
    .map(([name, { stack }]) => sqnr(stack, found[name])).filter(Number.isFinite);
  return each.reduce((a, b) => a + b, 0) / each.length;
}

// runModel() of a model whose inputs may have no axis for samples.
async function runSamples(file, inputs, level) {
  const ranks = Object.fromEntries(readModel(file).inputs.map(({ name, dims }) => [name, dims.length]));
  const session = await openSession(file, level);
  const found = {};
  for (let index = 0; index < Object.values(inputs)[0].dims[0]; ++index) {
    const feeds = Object.fromEntries(Object.entries(inputs).map(([name, all]) => {
      const sample = sampleOf(all, index);
      return [name, { ...sample, dims: sample.dims.slice(sample.dims.length - ranks[name]) }];
    }));
    for (const [name, value] of Object.entries(await runOnce(session, feeds)))
      (found[name] ??= []).push({ ...value, dims: [1, ...value.dims] });
  }
  await session.release();
  return Object.fromEntries(Object.entries(found).map(([name, samples]) => [name, stack(samples)]));
}

async function row(model) {
  const set = model.stacks ? null : model.evaluation(1);
  const stacks = model.evaluationStacks ?? await writeInputs(model, set);
  const reference = await outputsOf(model, model.file, stacks);
  const inputs = Object.fromEntries(Object.entries(stacks).map(([name, path]) => [name, readNpy(path)]));
  const [first] = Object.keys(reference);
  const score = async (outputs, path) => {
    if (set?.score) return 100 * set.score(outputs[first]);
    return model.map ? 100 * Object.values(model.map(path()))[0] : null;
  };
  const cell = async (outputs, path) => {
    const points = await score(outputs, path);
    return `${points === null ? '' : `${points.toFixed(2)} `}(${meanSqnr(reference, outputs).toFixed(1)} dB)`;
  };
  const float = await score({ [first]: reference[first].stack }, () => reference[first].path);
  for (const [name, args] of variants) {
    const file = await quantizedFile(model, [...args, ...more]);
    const { saturation } = JSON.parse(readFileSync(reportOf(file), 'utf8'));
    const ours = await outputsOf(model, file, stacks, 'avx2');
    const cells = [];
    const engine = model.stacks ? runSamples : runModel;
    const pathOf = (outputs) => () => {
      const path = join(freshFolder(), 'output.npy');
      writeNpy(path, outputs[first]);
      return path;
    };
    for (const level of ['disabled', 'all']) {
      const outputs = await engine(file, inputs, level);
      cells.push(await cell(outputs, pathOf(outputs)));
    }
    cells.push(await cell(Object.fromEntries(Object.entries(ours).map(([output, { stack }]) => [output, stack])), () => ours[first].path));
    const factor = saturation?.mean_factor ?? 1;
    printRow([model.name, float === null ? '' : float.toFixed(2), name, ...cells, factor.toFixed(2), saturation?.unsafe_pairs ?? 0]);
  }
}

printHeader(['model', 'FP32', 'file', 'exact', hasVnni ? 'engine, with VNNI' : 'engine, without VNNI', 'without VNNI, emulated',
  'mean factor of scales', 'unsafe pairs']);
for (const model of chosen) {
  const reason = missing(model);
  if (reason) console.error(`skipped ${model.name}: ${reason}`);
  else await row(model);
}
