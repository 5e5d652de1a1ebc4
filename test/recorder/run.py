"""Runs a skeleton with the recorder attached, and compares every line of the log with what the skeleton sampled.

    python run.py TRAINER LOADER DIRECTORY

TRAINER: rstar, verl, dapo, async or v1, with the LOADER custom_cls, module or attach; trl (callback), openrlhf (install or
attach), loop (calls). Settings: SKELETON_VERSION (0.5, 0.6.1, …), SKELETON_STEPS, SKELETON_SEED, SKELETON_NUMPY,
SKELETON_GAE, SKELETON_RESUME, SKELETON_FAULT. Prints one JSON object with counts; `wrong` lists the first rows that differ.
"""
import base64
import collections
import gc
import gzip
import importlib.util
import json
import math
import os
import struct
import sys
import threading
import types

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.environ.get("SKELETON_RECORDER") or os.path.join(HERE, "..", "..", "shared", "recorder")
sys.path.insert(0, os.path.join(HERE, "skeletons"))


def main(trainer_name, loader, directory):
    fault = os.environ.get("SKELETON_FAULT")
    os.environ.setdefault("TURNWISE_LOG", directory)
    if fault == "full":
        import resource
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300 << 10, 300 << 10))
    if loader != "custom_cls" or fault == "stalled":
        sys.path.append(RECORDER)
    stalled = threading.Event()
    if fault == "stalled":
        import turnwise_recorder
        turnwise_recorder.os = type(sys)("os")
        turnwise_recorder.os.__dict__.update(os.__dict__, pwrite=lambda *args: stalled.wait() and os.pwrite(*args))
        turnwise_recorder.Recorder.flush.__wrapped__.__defaults__ = (0.2,)  # the seconds that a trainer's end waits
    steps = (train_other if trainer_name in OTHERS else train_verl)(trainer_name, loader)
    stalled.set()
    for one in gc.get_objects():  # however it was made
        if type(one).__name__ == "Recorder":
            assert one.flush(300)
    from common import TRUTH
    lines = read(directory)
    if fault and fault.startswith("plant:"):  # the comparison has to find it
        plant(fault[len("plant:"):], lines)
    counts = (compare_whole if trainer_name in OTHERS else compare)(TRUTH, lines)
    print(json.dumps(dict(counts, trained=steps)))


OTHERS = ("trl", "openrlhf", "loop")


def train_other(trainer_name, loader):
    """As a launch script does it. Returns the last step."""
    if trainer_name == "trl":
        from turnwise_trl import Turnwise
        from trl.trainer.grpo_trainer import train
        return train(Turnwise())
    if trainer_name == "loop":
        from turnwise_recorder import Recorder, tokens
        from common import TOKENIZER
        from own_loop import train
        return train(Recorder(run="skeleton", tokenizer=TOKENIZER), tokens)
    import turnwise_openrlhf
    if loader == "install":
        turnwise_openrlhf.install()
    from openrlhf.trainer.ppo_utils.experience_maker import RemoteExperienceMaker, train
    maker = RemoteExperienceMaker()
    if loader == "attach":
        turnwise_openrlhf.attach(types.SimpleNamespace(experience_maker=maker))
    return train(maker)


def train_verl(trainer_name, loader):
    if loader == "module":
        os.environ["VERL_USE_EXTERNAL_MODULES"] = "turnwise_verl"
    os.environ["SKELETON_TRAINER"] = trainer_name
    modules = {"rstar": "rstar2_agent.rstar2_agent_ray_trainer", "verl": "verl.trainer.ppo.ray_trainer",
               "dapo": "recipe.dapo.dapo_ray_trainer", "async": "verl.experimental.separation.ray_trainer",
               "v1": "verl.trainer.ppo.v1.trainer_base"}
    names = {"rstar": "RayRSTAR2AgentTrainer", "verl": "RayPPOTrainer", "dapo": "RayDAPOTrainer",
             "async": "FullyAsyncTrainer", "v1": "PPOTrainer"}
    module = __import__(modules[trainer_name], fromlist=["x"])
    adapter = None
    if loader == "custom_cls":  # verl executes the file by its path, once per data set
        for _ in range(2):
            spec = importlib.util.spec_from_file_location("custom_module", os.path.join(RECORDER, "turnwise_verl.py"))
            custom = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(custom)
            assert custom.Dataset.__name__ == "RLHFDataset"
            adapter = adapter or custom
    trainer = getattr(module, names[trainer_name])()
    if adapter is None:
        import turnwise_verl as adapter
    if loader == "attach":
        adapter.attach(trainer)
    if hasattr(trainer, "init_workers"):
        trainer.init_workers()
    trainer.fit()
    return trainer.global_steps


def read(directory):
    lines = []
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        if ".jsonl" in name:
            opener = gzip.open if name.endswith(".gz") else open
            with opener(os.path.join(directory, name), "rb") as file:
                lines += [json.loads(line) for line in file]
    return lines


def unpack(packed):
    if not isinstance(packed, str):
        return packed
    kind, data = packed.split(":", 1)
    if kind == "runs":
        return [run % 2 for run, length in enumerate(map(int, data.split(","))) for _ in range(length)]
    data = base64.b64decode(data)
    code, size = {"i32": ("i", 4), "f16": ("e", 2)}[kind]
    return [None if value != value else value for value in struct.unpack("<%d%s" % (len(data) // size, code), data)]


def reason_of(row):
    """The reason as Turnwise names it."""
    if row.get("reason") == "equal":
        return "discarded_equal_reward_all_%s" % ("correct" if row["reward"] > 0 else "wrong")
    return row.get("reason") and "discarded_" + row["reason"]


def compare(truth, lines):
    rollouts, decisions, signals = {}, {}, {}
    counts = {"rollouts": 0, "validation": 0, "decisions": 0, "kept": 0, "signals": 0, "advantages": 0, "metrics": 0,
              "stages": [], "parts": 0, "second_pools": 0}
    for line in lines:
        if line["type"] == "metric":
            counts["metrics"] += len(line["metrics"])
        if line["type"] == "stage":
            counts["stages"].append(line["name"])
        if line["type"] == "rollout" and line.get("split") == "eval":
            counts["validation"] += 1
        elif line["type"] == "rollout":
            key = (line["group"], line["index"], line.get("part") or 0)
            assert key not in rollouts, key
            rollouts[key] = line
            counts["parts"] += "part" in line
            counts["second_pools"] += "pool" in line
        elif line["type"] == "decision":
            decisions.setdefault((line["group"], line["index"]), {}).update(
                {name: value for name, value in line.items() if value is not None})
        elif line["type"] == "signal":
            signals[line["group"], line["index"]] = line["tokens"]
    wrong = []
    for row in truth:
        part = row.get("part") or 0
        address = (row["uid"], row["ordinal"])
        line = rollouts.pop(address + (part,), None)
        if line is None:
            wrong.append("%s-%d: no line" % address)
            continue
        counts["rollouts"] += 1
        found = dict(line.get("tokens", {}), **({} if part else signals.get(address, {})))
        decision = decisions.get(address, {})
        expected = {
            "step": row["step"], "text": row["text"], "prompt": row["prompt"], "id": "example/%d" % row["index"],
            "reward": row["reward"], "rewards": row.get("rewards"), "is_correct": row["reward"] == 1, "ids": row["ids"],
            "mask": row["mask"], "entropy": row.get("entropy"), "trainer_logprob": row.get("trainer_logprob"),
            "advantages": row.get("advantages"), "advantage": row.get("advantage"), "kept": row.get("kept"),
            "reason": reason_of(row), "seconds": row.get("seconds"), "worker": row.get("worker"),
            "logprob": None if "rollout_logprob" not in row else
            [value if sampled else None for value, sampled in zip(row["rollout_logprob"], row["mask"])]}
        actual = {
            "step": line["step"], "text": line["text"], "prompt": line["problem"]["prompt"], "id": line["problem"].get("id"),
            "reward": line["reward"], "rewards": line.get("rewards"), "is_correct": line.get("is_correct"),
            "kept": decision.get("kept"), "reason": decision.get("reason"), "advantage": decision.get("advantage"),
            "seconds": line.get("extra", {}).get("seconds"), "worker": line.get("timing", {}).get("worker"),
            "advantages": None}
        for name in ("ids", "mask", "entropy", "trainer_logprob", "logprob"):
            actual[name] = unpack(found[name]) if name in found else None
        if "advantage" in found:
            actual["advantages"] = unpack(found["advantage"])
        differing = [name for name in expected if expected[name] != actual[name]]
        if differing:
            wrong.append("%s-%d-%d: %s" % (address + (part, ", ".join(
                "%s %r for %r" % (name, str(actual[name])[:60], str(expected[name])[:60]) for name in differing))))
    counts["decisions"] = sum("kept" in decision for decision in decisions.values())
    counts["kept"] = sum(decision.get("kept") is True for decision in decisions.values())
    counts["advantages"] = sum("advantage" in decision for decision in decisions.values())
    counts["signals"] = len(signals)
    return dict(counts, sampled=len(truth), unknown=len(rollouts), wrong_rows=len(wrong), wrong=wrong[:5])


def plant(path, lines):
    """Changes one value of one line. path: type of the line, and names, as `rollout.tokens.mask`."""
    kind, *names, last = path.split(".")
    for line in lines:
        owner = line if line["type"] == kind else None
        for name in names:
            owner = owner.get(name) if isinstance(owner, dict) else None
        if isinstance(owner, dict) and owner.get(last) is not None:
            owner[last] = "runs:1,2" if last == "mask" else ["planted"]
            return
    raise ValueError("no line has " + path)


def known(value):
    """The value without what is unknown: the log says null, or nothing."""
    if isinstance(value, dict):
        named = {name: known(inner) for name, inner in value.items()}
        return {name: inner for name, inner in named.items() if inner is not None and inner != {}} or None
    if isinstance(value, (list, tuple)):
        return [known(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


ADDRESS = ("v", "type", "run", "step", "group", "index", "split")


def compare_whole(truth, lines):
    """Each rollout has what its trainer passed for it, and nothing else.

    A row of the truth has `line`, `tokens` and `decision` as the log has to have them. Where the trainer has no name for
    groups, rows of a prompt are a group, and `index` is the position in it.
    """
    counts = {"rollouts": 0, "validation": 0, "decisions": 0, "kept": 0, "signals": 0, "advantages": 0, "metrics": 0,
              "stages": [], "parts": 0, "second_pools": 0}
    found, prompts, rest = {}, {}, []
    has_groups = "group" in truth[0]
    for line in lines:
        split = line.get("split", "train")
        if line["type"] != "rollout":
            rest.append(line)
            continue
        prompt = json.dumps(line["problem"]["prompt"])
        assert has_groups or prompts.setdefault(line["group"], prompt) == prompt, "a group with two prompts"
        group = line["group"] if has_groups else prompt
        place = (line["step"], split, group)
        index = line.get("index", sum(other[:3] == place for other in found))
        address = place + (index, line.get("part", 0))
        assert address not in found, address
        found[address] = {"line": {name: value for name, value in line.items() if name not in ADDRESS + ("tokens",)},
                          "tokens": dict(line.get("tokens", {})), "decision": {}}
        counts["validation" if split == "eval" else "rollouts"] += 1
        counts["parts"] += "part" in line
        counts["second_pools"] += line.get("pool", 0) > 0
    assert has_groups or len(set(prompts.values())) == len(prompts), "a prompt with two groups"
    for line in rest:
        if line["type"] == "metric":
            counts["metrics"] += len(line["metrics"])
        elif line["type"] == "stage":
            counts["stages"].append(line["name"])
        elif line["type"] in ("decision", "signal"):
            group = line["group"] if has_groups else prompts[line["group"]]
            row = found.get((line["step"], line.get("split", "train"), group, line["index"], 0))
            if row is None and os.environ.get("SKELETON_FAULT") == "full":
                continue  # Where the line of the rollout no longer fits, this short one may.
            if line["type"] == "signal":
                row["tokens"].update(line["tokens"])
                counts["signals"] += 1
                continue
            row["decision"].update({name: value for name, value in line.items() if name not in ADDRESS})
            counts["decisions"] += "kept" in line
            counts["kept"] += line.get("kept") is True
            counts["advantages"] += "advantage" in line
    wrong, seen = [], collections.Counter()
    for row in truth:
        place = (row["step"], row["line"]["split"], row.get("group") or json.dumps(row["line"]["problem"]["prompt"]))
        part = row["line"].get("part") or 0
        index = row.get("index", seen[place])
        seen[place] += 1
        actual = found.pop(place + (index, part), None)
        if actual is None:
            wrong.append("%s: no line" % (place + (index, part),))
            continue
        line = {name: value for name, value in row["line"].items() if name != "split"}
        pairs = [(name, known(line.get(name)), known(actual["line"].get(name))) for name in {*line, *actual["line"]}]
        pairs += [(name, row.get("decision", {}).get(name), actual["decision"].get(name))
                  for name in {*row.get("decision", {}), *actual["decision"]}]
        pairs = [(name, known(expected), known(given)) for name, expected, given in pairs]
        for name in {*row["tokens"], *actual["tokens"]}:
            given = unpack(actual["tokens"][name]) if name in actual["tokens"] else None
            if name == "bytes" and given is not None:
                given = [base64.b64decode(one) for one in given]
            pairs.append((name, row["tokens"].get(name), given))
        differing = ["%s %r for %r" % (name, str(given)[:60], str(expected)[:60])
                     for name, expected, given in pairs if expected != given]
        if differing:
            wrong.append("%s: %s" % (place + (index, part), ", ".join(differing)))
    return dict(counts, sampled=sum(row["line"]["split"] != "eval" for row in truth), unknown=len(found), wrong_rows=len(wrong), wrong=wrong[:5])


if __name__ == "__main__":
    main(*sys.argv[1:4])
