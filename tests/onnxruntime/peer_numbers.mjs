// The scores of onnxruntime.quantization on the same models and images, from the shared folder (reference/peers).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shared } from './models.mjs';

// The files of the numbers and their names of the model.
const peers = {
  shapes_unet: ['shapes_unet_occupancy3d.json', 'unet'],
  occupancy3d: ['shapes_unet_occupancy3d.json', 'occ'],
  cifar10_resnet18: ['cifar10_resnet18.json', 'resnet18'],
  cifar10_efficientnet_b0: ['cifar10_efficientnet_b0.json', 'efficientnet_b0'],
};
export const namesOfPeers = Object.keys(peers);
export const theirMethods = ['MinMax', 'Entropy', 'Percentile'];
// Their grid of activations and our target with the same.
export const grids = { s8: 'tensorrt', u8: 'onnxruntime' };

// Returns [{method, score, sqnr}]; an empty list for models without numbers.
export function theirs(name, grid) {
  if (!peers[name]) return [];
  const [file, model] = peers[name];
  const rows = JSON.parse(readFileSync(join(shared, 'reference/peers', file), 'utf8'));
  return theirMethods.map((method) => {
    const row = rows.find((entry) => entry.model === model && entry.method === method && entry.act === grid);
    return { method, score: row.score ?? row.top1, sqnr: row.sqnr_db };
  });
}
