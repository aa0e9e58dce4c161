"""The single-shot run: the same design, told in one request. The files that the model's side writes lie in `single_shot/`."""
import pathlib

import exposure
import scripting
from components import components
from scripting import add, patch, plan, shell, step, turn, update

FILES = pathlib.Path(__file__).parent / "single_shot"
PARTS = ("Data, geometry, graph, embeddings", "Layers", "Schedule and forward process", "Losses and denoiser", "Training and sampling",
         "Evaluation, files, command line")


def text_of(path):
    return (FILES / path).read_text(encoding="utf-8")


def files(*names):
    return patch(*(add(name, text_of(name)) for name in names))


def progress(done):
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(PARTS)
    return plan(f"{done} of {len(PARTS)} parts done", *zip(PARTS, states))


TESTS = shell("python3 -m unittest")
CLIPPED = "            self.betas.append(min(1.0 - f[t] / f[t - 1], 0.999))"
UNCLIPPED = "            self.betas.append(1.0 - f[t] / f[t - 1])"

turn(
    """\
Write a Python package called ppdiff, standard library only, with unit tests: PPDiff, a diffusion model which designs a protein binder, sequence and structure together, for a given target.

Data. A complex is a list of residues, each with chain, index, amino acid and the atoms N, CA, C; one chain is the binder. Provide toy complexes (two ideal helices about 9 angstrom apart, seeded). Coordinates can be centred by removing the centre of mass, keeping the offset. Every residue has a right-handed frame by Gram-Schmidt from N, CA, C (first axis along CA-C, second from CA-N). The graph joins each residue to its k nearest by CA distance, across chains, with distance and direction in the residue's own frame on the edges. A residue is at the interface when its CA is within 8 angstrom of a CA of the other side.

Embeddings. Sinusoidal in time (half sines, half cosines, frequencies down to 1/10000). Relative position j - i clipped to plus or minus 16 picks a row of a learned table; pairs of different chains share one extra row.

Network. An E(n)-equivariant layer: m_ij = phi_e(h_i, h_j, |x_i - x_j|^2, a_ij), x_i <- x_i + 1/k sum_j (x_i - x_j)/(|x_i - x_j| + 1) phi_x(m_ij), h_i <- h_i + phi_h(h_i, sum_j m_ij). A block interleaves causal attention, full self attention and the EGNN layer. The denoiser takes the complex, x_t, s_t and t (amino acid, time and side embeddings; edges on the noisy coordinates with relative position; directions only for edges that start at the target) and returns x_0 of the binder and logits. Self-conditioning: in training half of the time a first pass without, then a second with the previous x_0 and probabilities as extra features; when sampling, the estimate of the step before.

Forward process. Cosine schedule, s = 0.008, beta clipped at 0.999, as a class used by both halves. Coordinates: x_t = sqrt(abar) x_0 + sqrt(1 - abar) eps in units of 10 angstrom, noise without centre of mass. Sequence: uniform categorical, q(s_t | s_0) = abar onehot(s_0) + (1 - abar)/20, no masks. One t for both. The target stays clean at every t and its centre is the origin.

Losses. Mean squared distance of x_0 and cross entropy of the sequence, over the binder only, both with residue weights: three for binder residues at the interface, one for the rest of the binder. The sum (sequence times one half) is multiplied by min(SNR(t), 5)/5.

Training. SPSA over all parameters (two evaluations with the same noise), an exponential moving average of the weights (0.99), all numbers in one Config. Hide the target in one step out of ten, for classifier-free guidance.

Sampling. The Gaussian posterior q(x_{t-1} | x_t, x_0) and the categorical one, [alpha_t onehot(s_t) + (1 - alpha_t)/K] * [abar_{t-1} p_0 + (1 - abar_{t-1})/K]; guidance (1 + w) * conditional - w * unconditional for x_0 and logits, w = 1; the target is put back after every step.

Evaluation. CA RMSD of the binder after superposition (no reflections), sequence recovery, and confidence (mean largest probability over the binder times the share of the binder at the interface) for ranking designs without the native.

Command line: train, sample (optionally PDB files) and evaluate on toy complexes. A README.""",
    step("I'll see what is there and then work through the specification part by part.", shell("ls -A; python3 --version"),
         think="A long specification. Six parts, each with tests, in the order of its sections."),
    step(None, progress(0)),
    step("Data, geometry, graph and embeddings first.",
         files("ppdiff/__init__.py", "ppdiff/structures.py", "ppdiff/toy.py", "ppdiff/geometry.py", "ppdiff/graph.py", "ppdiff/embed.py"),
         files("tests/__init__.py", "tests/test_structures.py", "tests/test_toy.py", "tests/test_geometry.py", "tests/test_graph.py", "tests/test_embed.py")),
    step(None, TESTS, progress(1)),
    step("The layers. Causal attention is self attention which sees less, so it only overrides what is visible.",
         files("ppdiff/nn.py", "ppdiff/layers.py", "tests/test_nn.py", "tests/test_layers.py")),
    step(None, TESTS, progress(2)),
    step("Schedule and forward process; both halves take the same schedule object.",
         patch(add("ppdiff/schedule.py", text_of("ppdiff/schedule.py").replace(CLIPPED, UNCLIPPED)), add("ppdiff/forward.py", text_of("ppdiff/forward.py"))),
         files("tests/test_schedule.py", "tests/test_forward.py")),
    step(None, TESTS),
    step("The last beta is 1: I forgot to clip it at 0.999.", patch(update("ppdiff/schedule.py", (UNCLIPPED, CLIPPED))), TESTS,
         think="f(T) is almost zero, so beta_T is 1 without the clip, and alpha_T would be 0."),
    step("Losses with their three weights, the configuration, the denoiser with self-conditioning.",
         files("ppdiff/losses.py", "ppdiff/config.py", "ppdiff/denoiser.py", "tests/test_losses.py", "tests/test_denoiser.py")),
    step(None, TESTS, progress(4)),
    step("Training and sampling.", files("ppdiff/train.py", "ppdiff/sampler.py", "tests/test_train.py", "tests/test_sampler.py")),
    step(None, TESTS, progress(5)),
    step("Metrics, ranking and PDB files.",
         patch(add("ppdiff/metrics.py", text_of("ppdiff/evaluate.py").replace("How close a design is to the native binder.", "Metrics."))),
         files("ppdiff/pdb.py", "tests/test_pdb.py")),
    step("The specification calls this evaluation, so should the module.",
         patch(update("ppdiff/metrics.py", ('"""Metrics."""', '"""How close a design is to the native binder."""'), to="ppdiff/evaluate.py")),
         files("tests/test_evaluate.py", "ppdiff/__main__.py", "README.md")),
    step(None, TESTS, shell("python3 -m ppdiff train --out $TMPDIR/w.json && python3 -m ppdiff sample --weights $TMPDIR/w.json && python3 -m ppdiff evaluate --weights $TMPDIR/w.json")),
    step("Last, a look whether each part of the specification is used and not only defined.",
         shell("for s in remove_com frame_from_backbone knn_graph interface_mask time_embedding relative_position EGNNLayer InterleavedBlock CosineSchedule "
               "diffuse_coords corrupt_sequence joint_forward fix_target coord_loss sequence_loss snr_weight interface_weights self_condition spsa_step EMA "
               "posterior_mean sequence_posterior guided kabsch_rmsd confidence; do echo \"$s $(grep -rw $s ppdiff | wc -l)\"; done"),
         plan("all parts done", *((part, "completed") for part in PARTS))),
    step("`ppdiff` follows the specification section by section: 18 modules, 61 tests, and `python -m ppdiff train | sample | evaluate`. Every part is used at least once outside its "
         "definition. With twenty steps of SPSA the designs are still noise; train longer for anything else."),
    checkpoint="c1",
)

SCRIPT = scripting.script("codex-p12-single-shot", "single-shot", "PPDiff, specified in one request", {"c1": "whole specification"},
                          components(settled_at=1), "The package ppdiff is being written from one specification.", exposure.single_shot(), exposure.READ)
