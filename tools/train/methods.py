"""The ways to average gradients that are compared: how each is written, and what it sets. Needs no numpy.

    dense-f32        all-reduce, nothing compressed (netsense with NETSENSE_MODE=off)
    dense-bf16       the same on gradients rounded to bf16
    topk:F           the F largest of each bucket by all-gather: f32 values, 32-bit indices; error feedback
    topk:F:plain     the same without error feedback
    lossless         dense-f32 with NETSENSE_MODE=lossless
    reference        dense-f32 over the plain TCP plugin of tests/reference
    model            NETSENSE_MODE=adaptive with our controller
    netsenseml       ... with the controller of the NetSenseML prototype
    fixed:CODEC      ... always with one codec: fixed:lossless, fixed:q8 ... fixed:q2, fixed:top0.01q4
"""
import dataclasses
import math
import re

OFF = {"NETSENSE_MODE": "off"}


@dataclasses.dataclass(frozen=True)
class Method:
    name: str
    exchange: str = "f32"  # f32, bf16 or topk
    plugin: str = "netsense"
    settings: tuple = ()  # (name, value) of the environment
    fraction: float = 1.0  # topk
    feedback: bool = False

    @property
    def adapts(self):
        """Whether what is sent depends on the network while it runs."""
        return self.name in ("model", "netsenseml")


def _adaptive(name):
    return Method(name, settings=(("NETSENSE_MODE", "adaptive"), ("NCCL_COLLNET_ENABLE", "1"),
                                  ("NETSENSE_LOSSY_CONTROLLER", name)))


def parse(text):
    """The method of that name; ValueError says what is allowed."""
    off = tuple(OFF.items())
    known = {"dense-f32": Method("dense-f32", settings=off),
             "dense-bf16": Method("dense-bf16", "bf16", settings=off),
             "lossless": Method("lossless", settings=(("NETSENSE_MODE", "lossless"),)),
             "reference": Method("reference", plugin="reference"),
             "model": _adaptive("model"), "netsenseml": _adaptive("netsenseml")}
    if text in known:
        return known[text]
    top = re.fullmatch(r"topk:(0?\.\d+|1)(:plain)?", text)
    if top and 0 < float(top[1]) <= 1:
        return Method(text, "topk", settings=off, fraction=float(top[1]), feedback=not top[2])
    if re.fullmatch(r"fixed:(lossless|q[2-8]|top0?\.\d+q[2-8])", text):
        return _adaptive(text)
    raise ValueError(f"no method {text!r}; there are {', '.join(known)}, topk:0.1, topk:0.1:plain, fixed:lossless, "
                     "fixed:q8 to fixed:q2, fixed:top0.01q4 and the like")


def bucket_elements(parameters, limit_bytes):
    """Element counts of the buckets: parameters (their sizes, in the order of the backward pass) are put one behind the
    other; a bucket ends with the one that fills it, as in DDP. None is split."""
    buckets, elements = [], 0
    for size in parameters:
        elements += size
        if elements * 4 >= limit_bytes:
            buckets.append(elements)
            elements = 0
    return buckets + [elements] if elements else buckets


def dense_bytes(elements, workers):
    """What a bandwidth-optimal all-reduce of f32 makes each worker send: 2 (N-1)/N of the data (Patarasuk, Yuan 2009)."""
    return 2 * (workers - 1) / workers * 4 * elements


DENSE_LEVELS = (8, 7, 6, 5, 4, 3)
SPARSE_LEVELS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
SCALE_BITS = 16 / 256  # one 16-bit scale per 256 values
# No lossy level is above 0.26, but a step may be part lossless, part lossy. Where lossless coding alone gets below this
# (it was seen at 0.64), learning with q8 in its place errs on the safe side.
LOSSLESS_FROM = 0.75


def fixed_for(ratio):
    """The fixed codec that is nearest to bytes sent over dense f32 bytes from below: it sends no more, so that a
    controller which sent so much is not shown to learn better than it would."""
    if ratio >= LOSSLESS_FROM:
        return "fixed:lossless"
    levels = [((bits + SCALE_BITS) / 32, f"fixed:q{bits}") for bits in DENSE_LEVELS]
    levels += [(sparse_ratio(keep, 4), f"fixed:top{keep}q4") for keep in SPARSE_LEVELS]
    levels.sort(reverse=True)
    return next((name for size, name in levels if size <= ratio), levels[-1][1])


def sparse_ratio(keep, bits):
    """Bytes over f32 bytes of a top-k block: values, and positions as a bitmap or, where smaller, as packed gaps of about
    log2(1/keep) + 1.5 bits."""
    return (keep * (bits + SCALE_BITS) + min(1, keep * (math.log2(1 / keep) + 1.5))) / 32
