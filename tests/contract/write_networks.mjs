// node write_networks.mjs FOLDER SEED...: writes FOLDER/SEED.onnx and FOLDER/SEED.npy, the random networks of the tests
// of ONNX Runtime. Even seeds: layers and what exporters put around them; odd seeds: many types, graphs inside,
// functions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeNpy } from '../onnxruntime/npy.mjs';
import { randomGraph as layersOf } from '../onnxruntime/random_graphs.mjs';
import { random } from '../onnxruntime/random_inputs.mjs';
import { randomGraph as typesOf } from '../onnxruntime/random_types.mjs';

const kSamples = 6;
const [folder, ...seeds] = process.argv.slice(2);
for (const seed of seeds.map(Number)) {
  const file = join(folder, String(seed));
  if (seed % 2 === 0) {
    const { bytes, dims } = layersOf(seed);
    writeFileSync(`${file}.onnx`, bytes);
    writeNpy(`${file}.npy`, random([kSamples, ...dims.slice(1)], 2, seed + 1));
  } else {
    const graph = typesOf(seed);
    if (!graph) continue;  // a few seeds make no node
    writeFileSync(`${file}.onnx`, graph.model);
    writeNpy(`${file}.npy`, graph.samples(kSamples));
  }
}
