"""How the bandwidth of a network goes over time, for the benchmarks of training."""
import random
import threading
import time

import netns

BURST = 128 << 10  # room for the largest frame of a queue that is slowed down (netns.Network.shape)
LEAST_SECONDS = 1.0  # between changes


def static(rate, seconds):
    """[(seconds from the begin, bits per second)]: the same all the time."""
    return [(0.0, rate)]


def degrading(rate, seconds):
    """In five equal parts, each with 0.56 of the rate before it: down to a tenth."""
    return [(seconds * part / 5, int(rate * 10 ** (-part / 4))) for part in range(5)]


def fluctuating(rate, seconds):
    """Between the rate and a quarter of it, each for 1 to 3 s: the same course for every method."""
    generator, at, low, course = random.Random(7), 0.0, False, []
    while at < seconds:
        course.append((at, rate // 4 if low else rate))
        at, low = at + LEAST_SECONDS + 2 * generator.random(), not low
    return course


COURSES = {"static": static, "degrading": degrading, "fluctuating": fluctuating}


def mean_rate(course, seconds):
    """Bits per second on average, until `seconds`."""
    ends = [at for at, _ in course[1:]] + [seconds]
    return sum((min(end, seconds) - at) * rate for (at, rate), end in zip(course, ends, strict=True)) / seconds


class Driver:
    """Shapes all links along a course while other things run, from `start` until the block ends."""

    def __init__(self, network, course):
        self._network, self._course = network, course
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._drive)
        self.failure = None
        self._shape(course[0][1])

    def _shape(self, rate):
        for host in self._network.hosts:
            self._network.shape(host, rate, burst=max(rate // 8000, BURST))

    def _drive(self):
        begun = time.monotonic()
        try:
            for at, rate in self._course[1:]:
                if self._ended.wait(max(0, begun + at - time.monotonic())):
                    return
                self._shape(rate)
        except netns.NetnsError as error:
            self.failure = error

    def start(self):
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ended.set()
        if self._thread.ident:
            self._thread.join()
        if self.failure:
            raise self.failure
