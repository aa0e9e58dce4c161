"""The emergent run: the design is disclosed over 56 requests, as a researcher would; each part ends at a checkpoint.

What goes wrong is meant to: the cosine schedule is bypassed in turn 42, the interface weights (and the min-SNR weight) fall in the refactoring of turn 46,
self-conditioning in the clean-up of turn 49, and guidance is switched off in turn 50. The tests pass throughout.
"""
import importlib
import pathlib
import sys

import exposure
import scripting
from components import components

PARTS = pathlib.Path(__file__).parent / "emergent"
sys.path.insert(0, str(PARTS))
for part in sorted(PARTS.glob("c?_*.py")):
    importlib.import_module(part.stem)

SUMMARY = """\
The user is building `ppdiff`, a joint sequence and structure diffusion model for protein binders, standard library only, tests with `python3 -m unittest`.
Done so far: structures.py (Complex, Residue; renamed from data.py), geometry.py (remove_com, frame_from_backbone), graph.py (knn_graph, edge_features, interface_mask),
embed.py (time_embedding, relative_position), toy.py, nn.py, layers.py (EGNNLayer, SelfAttention, CausalAttention, InterleavedBlock), mpnn.py (not used), schedule.py
(CosineSchedule), forward.py (diffuse_coords, corrupt_sequence uniform and not masked, joint_forward, fix_target), losses.py (coord_loss, sequence_loss, snr_weight,
interface_weights, total_loss), denoiser.py (Denoiser with self-conditioning), train.py (SPSA, EMA), config.py (Config).
Next by the plan: sampling (posteriors, reverse loop), then evaluation. The user wants formulas followed to the letter and is careful about the target staying fixed."""

SCRIPT = scripting.script(
    "codex-p12", "emergent", "PPDiff, disclosed over 56 requests",
    {"c1": "geometry", "c2": "embeddings and toy data", "c3": "layers", "c4": "forward process", "c5": "losses", "c6": "denoiser and training",
     "c7": "sampling and evaluation", "c8": "speed and refactoring", "c9": "clean-up"},
    components(), SUMMARY, exposure.emergent(), exposure.READ + exposure.MADE_UP)
