"""A Ray cluster of two nodes as processes on this machine, until the input ends.

Its first line is JSON: the address, and the process of each node's raylet.
"""

from __future__ import annotations

import json
import sys

from ray.cluster_utils import Cluster


def main() -> None:
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False},
    )
    other = cluster.add_node(num_cpus=1)
    raylets = [
        node.all_processes["raylet"][0].process.pid for node in (cluster.head_node, other)
    ]
    print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)
    sys.stdin.read()
    cluster.shutdown()


if __name__ == "__main__":
    main()
