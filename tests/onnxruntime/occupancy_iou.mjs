// A metric command for `detent compare`: intersection over union of "output > 0" and the truth, larger is better.
//   --metric-command 'node tests/onnxruntime/occupancy_iou.mjs occupancy_bits.npy'
// The truth holds packed bits, first element in the highest bit. detent adds the folder of the float model's outputs,
// which is not read here, and the candidate's.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readNpy } from './npy.mjs';
import { occupancyIou } from './score.mjs';

const [truth, , candidate] = process.argv.slice(2);
const files = candidate ? readdirSync(candidate) : [];
if (files.length !== 1) {
  console.error('usage: occupancy_iou.mjs TRUTH.npy FP32_FOLDER CANDIDATE_FOLDER, with one output in each folder');
  process.exit(2);
}
const output = readNpy(join(candidate, files[0]));
const bits = readNpy(truth);
if (bits.data.length * 8 !== output.data.length) {
  console.error(`${truth} holds ${bits.data.length * 8} bits, ${files[0]} ${output.data.length} elements`);
  process.exit(2);
}
console.log(occupancyIou(output, bits.data));
