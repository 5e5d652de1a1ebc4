"""What the skeletons of trainers share: a batch, a tokenizer, sampled rollouts, and the record of what was sampled.

A skeleton has the call order and the names of a trainer at one version, and nothing else of it. Columns are lists, or
numpy arrays with SKELETON_NUMPY=1.
"""
import itertools
import json
import os
import random

STEPS = int(os.environ.get("SKELETON_STEPS", "4"))
GROUPS, PER_GROUP = 3, 6
VERSION = tuple(int(part) for part in os.environ.get("SKELETON_VERSION", "0.5").split("."))
number_of = itertools.count()
random_of = random.Random(int(os.environ.get("SKELETON_SEED", "1")))

if os.environ.get("SKELETON_NUMPY"):
    import numpy


class Column(list):
    """Stands for a tensor on the host."""

    def cpu(self):
        return self

    def __getitem__(self, i):
        row = list.__getitem__(self, i)
        return Column(row) if isinstance(row, list) else row

    def tolist(self):
        return list(self)


def tensor(rows):
    return numpy.array(rows) if os.environ.get("SKELETON_NUMPY") else Column(rows)


def objects(values):
    if not os.environ.get("SKELETON_NUMPY"):
        return list(values)
    column = numpy.empty(len(values), dtype=object)
    column[:] = values
    return column


class DataProto:
    """verl/protocol.py: columns of equal length; selecting rows makes new columns."""

    def __init__(self, batch, non_tensor_batch=None, meta_info=None):
        self.batch = batch
        self.non_tensor_batch = non_tensor_batch or {}
        self.meta_info = meta_info or {}

    def __len__(self):
        return len(next(iter(self.batch.values())))

    def select_idxs(self, places):
        return DataProto({name: tensor([column[i] for i in places]) for name, column in self.batch.items()},
                         {name: objects([column[i] for i in places]) for name, column in self.non_tensor_batch.items()},
                         self.meta_info)

    def reorder(self, places):
        chosen = self.select_idxs(places)
        self.batch, self.non_tensor_batch = chosen.batch, chosen.non_tensor_batch

    def union(self, other):
        self.batch.update(other.batch)
        self.non_tensor_batch.update(other.non_tensor_batch)
        self.meta_info.update(other.meta_info)
        return self

    @staticmethod
    def concat(parts):
        parts = [part for part in parts if part is not None]
        # Numpy columns of different parts may differ in width only where the trainer pads, which skeletons avoid.
        return DataProto(
            {name: tensor([row for part in parts for row in part.batch[name]]) for name in parts[0].batch},
            {name: objects([row for part in parts for row in part.non_tensor_batch[name]])
             for name in parts[0].non_tensor_batch}, dict(parts[0].meta_info))


SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def decoded(ids, skip_special_tokens=False):
    """The text, also where the trainer's tokenizer fails."""
    parts, waiting = [], bytearray()
    for token in list(ids) + [None]:
        if token is not None and token < 256:
            waiting.append(token)
            continue
        parts.append(waiting.decode("utf-8", "replace"))
        waiting = bytearray()
        if token is not None and not skip_special_tokens:
            parts.append(SPECIAL[token - 256])
    return "".join(parts)


class Tokenizer:
    """A token per byte, and three special ones: byte-level BPE without merges."""

    pad_token_id = 256

    def encode(self, text):
        ids = []
        while text:
            special = next((word for word in SPECIAL if text.startswith(word)), None)
            if special:
                ids.append(256 + SPECIAL.index(special))
                text = text[len(special):]
            else:
                ids.extend(text[0].encode())
                text = text[1:]
        return ids

    def decode(self, ids, skip_special_tokens=True):
        if os.environ.get("SKELETON_FAULT") == "decode":
            raise ValueError("this tokenizer decodes nothing")
        return decoded(ids, skip_special_tokens)

    @property
    def backend_tokenizer(self):
        return self

    def to_str(self):
        printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
        others = [byte for byte in range(256) if byte not in printable]
        vocabulary = {chr(byte): byte for byte in printable}
        vocabulary.update({chr(0x100 + n): byte for n, byte in enumerate(others)})
        # The library `tokenizers` begins its files with these three.
        return json.dumps({"version": "1.0", "truncation": None, "padding": None,
                           "added_tokens": [{"id": 256 + n, "content": word, "special": True}
                                            for n, word in enumerate(SPECIAL)],
                           "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
                           "decoder": {"type": "ByteLevel"}}, separators=(",", ":"))


TOKENIZER = Tokenizer()
CALL = ('A tool \U0001f9ee.</reason>\n<tool_call>\n{"name": "python_code_with_standard_io", "arguments": '
        '{"code": "1", "input": ""}}\n</tool_call><|im_end|>\n')
ANSWERED = ('<|im_start|>user\n<tool_response>\n%s\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>')
GOOD = "Tool call success\nstdout: 42\n\nexecution time: 0.02s"
BAD = "Tool call failure\nreason: \nstderr: NameError at line 1: x\n\nexecution time: 0.02s"


def sample():
    """A response as (text, sampled by the policy) parts, and whether its answer is right."""
    parts = []
    for _ in range(random_of.randrange(4)):
        parts += [(CALL, 1), (ANSWERED % (BAD if random_of.random() < 0.4 else GOOD), 0)]
    right = random_of.random() < 0.5
    # A number of its own makes each response another one, so that `truth_of` finds its record.
    ending = "so %d.</reason>\n<answer>\\boxed{%d}</answer><|im_end|>"
    parts.append((ending % (next(number_of), 42 if right else 41), 1))
    return parts, right


TRUTH = []  # every sampled rollout, with what the trainer computed and decided of it


def generate(step, groups=GROUPS, per_group=PER_GROUP, uniform=False):
    """A generated batch: prompts padded on the left, responses on the right. Rows are in generation order."""
    rows = []
    for _ in range(groups):
        uid = "%032x" % random_of.getrandbits(128)
        index = random_of.randrange(1000)
        same = random_of.random() < 0.25 or uniform
        luck = random_of.random() < 0.5
        for ordinal in range(per_group):
            parts, right = sample()
            while same and right != luck:
                parts, right = sample()
            ids = [token for text, _ in parts for token in TOKENIZER.encode(text)]
            mask = [sampled for text, sampled in parts for _ in TOKENIZER.encode(text)]
            prompt = "<|im_start|>user\n%d: 6\u00d77?<|im_end|>\n<|im_start|>assistant\n<reason>" % index
            rows.append({"step": step, "uid": uid, "ordinal": ordinal, "index": index, "prompt": prompt, "ids": ids,
                         "mask": mask, "text": "".join(text for text, _ in parts), "reward": float(right)})
    TRUTH.extend(rows)
    asked = [TOKENIZER.encode(row["prompt"]) for row in rows]
    wide, long = 96, 2400
    columns = {"prompts": [], "responses": [], "attention_mask": [], "response_mask": []}
    for prompt, row in zip(asked, rows):
        left, right = wide - len(prompt), long - len(row["ids"])
        assert left >= 0 and right >= 0
        columns["prompts"].append([256] * left + prompt)
        columns["responses"].append(row["ids"] + [256] * right)
        columns["attention_mask"].append([0] * left + [1] * (len(prompt) + len(row["ids"])) + [0] * right)
        columns["response_mask"].append(row["mask"] + [0] * right)
    if VERSION < (0, 5):  # sglang_rollout.py:1061 of v0.4.1; response_mask is the attention
        columns["loss_mask"] = columns["response_mask"]
        columns["response_mask"] = [row[wide:] for row in columns["attention_mask"]]
    return DataProto({name: tensor(column) for name, column in columns.items()}, {
        "uid": objects([row["uid"] for row in rows]), "data_source": objects(["example"] * len(rows)),
        "extra_info": objects([{"index": row["index"]} for row in rows]),
        "reward_model": objects([{"style": "rule", "ground_truth": "42"}] * len(rows)),
        "__num_turns__": objects([row["text"].count("<tool_response>") * 2 + 2 for row in rows])})


def truth_of(batch):
    """The records of the batch's rows, found by uid and text rather than by anything that the recorder adds."""
    by_text = {(row["uid"], tuple(row["ids"])): row for row in TRUTH}
    found = []
    for uid, ids, given in zip(batch.non_tensor_batch["uid"], batch.batch["responses"], batch.batch["attention_mask"]):
        given = list(given)[-len(ids):]
        found.append(by_text[str(uid), tuple(int(t) for t, is_given in zip(ids, given) if is_given)])
    return found


def score(batch):
    """The reward at the last token of each response, and what the scorer says besides."""
    rows = truth_of(batch)
    width = len(batch.batch["responses"][0])
    for row in rows:
        row["rewards"] = {"acc": row["reward"], "pred": "42" if row["reward"] else "41"}
    scores = [[0.0] * (len(row["ids"]) - 1) + [row["reward"]] + [0.0] * (width - len(row["ids"])) for row in rows]
    return tensor(scores), {name: [row["rewards"][name] for row in rows] for name in ("acc", "pred")}


def log_probs(batch):
    """Entropies and log-probabilities of every position, the padding included. Sixteen bits hold the values exactly."""
    rows, width = truth_of(batch), len(batch.batch["responses"][0])
    entropies, logs = [], []
    for row in rows:
        row["entropy"] = [random_of.randrange(64) / 32 for _ in row["ids"]]
        row["trainer_logprob"] = [-random_of.randrange(64) / 64 for _ in row["ids"]]
        entropies.append(row["entropy"] + [9.0] * (width - len(row["ids"])))
        logs.append(row["trainer_logprob"] + [-9.0] * (width - len(row["ids"])))
    return tensor(entropies), tensor(logs)


def advantage_of(batch):
    """GRPO's shape: one value for the sampled tokens of a row, 0 elsewhere. Per token where SKELETON_GAE is set."""
    rows, width = truth_of(batch), len(batch.batch["responses"][0])
    columns = []
    for row in rows:
        value = random_of.randrange(1, 64) / 16 * random_of.choice((-1, 1))
        values = [value * sampled for sampled in row["mask"]]
        if os.environ.get("SKELETON_GAE"):
            values = [value * (1 + place % 2) for place, value in enumerate(values)]
            row["advantages"] = values
        else:
            row["advantage"] = value
        columns.append(values + [0.0] * (width - len(values)))
    return tensor(columns)


def reject(batch):
    """Rollout correction: from v0.6.1 on it takes rows out of the response mask, before the advantages."""
    batch.batch["response_mask"] = tensor([[0] * len(row) for row in batch.batch["response_mask"]])


class Config(dict):
    """As OmegaConf's: attributes, and values that raise when they are read."""

    def __getitem__(self, name):
        value = dict.__getitem__(self, name)
        if value == "???":
            raise ValueError("Missing mandatory value: " + name)
        return value

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def config(down_sampling=None):
    settings = {
        "algorithm": {"filter_groups": {"enable": os.environ.get("SKELETON_TRAINER") == "dapo"}},
        "data": {"max_response_length": 4096, "train_batch_size": GROUPS},
        "trainer": {"experiment_name": "skeleton", "project_name": "test", "wandb_api_key": "hidden-value", "logger": "???"},
        "actor_rollout_ref": {"model": {"path": "model"}, "rollout": {"n": PER_GROUP, "temperature": 0.75}}}
    if down_sampling:
        settings["augmentation"] = {"do_down_sampling": True, "down_sampling_config": down_sampling}

    def nested(value):
        return Config({name: nested(inner) for name, inner in value.items()}) if isinstance(value, dict) else value
    return nested(settings)
