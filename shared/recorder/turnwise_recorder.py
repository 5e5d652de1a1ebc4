"""Turnwise recorder: writes the Turnwise rollout log, version 1, from a trainer.

Standard library only; Python 3.8 or newer. Copy this file next to the trainer.

    from turnwise_recorder import Recorder

    rec = Recorder("logs/turnwise", run="grpo-roc-14b", name="GRPO-RoC 14B",
                   limits={"max_response_tokens": 8192}, down_sampling={"down_sample_to_n": 16})
    rec.stage(from_step=300, name="RL-2", max_response_tokens=12288)
    # before the down-sampling: every rollout of the oversampled group
    rec.rollout(step=3, group="p7", index=0, problem={"id": "p7", "prompt": prompt, "ground_truth": "42"},
                text=response_with_special_tokens, reward=1.0)
    # after it
    rec.decision(step=3, group="p7", index=0, kept=True, reason="kept_positive_topk", p_err=0.0, p_format=0.0)
    # after the log-probabilities (rows that were kept, under verl)
    rec.signal(step=3, group="p7", index=0, tokens=tokens(ids=ids, mask=mask, entropy=entropys))
    rec.metric(step=3, metrics={"actor/entropy": 0.31})

Each process writes a file of its own (`PID` and a counter in its name), one JSON object per
line, flushed after every line: kill the job at any moment and all whole lines are good.
`null` and NaN mean "unknown"; leave out what is not known, never write 0 for it.
"""
import base64
import json
import math
import os
import struct
import threading
import time

VERSION = 1


class Recorder:
    """Appends lines to one file in `directory`. Safe to call from several threads.

    directory: made when missing. run: id of the run, the same in every process.
    Further keywords are fields of the `run` line: name, model, dataset, limits, sampling,
    down_sampling (under the trainer's own key names), reference, config.
    """

    def __init__(self, directory, run, **about):
        os.makedirs(directory, exist_ok=True)
        self.run = str(run)
        self._lock = threading.Lock()
        self._file = _open_new(directory)
        self.path = self._file.name
        self._write("run", about)

    def rollout(self, step, group, index, problem, split="train", messages=None, text=None, reward=None,
                rewards=None, is_correct=None, answer=None, stop_reason=None, tool_calls=None, timing=None,
                tokens=None, chat_template=None, **extra):
        """One rollout, everything known when it ends. Give `messages` or `text` (special tokens kept).

        index: position in the oversampled group, from 0. problem: {id?, prompt, ground_truth?, source?}.
        stop_reason: answer, length, turn-limit, no-answer, error or aborted. tokens: see `tokens()`.
        timing: {start, end (s since epoch), worker?, gpu?, kv_cache? (0 to 1, samples, or [time, share] pairs)}.
        tool_calls: [{turn, call_id?, outcome?, start? (s since epoch), latency_ms?, queue_ms?, worker?}].
        """
        self._write("rollout", dict(
            step=int(step), split=split, group=str(group), index=int(index), problem=problem, messages=messages,
            text=text, reward=_number(reward), rewards=rewards, is_correct=is_correct, answer=answer,
            stop_reason=stop_reason, tool_calls=tool_calls, timing=timing, tokens=tokens,
            chat_template=chat_template, extra=extra or None))

    def decision(self, step, group, index, kept, reason=None, p_err=None, p_format=None, penalty=None,
                 advantage=None, rule=None, **extra):
        """What the down-sampling decided. rule: paper, release, release-first-week, or a name."""
        self._write("decision", dict(
            step=int(step), group=str(group), index=int(index), kept=None if kept is None else bool(kept), reason=reason, p_err=_number(p_err),
            p_format=_number(p_format), penalty=_number(penalty), advantage=_number(advantage), rule=rule,
            extra=extra or None))

    def signal(self, step, group, index, tokens, **extra):
        """Per-token arrays computed after sampling; any subset, as long as the rollout's tokens."""
        self._write("signal", dict(step=int(step), group=str(group), index=int(index), tokens=tokens,
                                   extra=extra or None))

    def metric(self, step, metrics):
        """Scalars the trainer logged, under its own names."""
        self._write("metric", dict(step=int(step), metrics={k: _number(v) for k, v in metrics.items()}))

    def stage(self, from_step, name, **changes):
        """A change of recipe that holds from this step on."""
        self._write("stage", dict(from_step=int(from_step), name=name, **changes))

    def close(self):
        with self._lock:
            self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _write(self, kind, fields):
        line = {"v": VERSION, "type": kind, "run": self.run}
        line.update((key, value) for key, value in fields.items() if value is not None)
        data = (json.dumps(_plain(line), ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")
        with self._lock:
            # One write of the whole line to an unbuffered file: a killed process leaves at most one half line.
            self._file.write(data)


def tokens(ids=None, text=None, token_bytes=None, ends=None, mask=None, entropy=None, logprob=None,
           trainer_logprob=None, advantage=None, top=None, entropy_of=None):
    """The `tokens` object: arrays of one length (lists, or anything with tolist(), as numpy and torch have).

    text: list of strings; token_bytes: list of bytes, for tokens that are partial UTF-8; mask: 1 = sampled by
    the policy; entropy in nats and log-probabilities are packed as f32; None and NaN mean unknown.
    entropy_of: {"kind": "full" | "top-k", "k"?, "unit": "nats", "temperature", "policy": "trainer" | "rollout"}.
    """
    packed = {"ids": _pack("i32", ids), "text": _list(text), "ends": _pack("i32", ends), "mask": _pack("u8", mask),
              "entropy": _pack("f32", entropy), "logprob": _pack("f32", logprob), "top": _list(top),
              "trainer_logprob": _pack("f32", trainer_logprob), "advantage": _pack("f32", advantage),
              "entropy_of": entropy_of}
    if token_bytes is not None:
        packed["bytes"] = [base64.b64encode(bytes(token)).decode("ascii") for token in token_bytes]
    return {key: value for key, value in packed.items() if value is not None}


_FORMATS = {"f32": "f", "i32": "i", "u8": "B"}


def _pack(kind, values):
    values = _list(values)
    if values is None:
        return None
    if kind == "f32":
        values = [math.nan if value is None else float(value) for value in values]
    else:
        values = [int(value) for value in values]
    data = struct.pack("<%d%s" % (len(values), _FORMATS[kind]), *values)
    return kind + ":" + base64.b64encode(data).decode("ascii")


def _list(values):
    if values is None or isinstance(values, list):
        return values
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _number(value):
    """A plain number, or None for what JSON cannot say (NaN, infinities)."""
    if value is None:
        return None
    value = value.item() if hasattr(value, "item") else value
    value = value if isinstance(value, (int, float)) else float(value)
    return value if math.isfinite(value) else None


def _plain(value):
    """Values as JSON has them: NaN and infinities become null, tensors lists, unknown objects their repr."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(inner) for inner in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if isinstance(value, float):
        return _number(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return repr(value)


def _open_new(directory):
    """A file no other process or host has: never append to somebody else's half line."""
    stem = "turnwise-%d-%d" % (int(time.time()), os.getpid())
    for counter in range(1000000):
        path = os.path.join(directory, "%s-%d.jsonl" % (stem, counter))
        try:
            return open(path, "xb", buffering=0)
        except FileExistsError:
            continue
    raise OSError("no free file name in " + directory)
