// The models of bench/compare_with_onnxruntime and bench/beside_openvino.py. `dims` is the shape of a sample of the
// only input; `inputs` describes several, or ids: {NAME: {dims, below}} are whole numbers from 0 to below - 1. `make`
// writes generated models. `batch` is ONNX Runtime's batch (Detent runs samples one by one, side by side), `most`
// bounds the number of samples; `bound` is the allowed ratio of `run` and `calibrate`.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const shared = resolve(process.env.DETENT_SHARED ?? join(root, '../shared'));
const at = (path) => join(shared, path);

export const program = resolve(process.env.DETENT ?? join(root, 'build/release/detent'));

// made SCRIPT ARGUMENT...: `node SCRIPT FILE ARGUMENT...` writes the model.
const made = (script, ...args) => (file) =>
  execFileSync('node', [fileURLToPath(new URL(script, import.meta.url)), file, ...args.map(String)]);
const ids = (length, below) => ({ ids: { dims: [length], below } });

export const models = [
  { name: 'resnet50', make: made('resnet50.mjs'), dims: [3, 224, 224], batch: 8, bound: 1.0 },
  { name: 'mobilenetv2', file: at('models/imagenet_mobilenetv2/model_opset12.onnx'), dims: [3, 224, 224], bound: 1.0 },
  { name: 'squeezenet1.1', file: at('models/imagenet_squeezenet1.1/model_opset12.onnx'), dims: [3, 224, 224], bound: 1.0 },
  { name: 'efficientnet_b0', file: at('models/cifar10_efficientnet_b0/model_opset17.onnx'), dims: [3, 64, 64], bound: 1.0 },
  { name: 'resnet18', file: at('models/cifar10_resnet18/model_opset17.onnx'), dims: [3, 32, 32], bound: 1.0 },
  { name: 'shapes_unet', file: at('models/shapes_unet/model_opset13.onnx'), dims: [3, 128, 128], bound: 1.0 },
  { name: 'occupancy3d', file: at('models/occupancy3d/model_opset13.onnx'), dims: [64, 4, 4, 4], bound: 0.7 },
  { name: 'vit_mini', file: at('exports/vit_mini/legacy_opset14.onnx'), dims: [3, 96, 96], bound: 1.0 },
  { name: 'jax_vit', file: at('zoo/jax_vit_fn/model.onnx'), dims: [100, 256], bound: 1.0 },
  { name: 'yolo_mini', file: at('exports/yolo_mini/legacy_opset12.onnx'), dims: [3, 128, 128], bound: 1.0 },
  { name: 'mobilenetv3_small', file: at('exports/mobilenetv3_small/legacy_opset13.onnx'), dims: [3, 224, 224], bound: 1.0 },
  { name: 'chars_gpt', file: at('models/chars_gpt/model_opset17.onnx'), inputs: ids(256, 73), bound: 1.0 },
  { name: 'bert_mini', file: at('exports/bert_mini/legacy_opset14.onnx'),
    inputs: { input_ids: { dims: [32], below: 300 }, attention_mask: { dims: [32], ones: true } }, bound: 1.0 },
  // As large as BERT-mini: 4 layers of width 256. The exported one is fixed at 32 ids.
  { name: 'transformer_128', make: made('large_transformer.mjs', 4, 256), inputs: ids(128, 8192), bound: 1.0 },
  // 2.4 GB: only by --only, because it takes minutes.
  { name: 'transformer_2.4GB', make: made('large_transformer.mjs'), inputs: ids(128, 8192), short: 2, most: 10,
    bound: 1.0, onlyByName: true },
].filter((model) => !model.file || existsSync(model.file));
