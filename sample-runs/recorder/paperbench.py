"""Writes sample-runs/paperbench/grader_output.json: a PaperBench result made by hand for the task of codex-p12.

The tree is written down here; only the scores of inner nodes are worked out, as PaperBench does it. Nobody judged
anything: scores, words and token counts are made up for the format's sake.
"""

import json
import sys
import uuid

CODE, RUN, RESULT = "Code Development", "Code Execution", "Result Analysis"
JUDGE = "o3-mini-2025-01-31"
SPACE = uuid.UUID("6f1c2f52-7a0e-4f0e-9d0a-2b1d5c3e4a77")


def leaf(weight, category, requirements, score, expectations, reality, *, fails=None):
    """A graded leaf; `fails` is what went wrong with its judging."""
    node = {"requirements": requirements, "weight": weight, "task_category": category, "sub_tasks": []}
    if fails:
        return node | {"score": 0.0, "valid_score": False, "explanation": fails, "judge_metadata": None}
    response = f"# Expectations\n{expectations}\n\n# Reality\n{reality}\n\n# Score\n{score}"
    usage = {JUDGE: {"in": 9000 + 37 * len(requirements), "out": 2 * len(response)}}
    return node | {
        "score": score,
        "valid_score": True,
        "explanation": response,
        "judge_metadata": {"full_judge_response": response, "token_usage": usage},
    }


def inner(weight, requirements, *sub_tasks):
    return {
        "requirements": requirements,
        "weight": weight,
        "task_category": None,
        "explanation": "Aggregated score from sub-tasks.",
        "judge_metadata": None,
        "sub_tasks": list(sub_tasks),
    }


TREE = inner(
    1,
    'Reproduce the core of "PPDiff": a diffusion model that designs the sequence and the structure of a protein binder together.',
    inner(
        2,
        "Complexes are represented as the model needs them.",
        leaf(1, CODE, "Coordinates are centred by subtracting the centre of mass of the CA atoms, and the offset is kept.", 1,
             "A function that centres CA coordinates and gives the offset back.",
             "`ppdiff/geometry.py` subtracts the mean of the CA atoms and returns it with the coordinates."),
        leaf(1, CODE, "Every residue has a local frame made from N, CA and C by Gram-Schmidt.", 1,
             "Three orthonormal axes a residue, the first along CA-C.",
             "`ppdiff/geometry.py` builds the frame in that order; a test checks that it is orthonormal."),
        inner(
            2,
            "Residues are joined in a graph.",
            leaf(2, CODE, "Each residue is joined to its k nearest residues by CA distance, across chains too.", 1,
                 "k nearest neighbours over both chains.",
                 "`ppdiff/graph.py` sorts all residues by distance, whatever their chain."),
            leaf(1, CODE, "Edges carry the distance and the direction to the neighbour in the residue's own frame.", 1,
                 "Distance and direction, the latter turned into the local frame.",
                 "Both are there; the direction is multiplied by the frame's transpose."),
            leaf(0, CODE, "The graph is drawn for inspection.", 0,
                 "Any code that draws a graph.", "There is none. The weight is 0: the paper only mentions it."),
        ),
        leaf(1, RUN, "Toy complexes of two helices are generated from a seed.", 1,
             "Running the script makes the same complexes twice.", "The log shows equal checksums for equal seeds."),
    ),
    inner(
        4,
        "The network alternates causal attention, self attention and equivariant layers.",
        inner(
            3,
            "The equivariant layer is the one of the paper.",
            leaf(2, CODE, "Messages depend on features, squared distance and edge features; coordinates move along differences.", 1,
                 "phi_e and phi_x as in EGNN.", "`ppdiff/layers.py` has both, normalised by k."),
            leaf(1, RUN, "A check shows that the layer is equivariant under rotation and shift.", 1,
                 "Output of a run that compares both sides.", "`tests/test_layers.py` passes in the reproduction log."),
        ),
        inner(
            4,
            "Blocks interleave causal attention, full self attention and the equivariant layer.",
            leaf(2, CODE, "Causal attention lets a residue see only itself and what comes before it.", 1,
                 "A mask below the diagonal.", "`ppdiff/layers.py` slices the keys up to the query."),
            leaf(1, CODE, "Self attention sees the whole complex.", 1,
                 "No mask.", "The second attention of a block has none."),
            leaf(3, CODE, "The order within a block is causal attention, self attention, equivariant layer.", 0,
                 "That order in the forward pass of a block.",
                 "After the refactoring of the denoiser both attentions run in parallel and are added: the alternation is lost."),
        ),
        leaf(1, CODE, "Relative positions within a chain are clipped and embedded; pairs across chains share one embedding.", 1,
             "A table of 2 * 16 + 2 rows.", "`ppdiff/embed.py` has 34 rows."),
    ),
    inner(
        5,
        "Sequence and structure are noised together.",
        leaf(2, CODE, "One cosine schedule gives alpha_bar to both parts.", 1,
             "One schedule object used twice.", "`ppdiff/schedule.py` is used by both processes."),
        leaf(2, CODE, "Coordinates follow the Gaussian forward process, without the centre of mass.", 1,
             "x_t from x_0 and noise whose mean is taken out.", "`ppdiff/forward.py` does that."),
        leaf(2, CODE, "The sequence follows a uniform categorical forward process, not one with masks.", 1,
             "Resampling from the twenty amino acids.", "Uniform resampling with probability 1 - alpha_bar."),
        leaf(3, CODE, "The target stays clean at every step and is the condition.", 0, "", "",
             fails="ParseError: the judge's answer had no score"),
    ),
    inner(
        4,
        "The losses are those of the paper.",
        leaf(2, CODE, "The network predicts x_0; the coordinate loss is the mean squared distance over the binder.", 1,
             "MSE of CA atoms, binder only.", "`ppdiff/losses.py` has it."),
        leaf(2, CODE, "The sequence loss is the cross entropy over the binder.", 1,
             "Cross entropy with the true residue.", "It is there, with the same weights a residue."),
        leaf(3, CODE, "Both are weighted by min(SNR(t), 5)/5.", 0,
             "The weight multiplies both losses.",
             "The weight is worked out and logged, but `total_loss` multiplies the coordinate loss alone."),
        leaf(1, CODE, "Residues at the interface count three times.", 1,
             "A weight of three for residues within 8 angstrom.", "Done in both losses."),
    ),
    inner(
        3,
        "The model is trained and sampled from.",
        leaf(2, CODE, "Self-conditioning feeds the previous estimate back, half of the time in training.", 1,
             "A first pass without, then one with.", "`ppdiff/train.py` draws a coin a step."),
        leaf(2, RUN, "Training runs and logs a loss a step.", 1,
             "A log with losses.", "40 losses are in the log."),
        leaf(3, CODE, "Sampling combines passes with and without the target (classifier-free guidance).", 1,
             "Two predictions, combined by a weight.", "`ppdiff/sampler.py` combines them; the weight is a flag."),
        leaf(1, RUN, "Ten designs a target are drawn and written as PDB files.", 0, "", "",
             fails="The judge did not answer in time"),
    ),
    inner(
        2,
        "The results agree with the paper.",
        leaf(2, RESULT, "Designs recover more of the native sequence than chance.", 0,
             "A recovery clearly above 1/20.", "Mean recovery is 0.06 on four toy complexes."),
        leaf(1, RESULT, "Ranking by confidence picks designs of lower RMSD.", 0,
             "Lower RMSD among the first.", "The order is no better than chance."),
        leaf(0, RESULT, "Run times are reported.", 1, "Any figure.", "Seconds a step are printed."),
    ),
)


def grade(node, way="0"):
    """Gives ids and the scores of inner nodes; the keys in the order PaperBench writes them."""
    sub_tasks = [grade(child, f"{way}/{at}") for at, child in enumerate(node["sub_tasks"])]
    if sub_tasks:
        total = sum(child["weight"] for child in sub_tasks)
        weighted = sum(child["score"] * child["weight"] for child in sub_tasks)
        node = node | {"score": weighted / total if total else 0.0, "valid_score": True}
    first = {"id": str(uuid.uuid5(SPACE, way)), "requirements": node["requirements"], "weight": node["weight"]}
    names = ["score", "valid_score", "task_category", "explanation", "judge_metadata"]
    return first | {name: node[name] for name in names} | {"sub_tasks": sub_tasks}


def leaves(node):
    return [node] if not node["sub_tasks"] else [leaf for child in node["sub_tasks"] for leaf in leaves(child)]


def main(out):
    tree = grade(TREE)
    usages = [leaf["judge_metadata"]["token_usage"][JUDGE] for leaf in leaves(tree) if leaf["judge_metadata"]]
    result = {
        "judge_type": "simple",
        "score": tree["score"],
        "num_leaf_nodes": len(leaves(tree)),
        "num_invalid_leaf_nodes": sum(not leaf["valid_score"] for leaf in leaves(tree)),
        "graded_at": "2026-11-21T21-40-12-UTC",
        "graded_task_tree": tree,
        "completer_config": {"model": JUDGE, "reasoning_effort": "high"},
        "token_usage": {JUDGE: {kind: sum(usage[kind] for usage in usages) for kind in ("in", "out")}},
    }
    with open(out, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
