"""What is learned, from data that packages ship: images for the ResNet, text for the GPT. Nothing is fetched.

A task gives the network, a worker's batches, and the part of the test set that a worker evaluates. All of it follows
from the seed, so all ranks begin with equal weights, and a run with another method sees the same data.
"""
import math
import pydoc_data.topics

import models
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits

TEST_IMAGES, TEST_VARIANTS, TEST_PIECES = 360, 10, 512
SPLIT_SEED = 20  # of training against test data: the same for all seeds, so that accuracies can be compared


class Digits:
    """scikit-learn's 8 x 8 handwritten digits, brought to 16 x 16, turned, scaled, shifted and with noise.

    The 360 images kept for the test are each seen in ten fixed variants: one wrong answer is 0.03 points of accuracy.
    """

    def __init__(self, size, seed, rank, workers):
        digits = load_digits()
        images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
        labels = torch.tensor(digits.target)
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(SPLIT_SEED))
        test, train = order[:TEST_IMAGES].repeat(TEST_VARIANTS), order[TEST_IMAGES:]
        train = train[torch.randperm(len(train), generator=torch.Generator().manual_seed(seed))][rank::workers]
        self.images, self.labels = images[train], labels[train]
        variants = self._distort(images[test], torch.Generator().manual_seed(SPLIT_SEED))
        self.test = [(variants[rank::workers], labels[test][rank::workers])]
        torch.manual_seed(seed)
        self.network = models.ResNet(size)

    @staticmethod
    def _distort(images, generator):
        def draw(low, high):
            return low + (high - low) * torch.rand(len(images), generator=generator)
        angle, scale = draw(-0.4, 0.4), draw(0.9, 1.3)
        turn = torch.stack([angle.cos() * scale, -angle.sin() * scale, draw(-0.25, 0.25),
                            angle.sin() * scale, angle.cos() * scale, draw(-0.25, 0.25)], 1).view(-1, 2, 3)
        grid = F.affine_grid(turn, (len(images), 1, 16, 16), align_corners=False)
        seen = F.grid_sample(images, grid, align_corners=False)
        return seen + 0.15 * torch.randn(seen.shape, generator=generator)

    def batch(self, count, generator):
        chosen = torch.randint(len(self.labels), (count,), generator=generator)
        return self._distort(self.images[chosen], generator), self.labels[chosen]

    def optimizer(self):
        # A higher rate kills ReLUs: at 0.1 a third of a gradient is exactly 0, which no healthy network's is, and every
        # codec and top-k looks better on it than it is.
        return torch.optim.SGD(self.network.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)


class Text:
    """The bytes of Python's documentation of itself (pydoc_data.topics); the last tenth is the test."""

    def __init__(self, size, seed, rank, workers):
        text = "".join(pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics))
        text = torch.tensor(list(text.encode()))
        learned = len(text) * 9 // 10
        self.text = text[:learned].chunk(workers)[rank]
        begins = torch.linspace(learned, len(text) - models.CONTEXT - 1, TEST_PIECES).long()[rank::workers]
        self.test = [self._pieces(text, part) for part in begins.split(64)]
        torch.manual_seed(seed)
        self.network = models.GPT(size)

    @staticmethod
    def _pieces(text, begins):
        pieces = text[begins[:, None] + torch.arange(models.CONTEXT + 1)]
        return pieces[:, :-1], pieces[:, 1:]

    def batch(self, count, generator):
        return self._pieces(self.text, torch.randint(len(self.text) - models.CONTEXT - 1, (count,), generator=generator))

    def optimizer(self):
        return torch.optim.AdamW(self.network.parameters(), lr=2e-3, weight_decay=0.1)


TASKS = {"resnet": Digits, "gpt": Text}


def loss(task, batch):
    inputs, wanted = batch
    return F.cross_entropy(task.network(inputs).flatten(0, -2), wanted.flatten())


@torch.no_grad()
def evaluate(task):
    """This worker's part of the test set: right answers, summed loss (nats), answers."""
    right, summed, answers = 0, 0.0, 0
    for inputs, wanted in task.test:
        answer, wanted = task.network(inputs).flatten(0, -2), wanted.flatten()
        summed += F.cross_entropy(answer, wanted, reduction="sum").item()
        right += (answer.argmax(1) == wanted).sum().item()
        answers += len(wanted)
    return right, summed, answers


def schedule(optimizer, steps):
    """Learning rate: up over the first 5 % of the steps, then down in half a cosine."""
    rise = max(steps // 20, 1)

    def factor(step):
        return min((step + 1) / rise, 0.5 * (1 + math.cos(math.pi * min(step, steps) / steps)))
    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
