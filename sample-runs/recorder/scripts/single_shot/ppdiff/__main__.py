"""The command line: train, sample, evaluate."""
import argparse
import random

from ppdiff.config import Config
from ppdiff.denoiser import Denoiser
from ppdiff.evaluate import binder_rmsd, confidence, rank_designs, sequence_recovery
from ppdiff.pdb import write_pdb
from ppdiff.sampler import sample
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex
from ppdiff.train import load_checkpoint, save_checkpoint, train


def designs_for(native, weights, count, guidance=None):
    model, config = load_checkpoint(weights)
    schedule = CosineSchedule(config.n_steps)
    w = config.guidance if guidance is None else guidance
    return rank_designs([sample(model, native, schedule, random.Random(i), w) for i in range(count)])


def run_train(options):
    config = Config(train_steps=options.steps)
    complexes = [toy_complex(seed) for seed in range(options.complexes)]
    history, ema = train(Denoiser(config), complexes, CosineSchedule(config.n_steps), config)
    save_checkpoint(options.out, ema, config)
    print(f"mean loss {sum(history) / len(history):.4f}, weights in {options.out}")


def run_sample(options):
    ranked = designs_for(toy_complex(options.target), options.weights, options.designs, options.guidance)
    for rank, (design, probabilities) in enumerate(ranked):
        print(f"{design.letters('B')}  confidence {confidence(design, probabilities):.3f}")
        if options.pdb:
            write_pdb(design, f"{options.pdb}{rank}.pdb")


def run_evaluate(options):
    for seed in range(100, 100 + options.targets):
        native = toy_complex(seed)
        best, _ = designs_for(native, options.weights, options.designs)[0]
        print(f"target {seed}: rmsd {binder_rmsd(best, native):.2f}  recovery {sequence_recovery(best, native):.2f}")


def parser():
    top = argparse.ArgumentParser(prog="ppdiff")
    commands = top.add_subparsers(required=True)
    t = commands.add_parser("train")
    t.add_argument("--out", required=True)
    t.add_argument("--steps", type=int, default=20)
    t.add_argument("--complexes", type=int, default=4)
    t.set_defaults(run=run_train)
    s = commands.add_parser("sample")
    s.add_argument("--weights", required=True)
    s.add_argument("--designs", type=int, default=3)
    s.add_argument("--target", type=int, default=11)
    s.add_argument("--guidance", type=float)
    s.add_argument("--pdb")
    s.set_defaults(run=run_sample)
    e = commands.add_parser("evaluate")
    e.add_argument("--weights", required=True)
    e.add_argument("--designs", type=int, default=2)
    e.add_argument("--targets", type=int, default=2)
    e.set_defaults(run=run_evaluate)
    return top


def main(argv=None):
    options = parser().parse_args(argv)
    options.run(options)


if __name__ == "__main__":
    main()
