"""Writes corpus.json: the numbers of a made-up corpus and what SciPy says of it.

    python tests/vectors/corpus.py

`tests/study_corpus.rs` writes the same corpus as 80 run bundles: 20 tasks, 2 agents, 2 conditions. Both follow this
definition, draw by draw; `draws` is SplitMix64 started at 1000 * task + 10 * agent + condition.

- level: 2 + a draw below 3 of a generator started at task + 1
- 12 component scores, each from two draws: level + below(3) - 1, less 1 where below(2) is 0 in the emergent run; 0..4
- the last component has no score where below(10) is 0
- exported functions: 4 + below(5); reused: 1 + below(exported), in the emergent run half of that, at least 1
- branches of the big function: 6 + below(8)
- tests: 10 + below(6), each from two draws: passed where below(10) < 7; skipped where below(12) is 0
- turns: 1 in the single-shot run, else 3 + below(4)

The emergent run of the last task by the second agent has no judgement; that of the task before by the first has no tests.
"""

import math

import numpy as np
from scipy import stats

from study import SplitMix64, bca, effect, number, wilcoxon, write

TASKS, COMPONENTS, SEED = 20, 12, 1
AGENTS = ["codex", "claude-code"]
CONDITIONS = ["single-shot", "emergent"]
LOWER_IS_BETTER = {"erosion", "verbosity"}


def run(task, agent, condition):
    draws, level = SplitMix64(1000 * task + 10 * agent + condition), 2 + SplitMix64(task + 1).below(3)
    scores = []
    for _ in range(COMPONENTS):
        up, down = draws.below(3), draws.below(2)
        scores.append(min(max(level + up - 1 - (condition == 1 and down == 0), 0), 4))
    if draws.below(10) == 0:
        scores.pop()
    exported = 4 + draws.below(5)
    reused = 1 + draws.below(exported)
    reused = max(1, reused // 2) if condition == 1 else reused
    branches = 6 + draws.below(8)
    outcomes = []
    for _ in range(10 + draws.below(6)):
        passes, skipped = draws.below(10) < 7, draws.below(12) == 0
        outcomes.append(None if skipped else passes)
    turns = 3 + draws.below(4) if condition == 1 else 1
    counted = [outcome for outcome in outcomes if outcome is not None]
    heavy = (1 + branches) * math.sqrt(2 * branches + 2)
    mass = exported * math.sqrt(2) + math.sqrt(1 + reused) + heavy
    has_judgement = (task, agent, condition) != (TASKS - 1, 1, 1)
    has_tests = (task, agent, condition) != (TASKS - 2, 0, 1)
    mcf, dir_ = float(np.mean(scores)) if has_judgement else None, reused / exported
    return {
        "task": f"t{task:02}", "agent": AGENTS[agent], "condition": CONDITIONS[condition], "mcf": mcf, "dir": dir_,
        "if50": None if mcf is None else 0.5 * mcf / 4 + 0.5 * dir_, "erosion": heavy / mass if branches >= 10 else 0.0,
        "verbosity": 0.0, "tests": sum(counted) / len(counted) if has_tests else None, "turns": float(turns),
    }


def compared(runs, agent, metric):
    side = lambda condition: {it["task"]: it[metric] for it in runs if (it["agent"], it["condition"]) == (agent, condition)}
    a, b = side("single-shot"), side("emergent")
    gaps = np.array([a[task] - b[task] for task in sorted(a) if a[task] is not None and b[task] is not None])
    even = np.round(gaps, 12)  # gaps that differ by rounding alone are equal
    higher, lower = int(np.sum(even > 0)), int(np.sum(even < 0))
    wins, losses = (lower, higher) if metric in LOWER_IS_BETTER else (higher, lower)
    row = {
        "agent": agent, "metric": metric, "n": len(gaps), "wins": wins, "ties": len(gaps) - higher - lower, "losses": losses,
        "mean_gap": number(np.mean(gaps)), "cohen_d": number(effect(gaps)), "wilcoxon": wilcoxon(even),
        "ci95": bca(lambda at: np.mean(gaps[at]), SEED, len(gaps)), "cohen_d_ci95": bca(lambda at: effect(gaps[at]), SEED, len(gaps)),
    }
    return row


def correlated(runs, condition):
    meant = [it for it in runs if condition in (None, it["condition"])]
    both = [(it["tests"], it["if50"]) for it in meant if it["tests"] is not None and it["if50"] is not None]
    pearson, spearman = stats.pearsonr(*zip(*both)), stats.spearmanr(*zip(*both))
    return {"condition": condition, "n": len(both), "pearson": {"r": float(pearson.statistic), "p": float(pearson.pvalue)},
            "spearman": {"r": float(spearman.statistic), "p": float(spearman.pvalue)}}


if __name__ == "__main__":
    runs = [run(task, agent, condition) for task in range(TASKS) for agent in range(2) for condition in range(2)]
    metrics = ["mcf", "dir", "if50", "erosion", "verbosity", "tests", "turns"]
    rows = [compared(runs, agent, metric) for agent in sorted(AGENTS) for metric in metrics]
    correlations = [correlated(runs, condition) for condition in (None, *sorted(CONDITIONS))]
    write("corpus.json", [{"runs": runs, "paired": rows, "correlations": correlations}], "corpus.py")
