// Quantizes transformers with attention in float, INT8 and FP8, and prints a row for each: score, SQNR, share of the
// MACs in 8 bits with those of attention, blocks of attention that are quantized, size. LM is the folder that
// train_transformers.py wrote. The options of `detent quantize` in MORE follow each of its calls.
//
//   node bench/transformers.mjs DETENT SHARED LM [NETWORK...] [-- MORE...]
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readNpy, sampleOf, writeNpy} from '../tests/onnxruntime/npy.mjs';
import {unlabelledNetworks} from './unlabelled_networks.mjs';

const [detent, shared, lm, ...rest] = process.argv.slice(2);
if (!lm || !existsSync(join(shared, 'models/chars_gpt')) || !existsSync(join(lm, 'calib_ids.npy'))) {
  console.error('usage: node bench/transformers.mjs DETENT SHARED LM [NETWORK...] [-- MORE...]');
  process.exit(2);
}
const [only, more] = rest.includes('--') ? [rest.slice(0, rest.indexOf('--')), rest.slice(rest.indexOf('--') + 1)]
  : [rest, []];

const FORMS = [['int8', 'float'], ['int8', 'int8'], ['fp8', 'float'], ['fp8', 'fp8']];  // --type and --policy attention

const scratch = mkdtempSync(join(tmpdir(), 'transformers-'));

/** Returns options with windows of 256 ids of which every seventh is hidden, and the mask that BERT reads with them. */
function hidden(option, file, limit) {
  const {dims: [count, width], data} = readNpy(join(lm, file));
  const [windows, length] = [Math.min(count, limit), 256];
  const hole = readNpy(join(lm, 'calib_ids.npy')).data.reduce((most, id) => id > most ? id : most) + 1n;
  const ids = BigInt64Array.from({length: windows * length}, (_, i) =>
    i % 7 === 3 ? hole : data[Math.floor(i / length) * width + i % length]);
  const stacks = {ids, mask: new BigInt64Array(windows * length).fill(1n)};
  return Object.entries(stacks).flatMap(([name, stack]) => {
    const path = join(scratch, `${option}_${name}.npy`);
    writeNpy(path, {type: 'int64', dims: [windows, length], data: stack});
    return [`--${option}`, `${name}=${path}`];
  });
}

/** Returns options with one file for each image, as labels name files. */
function labelled(count) {
  const images = readNpy(join(lm, 'eval_images.npy')), labels = readNpy(join(lm, 'eval_labels.npy')).data;
  const [folder, table] = [join(scratch, 'images'), join(scratch, 'labels.csv')];
  mkdirSync(folder);
  for (let i = 0; i < count; ++i) writeNpy(join(folder, `${i}.npy`), sampleOf(images, i));
  writeFileSync(table, ['file,label', ...Array.from({length: count}, (_, i) => `${i}.npy,${labels[i]}`)].join('\n'));
  return ['--eval', folder, '--labels', table];
}

const text = (model, folder) => [model, '--data', join(folder, 'calib_ids.npy'), '--eval',
  join(folder, 'eval_ids.npy'), '--eval-limit', '64', '--next-token'];
const exported = unlabelledNetworks(shared);
const networks = {
  chars_gpt: text(join(shared, 'models/chars_gpt/model_opset17.onnx'), join(shared, 'models/chars_gpt')),
  bert_mini: exported['bert_mini, dynamo_opset18']?.options,
  vit_mini: exported['vit_mini, dynamo_opset20']?.options,
  ...Object.fromEntries(['llama', 'llama_gated', 'llama_out8', 'llama_out32', 'qwen'].map(name =>
    [name, text(join(lm, `${name}.onnx`), lm)])),
  bert: [join(lm, 'bert.onnx'), ...hidden('data', 'calib_ids.npy', 64), ...hidden('eval', 'eval_ids.npy', 64)],
  vit: [join(lm, 'vit.onnx'), '--data', join(lm, 'calib_images.npy'), ...labelled(1000)],
};

/** Returns the report of a run and the size of the file. */
function quantize(options, type, attention) {
  const file = join(scratch, 'x.onnx'), written = join(scratch, 'report.json');
  const bounded = options.some(word => /^--(labels|next-token)$/.test(word));
  try {
    execFileSync(detent, ['quantize', ...options, '--type', type, '--policy', `attention=${attention}`,
      ...bounded ? ['--max-drop', '9'] : [], ...more, '--accept-broken', '--quiet', '--overwrite', '-o', file,
      `--json=${written}`], {stdio: ['ignore', 'ignore', 'pipe']});
  } catch (error) {
    throw new Error(String(error.stderr));
  }
  return {...JSON.parse(readFileSync(written, 'utf8')), bytes: statSync(file).size};
}

const sum = numbers => numbers.reduce((all, one) => all + one, 0);
const percent = share => `${(100 * share).toFixed(1)} %`;

/** Returns the share of the MACs in 8 bits, products of attention among them. */
function share({coverage, attention}) {
  const coded = coverage.int8_macs + sum(attention.filter(block => block.quantized).map(block => block.macs));
  return coded / (coverage.macs + sum(attention.map(block => block.macs)));
}

function row(report, type, attention) {
  const {bound, error} = report, blocks = report.attention;
  const score = bound ? bound.reached.toFixed(4) : '';
  return [type, attention, score, error.sqnr_db.toFixed(1), `${(100 * error.argmax_agreement).toFixed(2)} %`,
    percent(share(report)), `${blocks.filter(block => block.quantized).length} of ${blocks.length}`,
    `${(report.bytes / 1e6).toFixed(2)} MB`];
}

const HEAD = ['network, FP32', 'type', 'attention', 'score', 'SQNR dB', 'argmax agreement', 'MACs in 8 bits', 'blocks', 'size'];
console.log(`| ${HEAD.join(' | ')} |\n|${' --- |'.repeat(HEAD.length)}`);
for (const [name, options] of Object.entries(networks)) {
  if (!options || !existsSync(options[0]) || (only.length > 0 && !only.includes(name))) continue;
  for (const [type, attention] of FORMS) {
    const report = quantize(options, type, attention);
    const label = report.bound ? `${name}, ${report.bound.fp32.toFixed(4)} ${report.bound.metric}` : name;
    console.log(`| ${[label, ...row(report, type, attention)].join(' | ')} |`);
  }
}
rmSync(scratch, {recursive: true});
