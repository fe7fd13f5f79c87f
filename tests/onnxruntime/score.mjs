// Scores of a stack of outputs, and distances between two stacks.
import { elements } from './npy.mjs';

function argmax(data, start, count, step) {
  let best = 0;
  for (let c = 1; c < count; ++c) {
    if (data[start + c * step] > data[start + best * step]) best = c;
  }
  return best;
}

// [N, C, ...] -> index of the largest of C for each sample and position.
export function argmaxOfChannels({ dims, data }) {
  const [samples, channels] = dims;
  const inner = elements(dims.slice(2));
  const out = new Int32Array(samples * inner);
  for (let n = 0; n < samples; ++n) {
    for (let i = 0; i < inner; ++i) out[n * inner + i] = argmax(data, n * channels * inner + i, channels, inner);
  }
  return out;
}

// Returns the decision of an output at each place: the largest channel, or the sign of a single channel.
export function decisionsOf(output) {
  return output.dims[1] === 1 ? Int32Array.from(output.data, (value) => (value > 0 ? 1 : 0)) : argmaxOfChannels(output);
}

// Share of samples whose largest output is the label.
export function top1(output, labels) {
  const classes = argmaxOfChannels(output);
  let hits = 0;
  labels.forEach((label, index) => { hits += classes[index] === label; });
  return hits / labels.length;
}

// Mean over the classes of intersection / union, both counted over the whole set. masks: [Uint8Array], one per sample.
export function meanIou(output, masks) {
  const classes = argmaxOfChannels(output);
  const channels = output.dims[1];
  const [both, either] = [new Float64Array(channels), new Float64Array(channels)];
  const size = masks[0].length;
  masks.forEach((mask, n) => mask.forEach((truth, i) => {
    const found = classes[n * size + i];
    ++either[truth];
    if (found === truth) ++both[truth];
    else ++either[found];
  }));
  const present = [...either.keys()].filter((c) => either[c] > 0);
  return present.reduce((sum, c) => sum + both[c] / either[c], 0) / present.length;
}

// Intersection / union of "output > 0" and packed bits (first element in the highest bit), over the whole set.
export function occupancyIou(output, bits) {
  let [both, either] = [0, 0];
  for (let i = 0; i < output.data.length; ++i) {
    const truth = (bits[i >> 3] >> (7 - (i & 7))) & 1;
    const found = output.data[i] > 0 ? 1 : 0;
    both += truth & found;
    either += truth | found;
  }
  return both / either;
}

// 10 log10(sum x^2 / sum (x - y)^2) in dB.
export function sqnr(reference, other) {
  let [signal, noise] = [0, 0];
  reference.data.forEach((x, i) => {
    signal += x * x;
    noise += (x - other.data[i]) ** 2;
  });
  return 10 * Math.log10(signal / noise);
}

// Share of samples (or pixels) whose largest channel differs.
export function changedArgmax(reference, other) {
  const [a, b] = [argmaxOfChannels(reference), argmaxOfChannels(other)];
  let changed = 0;
  a.forEach((value, i) => { changed += value !== b[i]; });
  return changed / a.length;
}

// Share of elements that differ by at most `step`, and the largest difference.
export function within(reference, other, step) {
  let [inside, worst] = [0, 0];
  reference.data.forEach((x, i) => {
    const distance = Math.abs(x - other.data[i]);
    inside += distance <= step;
    // A NaN is never inside and must not look like a distance of 0.
    if (!(distance <= worst)) worst = distance;
  });
  return { share: inside / reference.data.length, worst };
}

export const largest = ({ data }) => data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

// Compares logits [N, L, C] with the symbols that follow, [N, L]: {nats: mean cross entropy, right: share of correct
// symbols}. NaN if a logit is not finite.
export function nextTokens({ dims, data }, next) {
  const classes = dims.at(-1);
  let [nats, hits] = [0, 0];
  next.data.forEach((truth, i) => {
    const row = data.subarray(i * classes, (i + 1) * classes);
    const best = row.reduce((a, b) => Math.max(a, b));
    const finite = row.every(Number.isFinite);
    nats += finite ? best + Math.log(row.reduce((sum, x) => sum + Math.exp(x - best), 0)) - row[Number(truth)] : NaN;
    hits += finite && row.indexOf(best) === Number(truth);
  });
  return { nats: nats / next.data.length, right: hits / next.data.length };
}
