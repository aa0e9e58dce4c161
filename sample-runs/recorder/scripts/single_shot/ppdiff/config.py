"""All numbers that one may want to change."""
from dataclasses import dataclass


@dataclass
class Config:
    n_steps: int = 20
    dim: int = 8
    blocks: int = 2
    k: int = 5
    lr: float = 0.0005
    c: float = 0.01
    decay: float = 0.99
    hide_target: float = 0.1
    guidance: float = 1.0
    seed: int = 0
    train_steps: int = 40
