"""Train the network on drawn lines: `python -m train.fit DATA OUT --seconds N [--from FILE]`.

Processes draw endless lines; a buffer on the device holds the last of them, each is seen
a few times, with new blur, noise and shift. The learning rate falls over the time given, so a
run ends converged on any machine. The next run begins with a checkpoint.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from train.drawing import HEIGHT, LONGEST, PADDING, Lines
from train.letters import LETTERS, text_of
from train.network import FRAME, LineReader
from train.texts import Texts

WIDTHS = {320: 1.0, 640: 0.6}  # the shares of batches
COLUMNS = 2048 * 320  # pixels of width in a batch
DRAWN = 256  # lines handed over at once
HELD = {320: 900_000, 640: 450_000}
AVERAGED = 0.9995
BEGIN = 8  # batches of a width, before the training begins


def draw(data: Path, seed: int, drawn: Any) -> None:
    """Draw for ever; runs in a process of `fit`."""
    import cv2

    cv2.setNumThreads(1)
    words = json.loads((data / "words.json").read_text())
    lines = Lines(data / "fonts", Texts(words, seed), seed)
    chance = np.random.default_rng(seed)
    widths, shares = zip(*WIDTHS.items(), strict=True)
    while True:
        width = int(chance.choice(widths, p=np.array(shares) / sum(shares)))
        drawn.put((width, *lines.batch(DRAWN, width)))


class Buffer:
    """The last lines of a width, on the device."""

    def __init__(self, width: int, size: int, device: str) -> None:
        self.pictures = torch.empty((size, HEIGHT, width), dtype=torch.uint8, device=device)
        self.labels = torch.empty((size, LONGEST + 1), dtype=torch.int16, device=device)
        self.filled = self.place = 0

    def add(self, pictures: np.ndarray, labels: np.ndarray) -> None:
        """Take in lines, replacing the oldest."""
        if self.place + len(pictures) > len(self.pictures):
            self.place = 0
        rows = slice(self.place, self.place + len(pictures))
        self.pictures[rows] = torch.from_numpy(pictures).to(self.pictures.device)
        self.labels[rows] = torch.from_numpy(labels).to(self.labels.device)
        self.place += len(pictures)
        self.filled = max(self.filled, self.place)

    def some(self, count: int) -> tuple[Tensor, Tensor]:
        """Random lines."""
        chosen = torch.randint(self.filled, (count,), device=self.pictures.device)
        return self.pictures[chosen], self.labels[chosen]


def varied(pictures: Tensor) -> Tensor:
    """The pictures in -1 … 1, each with its own contrast, blur, noise and shift."""
    lines = (pictures.to(torch.float32) - PADDING)[:, None] / 128
    count, device = len(lines), lines.device

    def chance(*shape: int) -> Tensor:
        return torch.rand(shape or (count, 1, 1, 1), device=device)

    lines = lines * (0.6 + 0.6 * chance())
    blurred = F.avg_pool2d(F.pad(lines, (1, 1, 1, 1), mode="replicate"), 3, 1)
    share = (chance() - 0.55).clamp(min=0) * 2
    lines = lines + share * (blurred - lines)
    rows = int(torch.randint(-2, 3, (1,)))
    lines = torch.roll(lines, rows, dims=2)
    noise = torch.randn_like(lines) * (chance() ** 3 * 0.12)
    return lines + noise


def loss_of(network: torch.nn.Module, pictures: Tensor, labels: Tensor) -> Tensor:
    """The labelling's loss (CTC) of lines."""
    lengths = (labels[:, :-1] >= 0).sum(1)
    with torch.autocast(pictures.device.type, torch.bfloat16):
        logits = network(varied(pictures))
    scores = logits.float().log_softmax(-1).transpose(0, 1)
    frames = -(-labels[:, -1].long() // FRAME)
    # The padding behind a line is part of it for a few frames: the network learns to be silent.
    frames = (frames + torch.randint_like(frames, 0, 6)).clamp(max=scores.shape[0])
    targets = labels[:, :-1].clamp(min=0).long()
    return F.ctc_loss(scores, targets, frames, lengths, zero_infinity=True)


def rate(share: float, highest: float) -> float:
    """The learning rate at a share of the time: up for a fiftieth, then down a cosine."""
    if share < 0.02:
        return highest * share / 0.02
    return highest * (0.002 + 0.998 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))


def fit(given: argparse.Namespace) -> None:
    """Train for the time given, and write `checkpoint.pt` and the results."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.benchmark = True
    network = LineReader().to(device, memory_format=torch.channels_last)
    if given.start:
        take_up(network, torch.load(given.start, map_location=device))
    averaged = deepcopy(network).eval()
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=1e-3, weight_decay=0.02, fused=device == "cuda"
    )
    pairs = _floating(averaged, network)
    scale = 1 if device == "cuda" else 64
    buffers = {width: Buffer(width, HELD[width] // scale, device) for width in WIDTHS}
    taken = _drawing(given, buffers)
    print(f"{device}, {given.processes} processes draw", flush=True)
    started, steps, seen, said = time.monotonic(), 0, 0, 0.0
    while min(buffer.filled for buffer in buffers.values()) < BEGIN * DRAWN // min(scale, 8):
        time.sleep(0.05)
    chance = np.random.default_rng(given.seed)
    widths, shares = zip(*WIDTHS.items(), strict=True)
    while (passed := time.monotonic() - started) < given.seconds:
        width = int(chance.choice(widths, p=np.array(shares) / sum(shares)))
        pictures, labels = buffers[width].some(COLUMNS // width // scale)
        for group in optimiser.param_groups:
            group["lr"] = rate(passed / given.seconds, given.rate)
        optimiser.zero_grad(set_to_none=True)
        loss = loss_of(network, pictures, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        steps, seen = steps + 1, seen + len(pictures)
        torch._foreach_lerp_(*pairs, 1 - min(AVERAGED, steps / (steps + 10)))
        if passed - said > 20:
            said = passed
            held = {width: buffer.filled for width, buffer in buffers.items()}
            print(
                f"{passed:.0f} s, {steps} steps, {seen} seen, {taken[0]} drawn, loss"
                f" {loss.item():.4f}, held {held}", flush=True,
            )  # fmt: skip
    reached = measure(averaged, given.data, device)
    print(reached, flush=True)
    torch.save(
        {"network": {k: v.cpu() for k, v in averaged.state_dict().items()}, "reached": reached,
         "letters": "".join(LETTERS[1:]),
         "steps": steps, "seen": seen, "drawn": taken[0]}, given.out / "checkpoint.pt",
    )  # fmt: skip


def take_up(network: LineReader, checkpoint: dict[str, Any]) -> None:
    """Continue with a checkpoint; letters that it did not know start from scratch."""
    state, known = checkpoint["network"], ["", *checkpoint["letters"]]
    places = [known.index(letter) if letter in known else -1 for letter in LETTERS]
    chosen = torch.tensor(places)
    for name in ("head.weight", "head.bias"):
        fresh = network.state_dict()[name].clone()
        fresh[chosen >= 0] = state[name][chosen[chosen >= 0]].to(fresh)
        state[name] = fresh
    network.load_state_dict(state)


def _drawing(given: argparse.Namespace, buffers: dict[int, Buffer]) -> list[int]:
    """Start the drawing processes, and a thread that takes in; returns how many were drawn."""
    context = multiprocessing.get_context("spawn")
    drawn: Any = context.Queue(maxsize=32)
    for number in range(given.processes):
        seed = given.seed * 1000 + number
        context.Process(target=draw, args=(given.data, seed, drawn), daemon=True).start()
    taken = [0]

    def take() -> None:
        while True:
            width, pictures, labels = drawn.get()
            buffers[width].add(pictures, labels)
            taken[0] += len(pictures)

    threading.Thread(target=take, daemon=True).start()
    return taken


def _floating(*networks: torch.nn.Module) -> list[list[Tensor]]:
    """The weights and statistics of each network, in one order."""
    return [
        [value for value in network.state_dict().values() if value.is_floating_point()]
        for network in networks
    ]


def read(logits: Tensor, ends: Tensor) -> Iterator[tuple[str, float]]:
    """The text of logits, and the least probability of a letter."""
    best, classes = logits.float().softmax(-1).max(-1)
    for probabilities, line, end in zip(best.cpu(), classes.cpu(), ends.tolist(), strict=True):
        line, probabilities = line[: -(-end // FRAME)], probabilities[: -(-end // FRAME)]
        fresh = (line != 0) & (line != F.pad(line, (1, 0))[:-1])
        text = text_of(line[fresh].tolist())
        least = probabilities[fresh].min().item() if fresh.any() else 0.0
        yield text, least


@torch.no_grad()
def measure(network: torch.nn.Module, data: Path, device: str) -> dict[str, float]:
    """Wrong letters in unseen lines, in total and where all letters are sure."""
    words = json.loads((data / "words.json").read_text())
    lines = Lines(data / "fonts", Texts(words, 77_777), 77_777)
    wrong = letters = sure = sure_wrong = sure_letters = count = 0
    for _ in range(8):
        pictures, labels = lines.batch(DRAWN, 640)
        given = (torch.from_numpy(pictures).to(device).float()[:, None] - PADDING) / 128
        logits = network(given)
        truths = [text_of([c for c in row if c >= 0]) for row in labels[:, :-1].tolist()]
        for truth, (text, least) in zip(
            truths, read(logits, torch.from_numpy(labels[:, -1])), strict=True
        ):
            errors = _distance(truth, text)
            count, wrong, letters = count + 1, wrong + errors, letters + len(truth)
            if least > 0.9:
                sure, sure_wrong, sure_letters = (
                    sure + 1,
                    sure_wrong + errors,
                    sure_letters + len(truth),
                )
    return {
        "letters wrong": wrong / letters,
        "lines sure": sure / count,
        "letters wrong of sure lines": sure_wrong / max(1, sure_letters),
    }


def _distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--from", dest="start", type=Path)
    parser.add_argument("--rate", type=float, default=2.5e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    return parser.parse_args()


if __name__ == "__main__":
    fit(_arguments())
    for process in multiprocessing.active_children():
        process.kill()
    os._exit(0)
