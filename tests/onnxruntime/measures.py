"""Scores of a stack of outputs, and distances between two stacks."""

import numpy


def argmax(output):
    """[N, C, ...] -> index of the largest of C for each sample and position."""
    return output.argmax(1).ravel()


def decisions(output):
    """Returns the decision of an output at each place: the largest channel, or the sign of a single channel."""
    return (output > 0).ravel() if output.shape[1] == 1 else argmax(output)


def top1(output, labels):
    """Returns the share of samples whose largest output is the label."""
    return float((argmax(output) == labels).mean())


def mean_iou(output, masks):
    """Returns the mean over the classes of intersection / union, both counted over the whole set."""
    classes, truth, channels = argmax(output), masks.ravel(), output.shape[1]
    found, wanted = (numpy.bincount(each, minlength=channels) for each in (classes, truth))
    both = numpy.bincount(truth[classes == truth], minlength=channels)
    either = found + wanted - both
    return float((both[either > 0] / either[either > 0]).mean())


def occupancy_iou(output, bits):
    """Returns intersection / union of "output > 0" and packed bits (first element in the highest bit)."""
    truth, found = numpy.unpackbits(bits).astype(bool), output.ravel() > 0
    return float((truth & found).sum() / (truth | found).sum())


def sqnr(reference, other):
    """Returns 10 log10(sum x^2 / sum (x - y)^2) in dB."""
    reference, other = (numpy.asarray(array, numpy.float64).ravel() for array in (reference, other))
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return float(10 * numpy.log10((reference ** 2).sum() / ((reference - other) ** 2).sum()))


def changed_argmax(reference, other):
    """Returns the share of samples (or pixels) whose largest channel differs."""
    return float((argmax(reference) != argmax(other)).mean())


def within(reference, other, step):
    """Returns the share of elements that differ by at most `step`, and the largest difference, NaN if there is one."""
    distance = numpy.abs(numpy.asarray(reference, numpy.float64) - numpy.asarray(other, numpy.float64))
    return float((distance <= step).mean()), float(distance.max())


def largest(array):
    return float(numpy.abs(array.astype(numpy.float64)).max())


def finite(array):
    return array.dtype.kind != "f" or bool(numpy.isfinite(array).all())


def next_tokens(logits, following):
    """Compares logits [N, L, C] with the symbols that follow, [N, L]. Returns (mean cross entropy in nats, share of
    correct symbols); NaN if a logit is not finite."""
    logits = logits.astype(numpy.float64)
    good = numpy.isfinite(logits).all(-1)
    with numpy.errstate(invalid="ignore"):
        shifted = logits - logits.max(-1, keepdims=True)
        told = numpy.take_along_axis(shifted, following[..., None], -1)[..., 0]
        nats = numpy.where(good, numpy.log(numpy.exp(shifted).sum(-1)) - told, numpy.nan)
    return float(nats.mean()), float((good & (logits.argmax(-1) == following)).mean())


def different(a, b):
    """Returns how many elements differ in a bit; NaNs are equal."""
    both_nan = numpy.isnan(a) & numpy.isnan(b) if a.dtype.kind == "f" else False
    return int((~both_nan & ((a != b) | (numpy.signbit(a.astype(float)) != numpy.signbit(b.astype(float))))).sum())
