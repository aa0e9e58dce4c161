"""Writes pagerank.json: 20 made graphs with typed, weighted edges, and what networkx says of them.

    pip install networkx numpy scipy && python tests/vectors/pagerank.py

The weights of a node's edges are shares within their type, and each type that the node has counts the same; edges of
several types to one node are summed. Nodes without edges keep networkx' way: what they would pass on goes back to the
seeds (the personalization).
"""

import json
import pathlib
import random

import networkx as nx

ALPHA = 0.85
HERE = pathlib.Path(__file__).parent


def graph(rng, number):
    nodes = rng.randint(2, 40)
    # From nearly none to many edges, among them loops, two types to one node, and nodes without any.
    wanted = rng.randint(0, nodes * (1 + number % 5))
    edges = {}
    for _ in range(wanted):
        edge = (rng.randrange(nodes), rng.randrange(nodes), rng.randrange(1 + number % 4))
        edges[edge] = round(rng.uniform(0.1, 9.0), 3)
    seeds = [round(rng.random(), 3) if rng.random() < 0.4 else 0.0 for _ in range(nodes)]
    if not any(seeds):
        seeds[0] = 1.0
    return nodes, [[a, b, kind, weight] for (a, b, kind), weight in edges.items()], seeds


def pagerank(nodes, edges, seeds):
    made = nx.DiGraph()
    made.add_nodes_from(range(nodes))
    for node in range(nodes):
        own = [edge for edge in edges if edge[0] == node]
        kinds = {edge[2] for edge in own}
        for _, to, kind, weight in own:
            share = weight / sum(edge[3] for edge in own if edge[2] == kind) / len(kinds)
            before = made.edges[node, to]["weight"] if made.has_edge(node, to) else 0.0
            made.add_edge(node, to, weight=before + share)
    said = nx.pagerank(
        made, alpha=ALPHA, personalization=dict(enumerate(seeds)), max_iter=10_000, tol=1e-16
    )
    return [said[node] for node in range(nodes)]


def main():
    rng = random.Random(12)
    graphs = []
    for number in range(20):
        nodes, edges, seeds = graph(rng, number)
        ranks = pagerank(nodes, edges, seeds)
        graphs.append({"nodes": nodes, "edges": edges, "seeds": seeds, "pagerank": ranks})
    lines = ",\n".join("  " + json.dumps(one) for one in graphs)
    made_by = f"tests/vectors/pagerank.py, networkx {nx.__version__}"
    text = f'{{\n "made_by": "{made_by}",\n "alpha": {ALPHA},\n "graphs": [\n{lines}\n ]\n}}\n'
    (HERE / "pagerank.json").write_text(text)


if __name__ == "__main__":
    main()
