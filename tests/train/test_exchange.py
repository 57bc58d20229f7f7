"""What the methods make of the workers' gradients, against a sum in double precision. Needs numpy; run by test_workers.py's
Python, skipped with 77 where it is missing."""
import sys
import unittest

try:
    import numpy
except ImportError as error:
    print(f"skipped: {error}; run tools/setup --train or set NS_TRAIN_PYTHON")
    sys.exit(77)

import exchange
import methods

WORKERS, SIZES = 3, (1000, 257)


class Together:
    """Collectives of workers that take turns in one process: all give, then all take."""

    def __init__(self):
        self.given = [[] for _ in range(WORKERS)]

    def of(self, rank):
        return Rank(self, rank)


class Rank:
    def __init__(self, all_ranks, rank):
        self.all_ranks, self.rank, self.calls = all_ranks, rank, []

    def all_reduce(self, send, receive):
        self._call("reduce", send, receive)

    def all_gather(self, send, receive):
        self._call("gather", send, receive)

    def _call(self, what, send, receive):
        self.all_ranks.given[self.rank].append(send)
        self.calls.append((what, receive))

    def synchronize(self):
        """Left to `take`: nothing is there before all have given."""

    def take(self):
        for number, (what, receive) in enumerate(self.calls):
            given = [each[number] for each in self.all_ranks.given]
            if what == "gather":
                receive[:] = numpy.concatenate(given)
            elif receive.dtype == numpy.uint16:
                receive[:] = exchange.to_bf16(sum(exchange.from_bf16(each) for each in given))
            else:
                receive[:] = sum(given)


def average(made, gradients):
    """One step of all workers: {rank: averaged buckets}."""
    together = Together()
    comms = [together.of(rank) for rank in range(WORKERS)]
    for worker, own, comm in zip(made, gradients, comms, strict=True):
        for bucket, values in zip(worker.buckets, own, strict=True):
            bucket[:] = values
        worker.prepare()
        worker.exchange(comm)
    for comm in comms:
        comm.take()
    for worker in made:  # once all have taken: it overwrites what the worker gave
        worker.finish()
    return [[bucket.copy() for bucket in worker.buckets] for worker in made]


def workers(name):
    method = methods.parse(name)
    return [exchange.make(method, [numpy.zeros(size, numpy.float32) for size in SIZES], WORKERS) for _ in range(WORKERS)]


def draw(seed):
    generator = numpy.random.default_rng(seed)
    return [[generator.standard_normal(size).astype(numpy.float32) for size in SIZES] for _ in range(WORKERS)]


def exact(gradients, bucket):
    return numpy.mean([own[bucket].astype(numpy.float64) for own in gradients], axis=0)


class Exchanges(unittest.TestCase):
    def assert_replicas_equal(self, found):
        for own in found[1:]:
            for one, other in zip(found[0], own, strict=True):
                self.assertEqual(one.tobytes(), other.tobytes())

    def test_dense_is_the_mean(self):
        gradients = draw(1)
        found = average(workers("dense-f32"), gradients)
        self.assert_replicas_equal(found)
        for number, bucket in enumerate(found[0]):
            numpy.testing.assert_allclose(bucket, exact(gradients, number), rtol=1e-5, atol=1e-6)

    def test_bf16_is_the_mean_to_its_precision(self):
        gradients = draw(2)
        found = average(workers("dense-bf16"), gradients)
        self.assert_replicas_equal(found)
        largest = sum(numpy.abs(own[0]) for own in gradients).max()
        self.assertLess(numpy.abs(found[0][0] - exact(gradients, 0)).max(), largest * 2**-8)

    def test_bf16_rounds_to_nearest_and_ties_to_even(self):
        bits = numpy.array([0x3F808000, 0x3F818000, 0x3F808001, 0xBF807FFF, 0], numpy.uint32)
        self.assertEqual(list(exchange.to_bf16(bits.view(numpy.float32))), [0x3F80, 0x3F82, 0x3F81, 0xBF80, 0])

    def test_top_k_of_everything_is_the_mean(self):
        gradients = draw(3)
        found = average(workers("topk:1"), gradients)
        self.assert_replicas_equal(found)
        for number, bucket in enumerate(found[0]):
            numpy.testing.assert_allclose(bucket, exact(gradients, number), rtol=1e-5, atol=1e-6)

    def test_top_k_sums_each_workers_largest_also_where_they_meet(self):
        # All workers choose the same places: nobody's part overwrites another's.
        gradients = [[numpy.zeros(size, numpy.float32) for size in SIZES] for _ in range(WORKERS)]
        for rank, own in enumerate(gradients):
            own[0][7], own[0][8] = -3 * (rank + 1), 1e-3
        found = average([exchange.make(methods.Method("t", "topk", fraction=0.001), [numpy.zeros(size, numpy.float32)
                                                                                     for size in SIZES], WORKERS)
                         for _ in range(WORKERS)], gradients)
        self.assertEqual(found[0][0][7], -6)
        self.assertEqual(found[0][0][8], 0)

    def test_with_error_feedback_nothing_is_lost_for_good(self):
        """Sums over steps: what was sent and what is still held back is all that there was."""
        made, sent, all_of_it = workers("topk:0.1"), numpy.zeros(SIZES[0]), numpy.zeros(SIZES[0])
        for step in range(30):
            gradients = draw(step)
            all_of_it += exact(gradients, 0)
            sent += average(made, gradients)[0][0]
        held = numpy.mean([worker.residuals[0] for worker in made], axis=0)
        numpy.testing.assert_allclose(sent + held, all_of_it, atol=1e-4)
        self.assertGreater(numpy.abs(held).max(), 0.1)

    def test_without_error_feedback_the_rest_is_gone(self):
        made = workers("topk:0.1:plain")
        self.assertIsNone(made[0].residuals)
        first, again = average(made, draw(1)), average(made, draw(1))
        self.assertEqual(first[0][0].tobytes(), again[0][0].tobytes())


if __name__ == "__main__":
    unittest.main()
