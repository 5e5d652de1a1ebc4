"""Runs a skeleton with the recorder attached, and compares every line of the log with what the skeleton sampled.

    python run.py TRAINER LOADER DIRECTORY

TRAINER: rstar, verl, dapo, async or v1. LOADER: custom_cls, module or attach. Settings: SKELETON_VERSION (0.5, 0.6.1, …),
SKELETON_STEPS, SKELETON_SEED, SKELETON_NUMPY, SKELETON_GAE, SKELETON_RESUME, SKELETON_FAULT. Prints one JSON object with counts;
`wrong` lists the first rows that differ.
"""
import base64
import gzip
import importlib.util
import json
import os
import struct
import sys
import threading

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
    if loader != "custom_cls":
        sys.path.append(RECORDER)
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
    stalled = threading.Event()
    if fault == "stalled":
        import turnwise_recorder
        turnwise_recorder.os = type(sys)("os")
        turnwise_recorder.os.__dict__.update(os.__dict__, pwrite=lambda *args: stalled.wait() and os.pwrite(*args))
        turnwise_recorder.CLOSING_SECONDS = 0.2
        finish, adapter.Session.finish = adapter.Session.finish, lambda session: None
        trainer.fit()
        steps = trainer.global_steps
        stalled.set()
        finish(adapter._current[0])
    else:
        trainer.fit()
        steps = trainer.global_steps
    from common import TRUTH
    lines = read(directory)
    if fault == "planted":  # the comparison has to find it
        next(line for line in lines if line["type"] == "rollout" and "tokens" in line)["tokens"]["mask"] = "runs:1,2"
    print(json.dumps(dict(compare(TRUTH, lines), trained=steps)))


def read(directory):
    lines = []
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        if ".jsonl" in name:
            opener = gzip.open if name.endswith(".gz") else open
            with opener(os.path.join(directory, name), "rb") as file:
                lines += [json.loads(line) for line in file]
    return lines


def unpack(packed):
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
            "reason": reason_of(row), "seconds": row.get("seconds"),
            "logprob": None if "rollout_logprob" not in row else
            [value if sampled else None for value, sampled in zip(row["rollout_logprob"], row["mask"])]}
        actual = {
            "step": line["step"], "text": line["text"], "prompt": line["problem"]["prompt"], "id": line["problem"].get("id"),
            "reward": line["reward"], "rewards": line.get("rewards"), "is_correct": line.get("is_correct"),
            "kept": decision.get("kept"), "reason": decision.get("reason"), "advantage": decision.get("advantage"),
            "seconds": line.get("extra", {}).get("seconds"), "advantages": None}
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


if __name__ == "__main__":
    main(*sys.argv[1:4])
