// Every model of the shared folder as it was exported, with real inputs: the executor must compute it like ONNX
// Runtime.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { modelNamed, shared } from './models.mjs';

const inShared = (path) => join(shared, path);
const imagenet = modelNamed('shapes_unet').preprocess;

// The first images of a folder.
const images = (folder, count) => () =>
  ({ files: readdirSync(inShared(folder)).sort().slice(0, count).map((file) => join(inShared(folder), file)) });

// A model of models.mjs, or another file of the same network, on every stride-th evaluation sample.
function scored(name, stride, file) {
  const model = modelNamed(name);
  return { name: file ? `${name}/${file}` : name, file: file ? inShared(`models/${name}/${file}.onnx`) : model.file,
    preprocess: model.preprocess, samples: () => model.evaluation(stride) };
}

export const floatModels = [
  scored('shapes_unet', 12),
  scored('shapes_unet', 12, 'model_opset20_dynamo'),
  // Every intermediate value is rounded to 11 bits, by each program at other places.
  { ...scored('shapes_unet', 12, 'model_fp16_opset17'), tolerance: 2e-2 },
  scored('occupancy3d', 24),
  scored('occupancy3d', 24, 'model_opset20_dynamo'),
  scored('cifar10_resnet18', 63),
  scored('cifar10_efficientnet_b0', 63),
  scored('imagenet_mobilenetv2', 20),
  scored('imagenet_squeezenet1.1', 20),
  { name: 'coco_yolox_nano', file: inShared('models/coco_yolox_nano/model_opset11.onnx'), preprocess: 'yolox',
    samples: images('images/coco', 8) },
  { name: 'face_rfb320', file: inShared('models/face_rfb320/model_opset9.onnx'),
    preprocess: 'raw,mean=127/127/127,std=128/128/128', samples: images('images/faces', 8) },
  { name: 'text_ppocrv3_det', file: inShared('models/text_ppocrv3_det/model_opset14.onnx'),
    preprocess: `${imagenet},resize=640x480`, samples: images('images/ocr', 3) },
  { name: 'style_starry_night', file: inShared('models/style_starry_night/model_opset12.onnx'), preprocess: 'raw',
    samples: images('images/coco', 2) },
];

// Small networks as two exporters write them, with one stored sample each.
export function exportedModels() {
  const folder = inShared('exports');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort().flatMap((network) =>
    readdirSync(join(folder, network)).filter((file) => file.endsWith('.onnx')).sort().map((file) => ({
      name: `exports/${network}/${file.replace('.onnx', '')}`, file: join(folder, network, file),
      samples: () => ({ source: join(folder, network, 'test_data_set_0') }),
    })));
}
