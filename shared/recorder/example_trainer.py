"""A trainer without a GPU, torch or verl that shows where the hooks of `turnwise_verl.py` stand.

    python example_trainer.py logs/turnwise

Writes two runs of one step each: the released trainer with Resample-on-Correct (8 rollouts to 4, on 3 processes, so
that rows are cut), and plain verl. The batch, its columns and the tokenizer are stand-ins with just the members the
hooks use; texts, rewards and entropies are made up.
"""
import re
import sys

from turnwise_recorder import Recorder
from turnwise_verl import TrainerHooks, about

CONFIG = {
    "data": {"max_response_length": 256},
    "actor_rollout_ref": {"rollout": {"n": 8, "temperature": 1.0, "multi_turn": {"max_assistant_turns": 5}}},
    "augmentation": {
        "do_down_sampling": True,
        "down_sampling_config": {
            "reject_equal_reward": True, "roc_error_ratio": True, "roc_answer_format": True,
            "min_zero_reward_trace_num": 1, "min_non_zero_reward_trace_num": 1, "down_sample_to_n": 4}}}
WORLD_SIZE = 3

CALL = ('A tool \U0001f9ee first.</reason>\n<tool_call>\n{"name": "python_code_with_standard_io", "arguments": '
        '{"code": "1", "input": ""}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n%s\n</tool_response>'
        '<|im_end|>\n<|im_start|>assistant\n<reason>Wait, ')
RESPONSES = {
    "clean": CALL % "Tool call success\nstdout: 42\n\nexecution time: 0.02s",
    "failed": CALL % "Tool call failure\nreason: \nstderr: NameError at line 1: x\n\nexecution time: 0.02s",
    "timeout": CALL % "Tool call failure\nreason: worker_timeout\n\nexecution time: 4.10s",
    "direct": ""}
END = "so.</reason>\n<answer>\\boxed{%s}</answer><|im_end|>"
# Per group: how each rollout went, and whether it was right.
POOL = {
    "uid-mixed": "failed+ clean+ timeout+ clean- direct+ failed- clean- failed-",
    "uid-all-right": "clean+ clean+ failed+ clean+ direct+ clean+ clean+ timeout+",
    "uid-cut": "clean- failed+ clean+ clean- failed- direct+ clean+ clean+"}


class Column(list):
    """Stands for a tensor: on some device, and a list only when asked."""

    def cpu(self):
        return self

    def __getitem__(self, i):
        row = list.__getitem__(self, i)
        return Column(row) if isinstance(row, list) else row

    def tolist(self):
        return list(self)


class Batch:
    """Stands for a DataProto: columns of equal length."""

    def __init__(self, batch, non_tensor_batch):
        self.batch = batch
        self.non_tensor_batch = non_tensor_batch

    def __getitem__(self, places):
        def chosen(columns):
            return {name: Column(column[i] for i in places) for name, column in columns.items()}
        return Batch(chosen(self.batch), chosen(self.non_tensor_batch))


class Tokenizer:
    """Words, tags, signs; a sign beyond ASCII is one token per byte, as in byte-level vocabularies."""

    def __init__(self):
        self._bytes = [b"<|endoftext|>"]

    def encode(self, text):
        words = re.findall(r"<\|\w+\|>|</?\w+>| ?\w+|\s|.", text)
        return [self._id(part) for word in words
                for part in ([word.encode()] if word.isascii() else [bytes([byte]) for byte in word.encode()])]

    def decode(self, ids, skip_special_tokens=True):
        kept = [self._bytes[i] for i in ids if not (skip_special_tokens and self._bytes[i].startswith(b"<|"))]
        return b"".join(kept).decode("utf-8", "replace")

    def _id(self, part):
        if part not in self._bytes:
            self._bytes.append(part)
        return self._bytes.index(part)


def generate(tokenizer):
    """A batch as it is after the reward: prompts padded on the left, responses on the right."""
    rows = [(uid, kind[:-1], kind[-1] == "+") for uid, kinds in POOL.items() for kind in kinds.split()]
    asked = [tokenizer.encode("<|im_start|>user\n%s: 6\u00d77?<|im_end|>\n<|im_start|>assistant\n<reason>" % uid)
             for uid, _, _ in rows]
    said = [tokenizer.encode(RESPONSES[kind] + END % (42 if is_right else 41)) for _, kind, is_right in rows]
    wide, long = max(map(len, asked)) + 2, max(map(len, said)) + 2
    columns = {"prompts": [], "responses": [], "attention_mask": [], "response_mask": [], "token_level_scores": []}
    for prompt, response, (_, _, is_right) in zip(asked, said, rows):
        left, right = wide - len(prompt), long - len(response)
        columns["prompts"].append([0] * left + prompt)
        columns["responses"].append(response + [0] * right)
        columns["attention_mask"].append([0] * left + [1] * (len(prompt) + len(response)) + [0] * right)
        columns["response_mask"].append(sampled(tokenizer, response) + [0] * right)
        columns["token_level_scores"].append([0.0] * (len(response) - 1) + [float(is_right)] + [0.0] * right)
    return Batch({name: Column(column) for name, column in columns.items()}, {
        "uid": [uid for uid, _, _ in rows], "data_source": ["example"] * len(rows),
        "reward_model": [{"style": "rule", "ground_truth": "42"}] * len(rows)})


def sampled(tokenizer, response):
    """0 from the user's tag to the assistant's: what the environment wrote."""
    mask, by_policy = [], 1
    words = [tokenizer.decode([token], skip_special_tokens=False) for token in response]
    for word, following in zip(words, words[1:] + [""]):
        by_policy = 0 if (word, following) == ("<|im_start|>", "user") else by_policy
        mask.append(by_policy)
        by_policy = 1 if word == "<reason>" else by_policy
    return mask


def compute_log_prob(tokenizer, batch):
    """Entropy 1.5 at every "Wait", 0.125 elsewhere; the padding too has values, which nobody should read."""
    def per_token(at_wait, elsewhere):
        wait = tokenizer.encode("Wait")[0]
        return Column([at_wait if token == wait else elsewhere for token in row] for row in batch.batch["responses"])
    return Batch({"entropys": per_token(1.5, 0.125), "old_log_probs": per_token(-2.0, -0.25)}, batch.non_tensor_batch)


def p_err(texts):
    blocks = [re.findall(r"<tool_response>.*?</tool_response>", text, re.S) for text in texts]
    return [sum("error" in block.lower() for block in of) / len(of) if of else 0.5 for of in blocks]


def p_format(texts):
    """Enough for these texts, which have one answer each: 0, but 1 where no later turn follows the first."""
    return [0.0 if "<|im_start|>assistant" in text else 1.0 for text in texts]


def down_sample(batch, tokenizer):
    """Who is kept: equal rewards out, quotas, fewest penalties; the tail cut to the world size after each."""
    texts = [tokenizer.decode(row, skip_special_tokens=False) for row in batch.batch["responses"]]
    penalty = [a + b for a, b in zip(p_err(texts), p_format(texts))]
    reward = [sum(row) for row in batch.batch["token_level_scores"]]
    uids = batch.non_tensor_batch["uid"]
    pool = [i for i in range(len(uids)) if len({r for r, uid in zip(reward, uids) if uid == uids[i]}) > 1]
    pool = pool[:len(pool) // WORLD_SIZE * WORLD_SIZE]
    kept = set()
    for uid in set(uids):
        zeros = [i for i in pool if uids[i] == uid and reward[i] <= 0]
        others = sorted((i for i in pool if uids[i] == uid and reward[i] > 0), key=lambda i: penalty[i])
        total = len(zeros) + len(others)
        if total >= 4:  # in this pool no minimum is missed, so the rounded shares are the quotas
            kept.update(zeros[:round(len(zeros) * 4 / total)] + others[:round(len(others) * 4 / total)])
    back = sorted(kept)[:len(kept) // WORLD_SIZE * WORLD_SIZE]
    return batch[back] if back else None


def released_trainer(directory):
    tokenizer = Tokenizer()
    fields = about(CONFIG, world_size=WORLD_SIZE, rule="release")
    with Recorder(directory, run="example-rstar", name="example: released trainer", **fields) as rec:
        hooks = TrainerHooks(rec, tokenizer, rule="release", scorers={"p_err": p_err, "p_format": p_format},
                             temperature=1.0, strict=True)
        batch = generate(tokenizer)
        hooks.pool(1, batch)
        batch = down_sample(batch, tokenizer)
        hooks.decisions(1, batch)
        if batch is None:
            return
        batch = batch[range(len(batch.non_tensor_batch["uid"]) - 1, -1, -1)]  # the balancing reorders the rows
        hooks.signals(1, batch, compute_log_prob(tokenizer, batch))


def plain_verl(directory):
    tokenizer = Tokenizer()
    plain = {name: part for name, part in CONFIG.items() if name != "augmentation"}
    with Recorder(directory, run="example-verl", name="example: plain verl", **about(plain)) as rec:
        hooks = TrainerHooks(rec, tokenizer, strict=True)
        batch = generate(tokenizer)
        scores = batch.batch.pop("token_level_scores")
        hooks.number(batch)
        order = range(len(scores) - 1, -1, -1)  # the balancing comes before the reward
        batch = batch[order]
        hooks.pool(1, batch, scores=Column(scores[i] for i in order))
        hooks.signals(1, batch, compute_log_prob(tokenizer, batch))


if __name__ == "__main__":
    released_trainer(sys.argv[1])
    plain_verl(sys.argv[1])
