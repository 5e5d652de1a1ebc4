"""verl/experimental/agent_loop/agent_loop.py: the manager gives each worker a chunk of the batch, and averages what they
measured (pinned :640, v0.6.0 :871, v0.7.0 :969)."""
from common import TRUTH, generate, random_of


class AgentLoopManager:
    def generate_sequences(self, step, **options):
        output = generate(step, **options)
        rows = TRUTH[-len(output):]
        for row in rows:
            row["seconds"] = {"generate_sequences": random_of.randrange(64) / 8, "tool_calls": 0.5}
        workers = random_of.choice([1, 2, 3])
        size = len(rows) // workers  # `chunk` asserts that they are equal
        metrics = []
        for worker in range(workers):
            chunk = rows[worker * size:(worker + 1) * size]
            for row in chunk:
                row["worker"] = "agent_loop_worker_%d" % worker  # name of the actor, `_init_agent_loop_workers`
            metrics.append([dict(row["seconds"]) for row in chunk])
        self._performance_metrics(metrics, output)
        return output

    def _performance_metrics(self, metrics, output):
        return {"agent_loop/generate_sequences/mean": sum(one["generate_sequences"] for part in metrics for one in part)}
