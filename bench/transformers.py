"""transformers.py DETENT SHARED LM [NETWORK...] [-- MORE...]

Quantizes transformers with attention in float, INT8 and FP8, and prints a row for each: score, SQNR, share of the MACs
in 8 bits with those of attention, blocks of attention that are quantized, size. LM is the folder that
train_transformers.py wrote. The options of `detent quantize` in MORE follow each of its calls."""

import pathlib

import numpy
from networks import Network, arguments, print_header, print_row, scratch, unlabelled
from verdicts import report_with_file

FORMS = [("int8", "float"), ("int8", "int8"), ("fp8", "float"), ("fp8", "fp8")]  # --type and --policy attention
WINDOW = 256  # ids


def hidden(option, lm, file, limit, folder):
    """Returns options with windows of ids of which every seventh is hidden, and the mask that BERT reads with them."""
    ids = numpy.load(lm / file)[:limit, :WINDOW].astype(numpy.int64)
    ids.reshape(-1)[3::7] = numpy.load(lm / "calib_ids.npy").max() + 1
    options = []
    for name, stack in (("ids", ids), ("mask", numpy.ones_like(ids))):
        path = folder / f"{option}_{name}.npy"
        numpy.save(path, stack)
        options += [f"--{option}", f"{name}={path}"]
    return options


def labelled_images(lm, count, folder):
    """Returns options with one file for each image, as labels name files."""
    images, labels = (numpy.load(lm / f"eval_{kind}.npy")[:count] for kind in ("images", "labels"))
    (folder / "images").mkdir()
    for index, image in enumerate(images):
        numpy.save(folder / f"images/{index}.npy", image[None])
    table = folder / "labels.csv"
    table.write_text("file,label\n" + "".join(f"{index}.npy,{label}\n" for index, label in enumerate(labels)))
    return ["--eval", folder / "images", "--labels", table]


def text(model, folder):
    return Network([model, "--data", folder / "calib_ids.npy", "--eval", folder / "eval_ids.npy", "--eval-limit", 64,
                    "--next-token"])


def networks(shared, lm, folder):
    exported, gpt = unlabelled(shared), shared / "models/chars_gpt"
    found = {"chars_gpt": text(gpt / "model_opset17.onnx", gpt), "bert_mini": exported.get("bert_mini, dynamo_opset18"),
             "vit_mini": exported.get("vit_mini, dynamo_opset20")}
    found |= {name: text(lm / f"{name}.onnx", lm) for name in ("llama", "llama_gated", "llama_out8", "llama_out32", "qwen")}
    found["bert"] = Network([lm / "bert.onnx", *hidden("data", lm, "calib_ids.npy", 64, folder),
                             *hidden("eval", lm, "eval_ids.npy", 64, folder)])
    if (lm / "vit.onnx").exists():
        found["vit"] = Network([lm / "vit.onnx", "--data", lm / "calib_images.npy", *labelled_images(lm, 1000, folder)])
    return {name: network for name, network in found.items() if network and network.options[0].exists()}


def share(report):
    """Returns the share of the MACs in 8 bits, products of attention among them."""
    blocks, coverage = report["attention"], report["coverage"]
    coded = coverage["int8_macs"] + sum(block["macs"] for block in blocks if block["quantized"])
    return coded / (coverage["macs"] + sum(block["macs"] for block in blocks))


def percent(part):
    return "" if part is None else f"{100 * part:.2f} %"


def main():
    given = arguments(__doc__, "lm")
    print_header("network, FP32", "type", "attention", "score", "SQNR dB", "argmax agreement", "MACs in 8 bits", "blocks", "size")
    with scratch() as folder:
        for name, network in networks(given.shared, given.lm, pathlib.Path(folder)).items():
            if given.networks and name not in given.networks:
                continue
            for kind, attention in FORMS:
                report, size = report_with_file(given.detent, [
                    *network.options, "--type", kind, "--policy", f"attention={attention}",
                    *(["--max-drop", 9] if network.bounded else []), *given.options])
                bound, error, blocks = report.get("bound"), report["error"], report["attention"]
                print_row(f"{name}, {bound['fp32']:.4f} {bound['metric']}" if bound else name, kind, attention,
                          f"{bound['reached']:.4f}" if bound else "", f"{error['sqnr_db']:.1f}",
                          percent(error["argmax_agreement"]), f"{100 * share(report):.1f} %",
                          f"{sum(block['quantized'] for block in blocks)} of {len(blocks)}", f"{size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
