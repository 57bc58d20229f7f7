"""The networks that are trained: a small ResNet and a small GPT, of selectable size.

GroupNorm instead of BatchNorm: running statistics of a worker's own batches would make replicas differ that are equal.
"""
import torch
import torch.nn.functional as F
from torch import nn

RESNET_WIDTHS = {"small": (40, 80, 160), "medium": (80, 160, 320), "large": (128, 256, 512)}
GPT_SHAPES = {"tiny": (64, 2), "small": (128, 4), "medium": (256, 6), "large": (384, 6)}  # width, layers
CONTEXT = 64


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.first_norm = nn.GroupNorm(8, outside)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.second_norm = nn.GroupNorm(8, outside)
        self.skip = nn.Identity() if inside == outside else nn.Conv2d(inside, outside, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        return F.relu(self.second_norm(self.second(y)) + self.skip(x))


class ResNet(nn.Module):
    """Six residual blocks on 16 x 16 images of ten classes."""

    def __init__(self, size):
        super().__init__()
        stem, middle, last = RESNET_WIDTHS[size]
        widths = [(1, stem, 2), (stem, stem, 1), (stem, middle, 2), (middle, middle, 1), (middle, last, 2), (last, last, 1)]
        self.blocks = nn.Sequential(*[Residual(*width) for width in widths])
        self.head = nn.Linear(last, 10)

    def forward(self, x):
        return self.head(self.blocks(x).mean((2, 3)))


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.heads = width // 32
        self.attention_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for part in self.qkv(self.attention_norm(x)).chunk(3, 2))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm(x))))


class GPT(nn.Module):
    """A transformer on bytes, context 64."""

    def __init__(self, size):
        super().__init__()
        width, layers = GPT_SHAPES[size]
        self.token, self.place = nn.Embedding(256, width), nn.Embedding(CONTEXT, width)
        self.layers = nn.Sequential(*[Layer(width) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 256, bias=False)
        self.apply(self._begin)

    @staticmethod
    def _begin(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, x):
        return self.head(self.norm(self.layers(self.token(x) + self.place(torch.arange(x.shape[1])))))
