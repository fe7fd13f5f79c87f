// The models of these tests: their files, how their samples are read, and their scores in FP32 (measured in ONNX
// Runtime on the whole evaluation set). `sample` is bundled; the others need the shared folder.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everyNth, readNpy } from './npy.mjs';
import { readPng } from './png.mjs';
import { meanIou, occupancyIou, top1 } from './score.mjs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const shared = resolve(process.env.DETENT_SHARED ?? join(root, '../shared'));

const imagenet = 'unit,mean=.485/.456/.406,std=.229/.224/.225';
const cifar = 'mean=.4914/.4822/.4465,std=.2470/.2435/.2616';

// Every stride-th image of a folder, in natural order, with its mask.
function segmentation(folder) {
  return (stride) => {
    const files = readdirSync(join(folder, 'images')).sort().filter((_, index) => index % stride === 0);
    const masks = files.map((file) => readPng(join(folder, 'masks', file)).data);
    const images = files.map((file) => join(folder, 'images', file));
    return { files: images, masks: join(folder, 'masks'), score: (output) => meanIou(output, masks) };
  };
}

// Every stride-th line of a `file,label` list whose files lie in a folder of the list's name.
function classification(list) {
  return (stride) => {
    const lines = readFileSync(list, 'utf8').trim().split('\n').slice(1).filter((_, index) => index % stride === 0);
    const rows = lines.map((line) => line.trim().split(','));
    const labels = rows.map((row) => Number(row[1]));
    const folder = join(dirname(list), basename(list, '.csv'));
    return { files: rows.map((row) => join(folder, row[0])), labels, score: (output) => top1(output, labels) };
  };
}

// Every stride-th sample of a stack, with its packed bits.
function occupancy(folder) {
  return (stride) => {
    const truth = join(folder, 'occupancy_bits.npy');
    const bits = everyNth(readNpy(truth), stride).data;
    return { stack: join(folder, 'latents.npy'), stride, truth, score: (output) => occupancyIou(output, bits) };
  };
}

const inShared = (path) => join(shared, path);

export const models = [
  {
    name: 'sample', file: join(root, 'datasets/samples/shapes_unet/model_opset13.onnx'),
    calibration: join(root, 'datasets/samples/shapes_unet/calib'), preprocess: imagenet,
    evaluation: segmentation(join(root, 'datasets/samples/shapes_unet/eval')), metric: 'mIoU',
  },
  {
    name: 'shapes_unet', file: inShared('models/shapes_unet/model_opset13.onnx'),
    calibration: inShared('models/shapes_unet/calib'), preprocess: imagenet,
    evaluation: segmentation(inShared('models/shapes_unet/eval')), metric: 'mIoU', fp32: 0.9934, atLeast: 0.990,
  },
  {
    name: 'occupancy3d', file: inShared('models/occupancy3d/model_opset13.onnx'),
    calibration: inShared('models/occupancy3d/calib'),
    evaluation: occupancy(inShared('models/occupancy3d/eval')), metric: 'IoU', fp32: 0.9785, atLeast: 0.975,
  },
  {
    name: 'cifar10_resnet18', file: inShared('models/cifar10_resnet18/model_opset17.onnx'),
    calibration: inShared('images/cifar10/calib'), preprocess: `unit,${cifar}`,
    evaluation: classification(inShared('images/cifar10/eval.csv')), metric: 'top-1', fp32: 0.8920, atLeast: 0.887,
  },
  {
    // .7890 and not .7900: our preprocessing resizes the 8-bit pixels.
    name: 'cifar10_efficientnet_b0', file: inShared('models/cifar10_efficientnet_b0/model_opset17.onnx'),
    calibration: inShared('images/cifar10/calib'), preprocess: `unit,resize=64x64,${cifar}`,
    evaluation: classification(inShared('images/cifar10/eval.csv')), metric: 'top-1', fp32: 0.7890,
  },
  {
    name: 'imagenet_mobilenetv2', file: inShared('models/imagenet_mobilenetv2/model_opset12.onnx'),
    calibration: inShared('images/imagenet/calib'), preprocess: 'imagenet-opencv',
    evaluation: classification(inShared('images/imagenet/eval.csv')), metric: 'top-1', fp32: 0.840, bestAtLeast: 0.82,
  },
  {
    name: 'imagenet_squeezenet1.1', file: inShared('models/imagenet_squeezenet1.1/model_opset12.onnx'),
    calibration: inShared('images/imagenet/calib'), preprocess: 'imagenet-opencv',
    evaluation: classification(inShared('images/imagenet/eval.csv')), metric: 'top-1', fp32: 0.6375,
  },
];

export const modelNamed = (name) => models.find((model) => model.name === name);
export const calibrators = ['max', 'percentile', 'entropy', 'mse'];
// The candidates of --calibrator auto.
export const candidates = ['max', 'entropy', 'mse', 'percentile:99.9', 'percentile:99.99', 'percentile:99.999',
  'samplemax:99', 'samplemax:95', 'samplemax:90', 'samplemax:50'];

// Level at which ONNX Runtime judges a file for a target: int8 symmetric models without graph optimizations, because
// from level "basic" on it drops a Clip(0,6) before an int8 QuantizeLinear.
export const levelOf = { tensorrt: 'disabled', onnxruntime: 'all' };

// A reason to skip, or false.
export const missing = (model) => (existsSync(model.file) ? false : `${model.file} is not there`);
