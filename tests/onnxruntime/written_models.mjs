// All models with a few calibration samples: {name, file, data: options of detent, feeds: makes one sample as {input:
// {type, dims, data}}}.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { branchingModels } from './branching_models.mjs';
import { calibrationOf, detent, freshFolder } from './detent.mjs';
import { exportedModels, floatModels } from './float_models.mjs';
import { missing, modelNamed, shared } from './models.mjs';
import { readNpy, sampleOf, writeNpy } from './npy.mjs';
import { identityModel, readModel } from './onnx_file.mjs';
import { random } from './random_inputs.mjs';

const few = ['--limit', '4'];

// The first sample of {input: stack}; an input without a batch axis has one axis less than its stack.
const firstOf = (file, stacks) => Object.fromEntries(readModel(file).inputs.map(({ name, dims }) => {
  const sample = sampleOf(readNpy(stacks[name]), 0);
  return [name, { ...sample, dims: dims.length === sample.dims.length ? sample.dims : sample.dims.slice(1) }];
}));

// A model calibrated on stacks of samples.
const onStacks = (name, file, stacks) => ({ name, file, feeds: () => firstOf(file, stacks),
  data: [...Object.entries(stacks).flatMap(([input, path]) => ['--data', `${input}=${path}`]), ...few] });

// Makes the entry of a model of models.mjs and float_models.mjs: `detent run` of an Identity writes its samples as
// the model receives them.
async function written(model) {
  const folder = freshFolder();
  const identity = join(folder, 'identity.onnx');
  const { inputs } = readModel(model.file);
  writeFileSync(identity, identityModel(inputs));
  await detent('run', identity, '-o', join(folder, 'out'), '--quiet', ...calibrationOf(model), '--limit', '1');
  return firstOf(model.file, Object.fromEntries(inputs.map(({ name }, index) =>
    [name, join(folder, 'out', `samples_${index}.npy`)])));
}

const onSamples = (model) => ({ name: model.name, file: model.file, feeds: () => written(model),
  data: missing(model) ? [] : [...calibrationOf(model), ...few] });

function zooModels() {
  const folder = join(shared, 'zoo');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort().map((name) => {
    const { inputs } = JSON.parse(readFileSync(join(folder, name, 'inputs.json'), 'utf8'));
    const stacks = inputs.map((input) => [input, join(folder, name, `calib__${input}.npy`)]);
    return onStacks(`zoo/${name}`, join(folder, name, 'model.onnx'), Object.fromEntries(stacks));
  });
}

function gpt() {
  const folder = join(shared, 'models/chars_gpt');
  return onStacks('chars_gpt', join(folder, 'model_opset17.onnx'), { ids: join(folder, 'calib_ids.npy') });
}

// Models of this folder: rate 1 and 0 alternate, so that both branches are calibrated.
function branching() {
  const folder = freshFolder();
  return branchingModels(folder).map(({ name, file }) => {
    const [x, rate] = [join(folder, 'x.npy'), join(folder, 'rate.npy')];
    writeNpy(x, random([4, 16, 12]));
    writeNpy(rate, { type: 'int64', dims: [4], data: BigInt64Array.of(1n, 0n, 1n, 0n) });
    return onStacks(`branching/${name}`, file, { x, rate });
  });
}

const groups = {
  branching, chars_gpt: () => [gpt()], zoo: zooModels, exports: () => exportedModels().map(onSamples),
};

// [{model, options}] of the groups or models in DETENT_MODELS; all without it. options carry the reason to skip.
export function selectedToWrite() {
  const single = [modelNamed('sample'), ...floatModels];
  const named = (name) => (groups[name] ? groups[name]() : single.filter((model) => model.name === name).map(onSamples));
  const names = process.env.DETENT_MODELS?.split(',') ?? [...Object.keys(groups), ...single.map((model) => model.name)];
  return names.flatMap(named).map((model) => ({ model, options: { skip: missing(model) } }));
}
