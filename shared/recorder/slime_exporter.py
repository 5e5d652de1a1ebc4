"""Turns dumps of slime and verl that are Python pickles into JSON Lines that Turnwise reads.

Needs torch; run it where the run lives. Python 3.8 or newer. Copy this file there.

    python slime_exporter.py DUMP... --out rollouts.jsonl
    python slime_exporter.py details/rollout_data/*.pt details/train_data/*.pt --out run/slime.jsonl

DUMP: files of slime's --save-debug-rollout-data or --save-debug-train-data (--dump-details writes both),
or of verl's skip_rollout. Files named eval_* are evaluations.
--trust           load files that hold Python objects. A pickle can run any code: only for your own dumps.
                  Without it such a file is named and left out. verl's dumps need it, and verl installed.
--tokenizer NAME  decode responses that were dumped as token ids only (verl); needs transformers.
"""
import argparse
import collections
import json
import math
import os
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dumps", nargs="+", metavar="DUMP")
    parser.add_argument("--out", required=True)
    parser.add_argument("--trust", action="store_true")
    parser.add_argument("--tokenizer")
    args = parser.parse_args()
    decode = decoder(args.tokenizer)
    left_out = 0
    with open(args.out, "w", encoding="utf-8") as out:
        for path in args.dumps:
            try:
                lines = [json.dumps(plain(r), allow_nan=False) for r in records(load(path, args.trust), path, decode)]
            except Exception as error:  # one bad file does not cost the others
                print("%s: not read: %s" % (path, error), file=sys.stderr)
                left_out += 1
                continue
            out.writelines(line + "\n" for line in lines)
            print("%s: %d records" % (path, len(lines)), file=sys.stderr)
    return 1 if left_out else 0


def load(path, trust):
    import torch
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        if not trust and not isinstance(error, OSError):
            raise RuntimeError("holds Python objects (%s); --trust loads your own" % type(error).__name__)
    try:
        return torch.load(path, map_location="cpu", weights_only=False)
    except Exception:  # verl's DataProto is a bare pickle, and needs verl
        import pickle
        with open(path, "rb") as file:
            return pickle.load(file)


def decoder(name):
    if name is None:
        return None
    from transformers import AutoTokenizer
    tokenizer = AutoTokenizer.from_pretrained(name)
    return lambda ids: tokenizer.decode(ids, skip_special_tokens=False)


def records(dump, path, decode):
    if hasattr(dump, "batch") and hasattr(dump, "non_tensor_batch"):
        yield from verl_records(dump.batch, dump.non_tensor_batch, decode)
        return
    samples = [dict(s) if isinstance(s, dict) else vars(s) for s in dump.get("samples") or rows(dump.get("rollout_data") or {})]
    is_rollouts = bool(samples) and "response" in samples[0]
    # A sample's own rollout_id names the execution that returned it; the dump's is the step.
    executions = [sample.get("rollout_id") if is_rollouts else None for sample in samples]
    parts, seen = collections.Counter(executions), collections.Counter()
    for position, (sample, execution) in enumerate(zip(samples, executions)):
        record = {key: value for key, value in sample.items() if value is not None and key != "rollout_id"}
        record["dump"] = "rollout" if is_rollouts else "train"
        record["evaluation"] = os.path.basename(path).startswith("eval_")
        if is_rollouts:
            record["rollout_position"] = position
        if execution is not None:
            seen[execution] += 1
            record["execution_id"] = execution
            if parts[execution] > 1:
                record.update(execution_part=seen[execution], execution_parts=parts[execution])
        step = dump.get("rollout_id", sample.get("rollout_id"))
        yield record if step is None else {**record, "rollout_id": step}


def rows(columns):
    """Older train dumps have a list per column instead of a record per sample."""
    names = {"sample_indices": "sample_index", "loss_masks": "loss_mask"}
    lists = {names.get(key, key): plain(value) for key, value in columns.items()}
    count = len(lists.get("tokens") or [])
    for i in range(count):
        yield {key: value[i] for key, value in lists.items() if isinstance(value, list) and len(value) == count}


def verl_records(batch, others, decode):
    for i in range(len(batch["responses"])):
        width = len(batch["responses"][i])
        given = batch["attention_mask"][i].tolist()
        asked = [t for t, m in zip(batch["prompts"][i].tolist(), given[:-width]) if m]
        said = sum(given[-width:])
        ids = batch["responses"][i].tolist()[:said]
        row = {"dump": "verl-skip", "index": i, "tokens": asked + ids, "response_length": said,
               "response": decode(ids) if decode else None, "prompt": decode(asked) if decode else None}
        for key, name in (("response_mask", "loss_mask"), ("rollout_log_probs", "rollout_log_probs")):
            if key in batch.keys():
                row[name] = batch[key][i].tolist()[:said]
        for key, name in (("uid", "group_index"), ("reward_model", "reward_model"), ("data_source", "data_source")):
            if key in others:
                row[name] = others[key][i]
        yield row


def plain(value):
    """What JSON can hold; NaN and infinities are unknown, enums are their values, the rest its text."""
    if hasattr(value, "value") or hasattr(value, "tolist"):
        return plain(value.value if hasattr(value, "value") else value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


if __name__ == "__main__":
    sys.exit(main())
