// The GPT of the shared folder and its sequences.
import { join } from 'node:path';
import { shared } from './models.mjs';
import { readNpy } from './npy.mjs';

const folder = join(shared, 'models/chars_gpt');

export const charsGpt = { name: 'chars_gpt', file: join(folder, 'model_opset17.onnx'), calibration: join(folder, 'calib_ids.npy'),
  evaluation: join(folder, 'eval_ids.npy') };
// Cross entropy of FP32 over the whole evaluation set in ONNX Runtime.
export const knownNats = 1.4204;

// Columns [begin, begin + width) of a stack [N, M].
function columns({ type, dims: [count, all], data }, begin, width) {
  const out = new data.constructor(count * width);
  for (let n = 0; n < count; ++n) out.set(data.subarray(n * all + begin, n * all + begin + width), n * width);
  return { type, dims: [count, width], data: out };
}

// Splits a stack [N, L + 1] of symbols into {ids [N, L], next [N, L]}, where next[i] follows ids[i].
export function splitSequences(all) {
  const length = all.dims[1] - 1;
  return { ids: columns(all, 0, length), next: columns(all, 1, length) };
}

export const readSequences = (path) => splitSequences(readNpy(path));
