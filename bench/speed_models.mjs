// What bench/compare_with_onnxruntime measures. `batch` is what ONNX Runtime gets at a time (Detent always runs samples one by
// one, side by side); `bound` and `calibrateBound` are the ratios we hold ourselves to.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const shared = resolve(process.env.DETENT_SHARED ?? join(root, '../shared'));
const at = (path) => join(shared, path);

export const program = resolve(process.env.DETENT ?? join(root, 'build/release/detent'));

// Generated, not stored: see resnet50.mjs.
export const resnet50 = { name: 'resnet50', dims: [3, 224, 224], batch: 8, bound: 1.0, calibrateBound: 1.15 };

export const models = [
  resnet50,
  { name: 'mobilenetv2', file: at('models/imagenet_mobilenetv2/model_opset12.onnx'), dims: [3, 224, 224], bound: 1.0,
    calibrateBound: 1.4 },
  { name: 'squeezenet1.1', file: at('models/imagenet_squeezenet1.1/model_opset12.onnx'), dims: [3, 224, 224], bound: 1.0,
    calibrateBound: 1.4 },
  { name: 'efficientnet_b0', file: at('models/cifar10_efficientnet_b0/model_opset17.onnx'), dims: [3, 64, 64], bound: 1.0,
    calibrateBound: 1.5 },
  { name: 'resnet18', file: at('models/cifar10_resnet18/model_opset17.onnx'), dims: [3, 32, 32], bound: 1.0,
    calibrateBound: 1.5 },
  { name: 'shapes_unet', file: at('models/shapes_unet/model_opset13.onnx'), dims: [3, 128, 128], bound: 1.0,
    calibrateBound: 1.15 },
  { name: 'occupancy3d', file: at('models/occupancy3d/model_opset13.onnx'), dims: [64, 4, 4, 4], bound: 0.7,
    calibrateBound: 0.9 },
  { name: 'vit_mini', file: at('exports/vit_mini/legacy_opset14.onnx'), dims: [3, 96, 96], bound: 1.0 },
  { name: 'yolo_mini', file: at('exports/yolo_mini/legacy_opset12.onnx'), dims: [3, 128, 128], bound: 1.0 },
  { name: 'mobilenetv3_small', file: at('exports/mobilenetv3_small/legacy_opset13.onnx'), dims: [3, 224, 224], bound: 1.0 },
].filter((model) => !model.file || existsSync(model.file));
