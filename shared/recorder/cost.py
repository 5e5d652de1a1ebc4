"""Measures what recording a step costs: 128 groups of 32 rollouts of 12,000 tokens, as rStar2-Agent's trainer has them.

    python cost.py [lists|numpy] [gzip]

Columns are lists, or numpy arrays where numpy is there (a torch tensor on the host is one without a copy). Rows repeat
after 24, so that the stand-ins take little memory. The tokenizer's own time is not included: its stand-in looks the
text up. The queue is drained between the hooks, which a step's other work has time for.

The floor is the CPU time of encoding and writing as many bytes and nothing else, in the same run. A busy machine raises
both, so compare the ratio, and take the best of three.
"""
import base64
import os
import random
import resource
import sys
import tempfile
import time

GROUPS, PER_GROUP, TOKENS, DISTINCT = 128, 32, 12000, 24


class Column(list):
    def __getitem__(self, i):
        return list.__getitem__(self, i)


class Batch:
    def __init__(self, batch, non_tensor_batch):
        self.batch, self.non_tensor_batch = batch, non_tensor_batch

    def __len__(self):
        return len(self.non_tensor_batch["uid"])


class Tokenizer:
    texts = {}

    def decode(self, ids, skip_special_tokens=False):
        return self.texts.get(int(ids[0]), "a question")


def batch_of(kind):
    chance = random.Random(1)
    words = ["%s%s" % (chance.choice("abcdefgh "), "".join(chance.choices("etaoinshrdlu", k=3))) for _ in range(4000)]

    def column(make, dtype):
        rows = [make(i) for i in range(DISTINCT)]
        if kind == "numpy":
            import numpy
            rows = [numpy.array(row, dtype=dtype) for row in rows]
        return Column(rows[i % DISTINCT] for i in range(GROUPS * PER_GROUP))

    def ids(i):
        Tokenizer.texts[i] = "".join(chance.choices(words, k=TOKENS))
        # Zipf's law over a vocabulary of 151,000, with small ids for frequent tokens.
        return [i] + [int(151000 ** chance.random()) for _ in range(TOKENS - 1)]

    # Most tokens of a trained policy are nearly certain.
    columns = {
        "prompts": column(lambda i: [200000] * 64, "int64"),
        "responses": column(ids, "int64"),
        "attention_mask": column(lambda i: [1] * (64 + TOKENS), "int64"),
        "response_mask": column(lambda i: ([1] * 900 + [0] * 100) * (TOKENS // 1000), "int64"),
        "token_level_scores": column(lambda i: [0.0] * (TOKENS - 1) + [float(i % 2)], "float32")}
    computed = {
        "entropys": column(lambda i: [3 * chance.random() ** 8 for _ in range(TOKENS)], "float32"),
        "old_log_probs": column(lambda i: [-3 * chance.random() ** 8 for _ in range(TOKENS)], "float32")}
    columns["advantages"] = column(lambda i: ([0.5] * 900 + [0.0] * 100) * (TOKENS // 1000), "float32")
    uids = ["%032x" % group for group in range(GROUPS) for _ in range(PER_GROUP)]
    others = {"uid": uids, "data_source": ["example"] * len(uids), "extra_info": [{"index": 1}] * len(uids),
              "reward_model": [{"ground_truth": "42"}] * len(uids)}
    return Batch(columns, others), Batch(computed, {})


def floor_of(directory, size):
    """Seconds of CPU for base64 of random bytes that is written to a file of this size."""
    data = os.urandom(3 << 18)
    started = time.process_time()
    with open(os.path.join(directory, "floor"), "wb", buffering=0) as file:
        for _ in range(size >> 20):
            file.write(base64.b64encode(data))
    return time.process_time() - started


class Trainer:
    config = {"trainer": {"experiment_name": "cost"}, "actor_rollout_ref": {"rollout": {"temperature": 1.0}}}
    tokenizer = Tokenizer()
    global_steps = 1

    def _down_sample_batch(self, batch):
        pass


def main(kind="lists", compression=None):
    with tempfile.TemporaryDirectory() as directory:
        os.environ["TURNWISE_LOG"] = directory
        import turnwise_verl
        from turnwise_recorder import Recorder
        batch, computed = batch_of(kind)
        half = list(range(0, len(batch), 2))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        recorder = Recorder(directory, run="cost", compression=compression, strict=True)
        trainer = Trainer()
        session = turnwise_verl.Session(trainer, recorder)
        driver = 0.0
        process = time.process_time()
        started = time.monotonic()
        kept = None
        for hook in ("pool", "decide", "log_probs", "advantages"):
            if hook == "decide":
                kept = Batch({name: Column(column[i] for i in half) for name, column in batch.batch.items()},
                             {name: [column[i] for i in half] for name, column in batch.non_tensor_batch.items()})
            cpu = time.thread_time()
            {"pool": lambda: session.pool(batch), "decide": lambda: session.decide(kept),
             "log_probs": lambda: session.log_probs(kept, computed),
             "advantages": lambda: session.advantages(kept)}[hook]()
            driver += time.thread_time() - cpu
            assert recorder.flush(600)
        writer = time.process_time() - process - driver
        seconds = time.monotonic() - started
        size = sum(os.path.getsize(os.path.join(directory, name)) for name in os.listdir(directory))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        rows = len(batch)
        floor = floor_of(directory, size)
        assert not recorder.lost, recorder.lost
        print("%s%s: driver %.2f s, writer %.1f s of CPU (floor %.1f s; %.1f s in all), %.0f MB a step, %.0f MB of memory, %d rollouts"
              % (kind, "" if compression is None else ", " + compression, driver, writer, floor, seconds, size / 1e6,
                 memory / 1024, rows))


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main(*sys.argv[1:])
