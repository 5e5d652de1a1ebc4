"""A training loop of one's own that is recorded with three calls a step. Replace the stand-ins by yours.

    python example_loop.py /absolute/directory
"""
import random
import sys

from turnwise_recorder import Recorder, tokens

chance = random.Random(1)


def sample(prompt):
    ids = [chance.randrange(97, 123) for _ in range(20)]
    return bytes(ids).decode(), ids, [-chance.random() for _ in ids]


def main(directory):
    with Recorder(directory, run="my-loop", model="my-model", sampling={"temperature": 1.0, "n": 4}) as rec:
        for step in range(1, 4):
            group = [sample("6\u00d77?") for _ in range(4)]
            rewards = [float("a" in text) for text, _, _ in group]
            for index, (text, ids, logprobs) in enumerate(group):
                rec.rollout(step=step, group="6x7", index=index, text=text, reward=rewards[index],
                            problem={"id": "6x7", "prompt": "6\u00d77?", "ground_truth": "42"},
                            tokens=tokens(ids=ids, logprob=logprobs, mask=[1] * len(ids)))
            kept = set(range(4)) if len(set(rewards)) > 1 else set()
            for index in range(4):
                rec.decision(step=step, group="6x7", index=index, kept=index in kept)
            for index in kept:
                rec.signal(step=step, group="6x7", index=index, tokens=tokens(entropy=[0.5] * 20))
            rec.metric(step=step, metrics={"reward/mean": sum(rewards) / 4})


if __name__ == "__main__":
    main(sys.argv[1])
