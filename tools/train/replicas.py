"""All ranks must end up with the same bytes."""
import statistics

import jobs


def same(hashes, what):
    """The ranks' common hash; TrainError, naming the ranks that differ from most, when they have none."""
    if len(set(hashes)) > 1:
        most = statistics.mode(hashes)
        lines = "\n".join(f"  rank {rank}: {each}" + ("" if each == most else "   <- differs")
                          for rank, each in enumerate(hashes))
        raise jobs.TrainError(f"the replicas differ: not all ranks have the same {what}\n{lines}")
    return hashes[0]
