"""verl/experimental/agent_loop/agent_loop.py: the manager generates and averages what its workers measured
(pinned :640, v0.6.0 :871, v0.7.0 :969)."""
from common import TRUTH, generate, random_of


class AgentLoopManager:
    def generate_sequences(self, step, **options):
        output = generate(step, **options)
        metrics = []
        for row in TRUTH[-len(output):]:
            row["seconds"] = {"generate_sequences": random_of.randrange(64) / 8, "tool_calls": 0.5}
            metrics.append(dict(row["seconds"]))
        half = len(metrics) // 2
        self._performance_metrics([metrics[:half], metrics[half:]], output)
        return output

    def _performance_metrics(self, metrics, output):
        return {"agent_loop/generate_sequences/mean": sum(one["generate_sequences"] for part in metrics for one in part)}
