"""What each method does with a worker's buckets: prepare (on this worker alone), exchange (the network), finish (alone).

Only `exchange` is timed as communication: what a GPU would do of prepare and finish in little time takes a CPU long. The
work that netsense itself does for its codecs lies inside `exchange` and counts.
Buffers are made once and kept, since the plugin knows a bucket's error feedback by its address.
"""
import numpy


def to_bf16(values):
    """The bits of f32 values rounded to bf16, to nearest and to even. Not for NaN."""
    bits = values.view(numpy.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)


def from_bf16(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


class Dense:
    """An all-reduce of each bucket as it is."""

    def __init__(self, method, buckets, workers):
        self.buckets, self.workers = buckets, workers
        self.sums = [numpy.empty_like(bucket) for bucket in buckets]

    def prepare(self):
        """Nothing: the buckets themselves are sent."""

    def exchange(self, comm):
        for bucket, total in zip(self.buckets, self.sums, strict=True):
            comm.all_reduce(bucket, total)
        comm.synchronize()

    def received(self):
        return self.sums

    def finish(self):
        """Leaves the averages in the buckets."""
        for bucket, total in zip(self.buckets, self.sums, strict=True):
            numpy.divide(total, numpy.float32(self.workers), out=bucket)


class Rounded:
    """An all-reduce of each bucket in bf16."""

    def __init__(self, method, buckets, workers):
        self.buckets, self.workers = buckets, workers
        self.coded = [numpy.empty(bucket.size, numpy.uint16) for bucket in buckets]
        self.sums = [numpy.empty_like(coded) for coded in self.coded]

    def prepare(self):
        for bucket, coded in zip(self.buckets, self.coded, strict=True):
            coded[:] = to_bf16(bucket)

    def exchange(self, comm):
        for coded, total in zip(self.coded, self.sums, strict=True):
            comm.all_reduce(coded, total)
        comm.synchronize()

    def received(self):
        return self.sums

    def finish(self):
        for bucket, total in zip(self.buckets, self.sums, strict=True):
            numpy.divide(from_bf16(total), numpy.float32(self.workers), out=bucket)


def largest(values, count):
    """Positions of the `count` largest magnitudes, ascending."""
    return numpy.sort(numpy.argpartition(numpy.abs(values), values.size - count)[values.size - count:])


class TopK:
    """An all-gather of the largest values of each bucket and of their positions, added up by every worker in rank order."""

    def __init__(self, method, buckets, workers):
        self.buckets, self.workers = buckets, workers
        self.residuals = [numpy.zeros_like(bucket) for bucket in buckets] if method.feedback else None
        kept = [max(1, int(method.fraction * bucket.size)) for bucket in buckets]
        self.values = [numpy.empty(count, numpy.float32) for count in kept]
        self.indices = [numpy.empty(count, numpy.int32) for count in kept]
        self.all_values = [numpy.empty(count * workers, numpy.float32) for count in kept]
        self.all_indices = [numpy.empty(count * workers, numpy.int32) for count in kept]

    def prepare(self):
        for number, bucket in enumerate(self.buckets):
            left = bucket
            if self.residuals:
                left = self.residuals[number]
                left += bucket
            chosen = largest(left, self.values[number].size)
            self.indices[number][:] = chosen
            self.values[number][:] = left[chosen]
            if self.residuals:
                left[chosen] = 0

    def exchange(self, comm):
        for number in range(len(self.buckets)):
            comm.all_gather(self.values[number], self.all_values[number])
            comm.all_gather(self.indices[number], self.all_indices[number])
        comm.synchronize()

    def received(self):
        return self.all_values + self.all_indices

    def finish(self):
        for bucket, values, indices in zip(self.buckets, self.all_values, self.all_indices, strict=True):
            bucket[:] = 0
            for own, places in zip(values.reshape(self.workers, -1), indices.reshape(self.workers, -1), strict=True):
                bucket[places] += own  # places of one worker are distinct
            bucket /= numpy.float32(self.workers)


EXCHANGES = {"f32": Dense, "bf16": Rounded, "topk": TopK}


def make(method, buckets, workers):
    return EXCHANGES[method.exchange](method, buckets, workers)
