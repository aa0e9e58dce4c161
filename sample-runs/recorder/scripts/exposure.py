"""How far each component can be recovered from the requests alone, by turn.

0 not recoverable: no request speaks of it.
1 weak: a request names what it is for, or that it will come, not how it works.
2 residual ambiguity: part of it is said, another part that matters is open.
3 clear: said, but one detail of the checklist has to be supplied from what is usual.
4 explicit: the checklist's formula can be written down from the words.

Read from `script.json` alone: neither answers nor code count. What was said once stays said, so a level never falls, also where a later
request asks for something vaguer or seems to take it back.
"""

EMERGENT = {
    "C01": [(1, 4)],
    "C02": [(2, 3), (17, 4)],                   # the noise is named only in turn 17
    "C03": [(3, 4)],
    "C04": [(4, 1), (5, 4)],                    # turn 4 speaks of distances and frames as what a network sees
    "C05": [(6, 4)],
    "C06": [(7, 4)],
    "C07": [(8, 4)],
    "C08": [(11, 1), (12, 4)],                  # turn 11 wants messages without coordinates
    "C09": [(14, 2), (15, 4)],                  # both kinds of attention first, their order later
    "C10": [(16, 4)],
    "C11": [(2, 1), (17, 4)],                   # "before anything is noised the coordinates have to be centred"
    "C12": [(16, 1), (18, 2), (19, 4)],         # turn 18 leaves open masked or uniform
    "C13": [(16, 1), (18, 2), (20, 4)],
    "C14": [(1, 1), (21, 4)],                   # "a given target"
    "C15": [(10, 1), (22, 3)],                  # never said what the weighted sum is divided by
    "C16": [(10, 1), (23, 3)],                  # likewise
    "C17": [(24, 4)],
    "C18": [(22, 1), (25, 4)],                  # "leave room for a weight per residue"
    "C19": [(7, 1), (22, 2), (27, 4)],          # turn 22 says what comes out, turn 27 the rest
    "C20": [(28, 3), (35, 4)],                  # what happens in sampling is said in turn 35
    "C21": [(10, 1), (29, 2), (30, 4)],         # the average comes in turn 30
    "C22": [(10, 1), (34, 2), (35, 4)],         # coordinates first, then sequence and loop
    "C23": [(37, 4)],
    "C24": [(10, 1), (38, 2), (39, 4)],         # ranking comes in turn 39
}

# One request; 3 where it names the thing and leaves a formula or a detail to what is usual.
SINGLE_SHOT = {
    "C01": 4, "C02": 4, "C03": 4, "C04": 4, "C05": 4,
    "C06": 3,                                   # where the frequencies start and how they are spaced
    "C07": 4, "C08": 4,
    "C09": 3,                                   # "interleaves", what causal means
    "C10": 3,                                   # named, with its two numbers, without the formula
    "C11": 4, "C12": 4,
    "C13": 3,                                   # "one t for both", not how it is drawn
    "C14": 4,
    "C15": 3, "C16": 3,                         # what the weighted sum is divided by
    "C17": 4, "C18": 4,
    "C19": 3,                                   # that it is a stack of the blocks
    "C20": 3,                                   # which features become nodes' and which edges'
    "C21": 3,                                   # SPSA by name, no formula
    "C22": 3,                                   # the Gaussian posterior by name, no formula
    "C23": 4, "C24": 4,
}


def emergent():
    return [{"id": i, "by_turn": _changes(levels)} for i, levels in EMERGENT.items()]


def single_shot():
    return [{"id": i, "by_turn": [{"turn": 1, "level": level}]} for i, level in SINGLE_SHOT.items()]


def _changes(levels):
    entries = []
    for turn, level in levels:
        if not entries or entries[-1]["level"] != level:
            entries.append({"turn": turn, "level": level})
    return entries


READ = ("exposure.json was read from the requests, and the judgements of kind human from the code of the judged commit, by trajview's authors: "
        "the reading was done by the authors' AI assistant, recorded as kind human because no prompted judge made it and no panel of people did; "
        "levels never fall once something was said.")
MADE_UP = (" The judgement of quick-reader is made up, to show how a judge that opened too few files is caught reporting something as absent "
           "which is there.")
