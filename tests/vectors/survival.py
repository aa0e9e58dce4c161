"""Writes survival.json: Kaplan-Meier curves with Greenwood's log-log intervals, as lifelines computes them.

    pip install lifelines && python tests/vectors/survival.py

A case has lifetimes (with an entry where a thing is not observed from the beginning) and the steps at which something is
lost. The interval is lifelines' own (exponential Greenwood).
"""

import json
import math
import random
from pathlib import Path

import lifelines
from lifelines import KaplanMeierFitter


def case(name, lifetimes):
    entry = [it["entry"] for it in lifetimes]
    fitter = KaplanMeierFitter(alpha=0.05).fit(
        [it["end"] for it in lifetimes],
        [it["lost"] for it in lifetimes],
        entry=None if all(it is None for it in entry) else [0 if it is None else it + 0.5 for it in entry],
    )
    low, high = (fitter.confidence_interval_[f"KM_estimate_{end}_0.95"] for end in ("lower", "upper"))
    steps = []
    for time, row in fitter.event_table.iterrows():
        if row["observed"] > 0:
            step = {
                "time": time,
                "at_risk": int(row["at_risk"]),
                "lost": int(row["observed"]),
                "share": fitter.survival_function_.loc[time].iloc[0],
                "low": low.loc[time],
                "high": high.loc[time],
            }
            steps.append({key: None if math.isnan(value) else float(value) for key, value in step.items()})
    median = fitter.median_survival_time_
    return {"name": name, "lifetimes": lifetimes, "steps": steps, "median": None if math.isinf(median) else float(median)}


def drawn(seed, count, with_entry):
    rng = random.Random(seed)
    lifetimes = []
    for _ in range(count):
        entry = rng.randint(0, 6) if with_entry else None
        end = (entry or 0) + rng.randint(1, 40)
        lifetimes.append({"entry": entry, "end": end, "lost": rng.random() < 0.45})
    return lifetimes


def life(end, lost, entry=None):
    return {"entry": entry, "end": end, "lost": lost}


cases = [
    case("all are lost", [life(end, True) for end in (1, 2, 2, 5)]),
    case("ties of losses and ends", [life(3, True), life(3, False), life(3, True), life(7, False), life(9, True), life(9, False)]),
    case("the sample run", [life(42, True), life(46, True), life(46, True), life(49, True)] + [life(56, False)] * 20),
    case("20 drawn", drawn(1, 20, False)),
    case("200 drawn", drawn(2, 200, False)),
    case("60 drawn with entries", drawn(3, 60, True)),
]
out = {"made_by": "tests/vectors/survival.py", "versions": {"lifelines": lifelines.__version__}, "cases": cases}
path = Path(__file__).with_name("survival.json")
path.write_text(json.dumps(out, indent=1) + "\n")
