// ONNX Runtime: one session, one sample at a time.
import ort from 'onnxruntime-node';
import { sampleOf, stack } from './npy.mjs';

// level: disabled | basic | extended | all. `model` is a path or the bytes of a model.
export function openSession(model, level, extra = {}) {
  return ort.InferenceSession.create(model, {
    graphOptimizationLevel: level, logSeverityLevel: 3, executionMode: 'sequential', ...extra,
  });
}

export const tensorOf = ({ type, dims, data }) =>
  new ort.Tensor(type, type === 'bool' ? Uint8Array.from(data) : data, dims);

// feeds: {input: {type, dims, data}} of one sample -> {output: {type, dims, data}}.
export async function runOnce(session, feeds) {
  const tensors = Object.fromEntries(Object.entries(feeds).map(([name, value]) => [name, tensorOf(value)]));
  const results = await session.run(tensors);
  return Object.fromEntries(Object.entries(results).map(([name, tensor]) =>
    [name, { type: tensor.type, dims: [...tensor.dims], data: tensor.data }]));
}

// inputs: {input: stack of N samples} -> {output: stack of N}.
export async function runStack(session, inputs) {
  const count = Object.values(inputs)[0].dims[0];
  const collected = new Map();
  for (let index = 0; index < count; ++index) {
    const feeds = Object.fromEntries(Object.entries(inputs).map(([name, all]) => [name, sampleOf(all, index)]));
    for (const [name, value] of Object.entries(await runOnce(session, feeds))) {
      if (!collected.has(name)) collected.set(name, []);
      collected.get(name).push(value);
    }
  }
  return Object.fromEntries([...collected].map(([name, samples]) => [name, stack(samples)]));
}

export async function runModel(model, inputs, level) {
  const session = await openSession(model, level);
  try {
    return await runStack(session, inputs);
  } finally {
    await session.release();
  }
}

