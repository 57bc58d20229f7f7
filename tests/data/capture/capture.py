"""Trains a small ResNet and a small GPT on the CPU and keeps gradients, activations and weights of three moments.

Each training runs twice: in f32, and in bf16 with f32 master weights, as large models are trained. What is kept of a
tensor list is what a bucket of a data-parallel job would hold: everything flattened one behind the other, gradients in
the order of the backward pass; of that, four runs of 32768 elements, evenly spread.
"""
import argparse
import pathlib
import sys

import torch
from models import GPT, ResNet
from safetensors.torch import save_file

MODELS = {"resnet": ResNet, "gpt": GPT}
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
MOMENTS = {2: "early", 60: "middle", 240: "late"}  # by training step
RUNS, RUN_ELEMENTS = 4, 32768


def excerpt(tensors):
    """RUNS pieces of RUN_ELEMENTS, from the first element to the last, evenly spread."""
    flat = torch.cat([tensor.detach().flatten() for tensor in tensors])
    stride = (len(flat) - RUN_ELEMENTS) // (RUNS - 1)
    if stride < RUN_ELEMENTS:
        raise ValueError(f"{len(flat)} elements are too few for {RUNS} runs of {RUN_ELEMENTS}")
    return torch.cat([flat[i * stride:i * stride + RUN_ELEMENTS] for i in range(RUNS)])


def train(name, type_name, folder):
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(2)
    model = MODELS[name]()
    master = [parameter.detach().clone() for parameter in model.parameters()]
    optimizer = model.optimizer(master)
    model.to(TYPES[type_name])
    activations = []
    for module in model.modules():
        if isinstance(module, model.activations_of):
            module.register_forward_hook(lambda _module, _inputs, output: activations.append(output))
    for step in range(1, max(MOMENTS) + 1):
        activations.clear()
        model.zero_grad()
        loss = model.loss(generator)
        loss.backward()
        if step in MOMENTS:
            print(f"{name} {type_name} step {step}: loss {loss.item():.3f}", flush=True)
            kept = {"gradients": [p.grad for p in reversed(list(model.parameters()))], "activations": activations,
                    "weights": list(model.parameters())}
            for kind, tensors in kept.items():
                save_file({kind: excerpt(tensors)}, folder / f"{name}-{kind}-{MOMENTS[step]}-{type_name}.safetensors")
        for ours, parameter in zip(master, model.parameters(), strict=True):
            ours.grad = parameter.grad.float()
        optimizer.step()
        with torch.no_grad():
            for ours, parameter in zip(master, model.parameters(), strict=True):
                parameter.copy_(ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "captured",
                        help="folder for the files (default: tests/data/captured)")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        for type_name in TYPES:
            train(name, type_name, arguments.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
