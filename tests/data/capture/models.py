"""The two small networks whose tensors are captured, and the data they learn from: packages' own, nothing fetched."""
import pydoc_data.topics

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outside)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outside)
        self.skip = nn.Conv2d(inside, outside, 1, stride, bias=False) if inside != outside else nn.Identity()
        self.end = nn.ReLU()

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        return self.end(self.second_norm(self.second(y)) + self.skip(x))


class ResNet(nn.Module):
    """Six residual blocks, 0.7 million parameters, on the 8 x 8 handwritten digits of scikit-learn."""

    batch = 64
    activations_of = nn.ReLU

    def __init__(self):
        super().__init__()
        widths = [(1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
        self.blocks = nn.Sequential(*[Residual(*width) for width in widths])
        self.head = nn.Linear(128, 10)
        digits = load_digits()
        self.images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
        self.labels = torch.tensor(digits.target)

    def forward(self, x):
        return self.head(self.blocks(x).mean((2, 3)))

    def loss(self, generator):
        chosen = torch.randint(len(self.labels), (self.batch,), generator=generator)
        images = self.images[chosen].to(self.head.weight.dtype)
        return F.cross_entropy(self(images).float(), self.labels[chosen])

    def optimizer(self, parameters):
        return torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=5e-4)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.middle = nn.GELU()
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for part in self.qkv(self.attention_norm(x)).chunk(3, 2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(self.middle(self.up(self.norm(x))))


class GPT(nn.Module):
    """Four layers of width 128, 0.9 million parameters, on bytes of the Python documentation that Python ships."""

    batch, context, width = 16, 64, 128
    activations_of = nn.GELU

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(256, self.width)
        self.place = nn.Embedding(self.context, self.width)
        self.layers = nn.Sequential(*[Attention(self.width, 4) for _ in range(4)])
        self.norm = nn.LayerNorm(self.width)
        self.head = nn.Linear(self.width, 256, bias=False)
        text = "".join(pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics))
        self.text = torch.tensor(list(text.encode()))
        self.apply(self._begin)

    @staticmethod
    def _begin(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, x):
        y = self.token(x) + self.place(torch.arange(self.context))
        return self.head(self.norm(self.layers(y)))

    def loss(self, generator):
        begins = torch.randint(len(self.text) - self.context - 1, (self.batch,), generator=generator)
        pieces = self.text[begins[:, None] + torch.arange(self.context + 1)]
        return F.cross_entropy(self(pieces[:, :-1]).flatten(0, 1).float(), pieces[:, 1:].flatten())

    def optimizer(self, parameters):
        return torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.1)
