"""Turnwise recorder: writes the Turnwise rollout log, version 1, from a training job.

Standard library only; Python 3.8 or newer. Copy this file next to the trainer, or install the package.

    from turnwise_recorder import Recorder, tokens

    rec = Recorder("/shared/logs/turnwise", run="grpo-roc-14b")
    rec.rollout(step=3, group="p7", index=0, problem={"id": "p7", "prompt": prompt, "ground_truth": "42"},
                text=response_with_special_tokens, reward=1.0, tokens=tokens(ids=ids, mask=mask, logprob=logprobs))
    rec.decision(step=3, group="p7", index=0, kept=True)                    # after the down-sampling
    rec.signal(step=3, group="p7", index=0, tokens=tokens(entropy=entropy))  # after the log-probabilities
    rec.metric(step=3, metrics={"actor/entropy": 0.31})

The calls return at once: a thread packs and writes. Values are read later, so do not change a list or an array
after you passed it. `None` and NaN mean "unknown"; leave out what is not known, and never pass 0 for it.

The recorder never raises and never blocks. What it cannot write is lost and counted, and after FAILURES failures it
is off and says so once. Each process writes a file of its own, and a line is in it whole or not at all.

Settings, as arguments or in the environment (the argument wins):

    directory         TURNWISE_LOG         absolute directory that outlives the job; without it nothing is recorded
    every             TURNWISE_EVERY       record every N-th step only (steps divisible by N)
    groups            TURNWISE_GROUPS      record the first N groups of each step only
    with_tokens       TURNWISE_TOKENS      0: no arrays per token
    step_bytes        TURNWISE_STEP_BYTES  at most so many bytes a step, as 500M or 2G
    total_bytes       TURNWISE_BYTES       at most so many bytes from this process
    compression       TURNWISE_COMPRESSION gzip or zstd (zstd needs the package zstandard)
    queue_bytes       TURNWISE_QUEUE_BYTES at most so many bytes of texts and arrays that wait for the writer, 4G by default
"""
import array
import atexit
import base64
import collections
import copy
import functools
import json
import math
import os
import socket
import struct
import sys
import threading
import time
import traceback
import zlib

VERSION = 1
#: Failures after which a recorder is off.
FAILURES = 5
#: Bytes of lines that are written at once.
WRITE_BYTES = 1 << 20
#: Seconds that the end of the process waits for the writer.
CLOSING_SECONDS = 60
SUFFIXES = {None: ".jsonl", "gzip": ".jsonl.gz", "zstd": ".jsonl.zst"}


def _never_raises(call):
    """The call, which counts its exceptions and returns False instead. No argument may end a training."""
    @functools.wraps(call)
    def safe(self, *args, **kwargs):
        try:
            return call(self, *args, **kwargs)
        except Exception as error:
            if self.strict:
                raise
            self._lose("calls", error)
            return False
    return safe


class Recorder:
    """Appends lines to a file of this process. Safe to call from several threads.

    run: id of the run, the same in every process. tokenizer: written once beside the log as `tokenizer.json`, so that
    token ids find their place in the text. strict: raises instead of counting failures, for tests.
    Further keywords are fields of the `run` line: name, model, dataset, limits, sampling, down_sampling (under the
    trainer's own key names), config.
    """

    def __init__(self, directory=None, run="run", tokenizer=None, every=None, groups=None, with_tokens=None,
                 step_bytes=None, total_bytes=None, compression=None, queue_bytes=None, strict=False, **about):
        self.run = "run"
        self.strict = strict
        self.lost = collections.Counter()
        self._failures = 0
        self._said = set()
        self._lock = threading.Condition()
        self._jobs = collections.deque()
        self._waiting_bytes = 0
        self._busy = False
        self._closing = False
        self._thread = None
        self._pid = os.getpid()
        self._file = None
        self._groups_of_step = {}
        self._bytes_of_step = collections.Counter()
        self._total = 0
        self._tokenizer = tokenizer
        self._about = about
        self._arguments = dict(about, directory=directory, run=run, tokenizer=tokenizer, every=every, groups=groups,
                               with_tokens=with_tokens, step_bytes=step_bytes, total_bytes=total_bytes,
                               compression=compression, queue_bytes=queue_bytes, strict=strict)
        self.enabled = False
        try:
            self.run = str(run)
            self._configure(directory, every, groups, with_tokens, step_bytes, total_bytes, compression, queue_bytes)
        except Exception as error:
            if strict:
                raise
            _say("recording is off: %s" % error)

    def _configure(self, directory, every, groups, with_tokens, step_bytes, total_bytes, compression, queue_bytes):
        setting = os.environ.get
        directory = directory or setting("TURNWISE_LOG")
        if not directory:
            return
        directory = os.fspath(directory)
        if not os.path.isabs(directory):
            # The training process may run in a directory that is deleted after the job, as Ray's are.
            raise ValueError("the log directory %r is relative. Give an absolute one that outlives the job" % directory)
        self.directory = directory
        self._every = max(1, int(every or setting("TURNWISE_EVERY") or 1))
        self._groups = _whole(groups, setting("TURNWISE_GROUPS"))
        self._with_tokens = (setting("TURNWISE_TOKENS") != "0") if with_tokens is None else bool(with_tokens)
        self._step_bytes = _bytes(step_bytes, setting("TURNWISE_STEP_BYTES"))
        self._total_bytes = _bytes(total_bytes, setting("TURNWISE_BYTES"))
        self._queue_bytes = _bytes(queue_bytes, setting("TURNWISE_QUEUE_BYTES")) or 4 << 30
        self._compression = compression or setting("TURNWISE_COMPRESSION") or None
        self._compress = _compressor(self._compression)
        self.enabled = True
        atexit.register(self.close)
        self._put(lambda: [self._line("run", _plain(self._about))])

    # The three calls of a training loop, and what belongs to the run.

    @_never_raises
    def rollout(self, step, group, index=None, problem=None, split="train", messages=None, text=None, reward=None,
                rewards=None, is_correct=None, answer=None, stop_reason=None, tool_calls=None, timing=None,
                tokens=None, part=None, pool=None, advantage=None, **extra):
        """One rollout, with everything known when it ends. Give `messages` or `text` (special tokens kept).

        index: position in the oversampled group, from 0. problem: {id?, prompt, ground_truth?, source?}; an id that is
        the same at every step and after a restart. stop_reason: answer, length, turn-limit, no-answer, error, aborted.
        tokens: see `tokens()`. tool_calls: [{turn, call_id?, outcome?, start? (s since epoch), latency_ms?, queue_ms?,
        worker?}]. timing: {start, end (s since epoch), worker?, gpu?, kv_cache?}. part: number from 0 of an output,
        where one rollout has several. pool: number from 0 of the batch, where a step has several.
        """
        fields = {"split": split, "problem": problem, "messages": messages, "text": text, "reward": reward,
                  "rewards": rewards, "is_correct": is_correct, "answer": answer, "stop_reason": stop_reason,
                  "tool_calls": tool_calls, "timing": timing, "tokens": tokens, "part": part, "pool": pool,
                  "extra": extra or None}
        self.rows(step, [(group, index)], lambda i: [("rollout", fields)], weight=bytes_of(fields))
        if advantage is not None:
            self.decision(step, group, index, advantage=advantage)

    @_never_raises
    def decision(self, step, group, index, kept=None, reason=None, p_err=None, p_format=None, penalty=None,
                 advantage=None, rule=None, **extra):
        """What the down-sampling decided. rule: paper, release, release-first-week, or a name."""
        fields = {"kept": None if kept is None else bool(kept), "reason": reason, "p_err": p_err,
                  "p_format": p_format, "penalty": penalty, "advantage": advantage, "rule": rule,
                  "extra": extra or None}
        self.rows(step, [(group, index)], lambda i: [("decision", fields)])

    @_never_raises
    def signal(self, step, group, index, tokens, **extra):
        """Arrays per token that were computed after sampling; any subset, as long as the rollout's tokens."""
        fields = {"tokens": tokens, "extra": extra or None}
        self.rows(step, [(group, index)], lambda i: [("signal", fields)], weight=bytes_of(fields))

    @_never_raises
    def metric(self, step, metrics):
        """Scalars that the trainer logged, under its own names. They are recorded for every step."""
        step, metrics = int(step), dict(metrics)  # callbacks take entries out of theirs
        self._put(lambda: [self._line("metric", {"step": step, "metrics": {
            str(name): value for name, value in ((name, _number(value)) for name, value in metrics.items())
            if value is not None}})])

    @_never_raises
    def stage(self, from_step, name, **changes):
        """A change of recipe that holds from this step on."""
        fields = dict(_plain(changes), from_step=int(from_step), name=str(name))
        self._put(lambda: [self._line("stage", fields)])

    @_never_raises
    def records(self, step):
        """Whether rollouts of this step are recorded. Ask before you collect what is expensive."""
        return self.enabled and int(step) % self._every == 0

    @_never_raises
    def rows(self, step, addresses, row, weight=0):
        """Records many rows with one call: what adapters use.

        addresses: (group, index) of each row. row: function of the row's number that returns a list of (kind, fields);
        the writer thread calls it, and one that raises costs its own row only. weight: bytes that the row functions
        keep alive until then.
        """
        if not self.records(step):
            return
        addresses = list(addresses)

        def lines():
            for i, (group, index) in enumerate(addresses):
                if not self._takes(step, group):
                    continue
                try:
                    for kind, fields in row(i):
                        if kind == "signal" and not self._with_tokens:
                            continue
                        line = dict(fields, step=int(step), group=str(group), index=None if index is None else int(index))
                        yield self._line(kind, line), step
                except GeneratorExit:
                    raise
                except BaseException as error:
                    self._lose("rows", error)

        self._put(lines, weight)

    @_never_raises
    def flush(self, timeout=CLOSING_SECONDS):
        """Waits until all lines are in the file. Returns whether they are."""
        if self._thread is None or self._pid != os.getpid():
            return True
        deadline = time.monotonic() + timeout
        with self._lock:
            while (self._jobs or self._busy) and self._thread.is_alive():
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._lock.wait(left)
            return not (self._jobs or self._busy)

    @_never_raises
    def close(self, timeout=CLOSING_SECONDS):
        """Writes what waits and ends the thread. Later calls are ignored."""
        if not self.enabled or self._pid != os.getpid():
            return
        self.enabled = False
        if not self.flush(timeout):
            with self._lock:
                self.lost["jobs"] += len(self._jobs)
                self._jobs.clear()
        with self._lock:
            self._closing = True
            self._lock.notify_all()
        if self._thread is not None:
            self._thread.join(1)
        if self.lost:
            _say("lost while recording: %s" % ", ".join("%d %s" % (n, what) for what, n in sorted(self.lost.items())))

    def __reduce__(self):
        """A copy, which may be in another process, writes a file of its own."""
        return functools.partial(type(self), **self._arguments), ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def failed(self, what, error):
        """Counts a failure of Turnwise's own code. Adapters report theirs here."""
        if self.strict:
            raise error
        self._lose(what, error)
        self._failures += 1
        if self._failures >= FAILURES and self.enabled:
            self.enabled = False
            with self._lock:
                self.lost["jobs"] += len(self._jobs)
                self._jobs.clear()
            _say("recording is off after %d failures, and the training goes on. The last one: %s"
                 % (self._failures, _reason(error)))

    # The queue.

    def _put(self, lines, weight=0):
        """lines: function that the writer calls; it returns lines, or (line, step)."""
        weight += 256
        refusal = None
        if not self.enabled:
            return
        if self._pid != os.getpid():
            self._start_after_fork()
        with self._lock:
            # A job that finds the queue empty is always taken, however large.
            if self._jobs and self._waiting_bytes + weight > self._queue_bytes:
                self.lost["jobs"] += 1
                is_first = "full" not in self._said
                self._said.add("full")
            else:
                self._jobs.append((lines, weight))
                self._waiting_bytes += weight
                is_first = False
                if self._thread is None:
                    thread = threading.Thread(target=self._work, name="turnwise", daemon=True)
                    try:
                        thread.start()
                        self._thread = thread
                    except Exception as error:  # too many threads, or the interpreter ends
                        refusal = error
                        self.enabled = False
                        self._jobs.clear()
                self._lock.notify_all()
        if refusal is not None:
            _say("recording is off, since its thread did not start: %s" % _reason(refusal))
        if is_first:
            _say("%s takes lines more slowly than they come; some are dropped and counted" % self.directory)

    def _start_after_fork(self):
        """Threads do not survive a fork, and the file belongs to the parent."""
        self._pid = os.getpid()
        self._lock = threading.Condition()
        self._jobs, self._waiting_bytes, self._busy = collections.deque(), 0, False
        self._thread = self._file = None
        self._total = 0
        self.lost = collections.Counter()
        processes = sys.modules.get("multiprocessing.util")
        if processes is not None:  # its processes end without atexit
            processes.Finalize(None, self.close, exitpriority=0)

    def _work(self):
        pending = _Pending()
        while True:
            with self._lock:
                if not self._jobs and self._busy:
                    self._busy = False
                    self._lock.notify_all()
                while not self._jobs and not self._closing:
                    self._lock.wait()
                if not self._jobs:
                    return
                lines, weight = self._jobs.popleft()
                self._busy = True
            try:
                self._pack(lines, pending)
                if not self._jobs:
                    self._write(pending)
            except _Unwritten as failure:
                self._fail_in_thread("writes", failure.__cause__)
            del lines
            with self._lock:
                self._waiting_bytes -= weight

    def _pack(self, lines, pending):
        try:
            for entry in lines():
                line, step = entry if isinstance(entry, tuple) else (entry, None)
                if self._fits(line, step):
                    pending.add(line)
                if pending.size >= WRITE_BYTES:
                    self._write(pending)
        except _Unwritten:
            raise
        except BaseException as error:  # of the values, which cost their own line only, also with SystemExit
            self._lose("lines that could not be packed", error)

    def _fail_in_thread(self, what, error):
        try:
            self.failed(what, error)
        except Exception:
            traceback.print_exc()

    def _takes(self, step, group):
        """Whether the group is among the first of its step. Groups are counted where they appear first."""
        if self._groups is None:
            return True
        known = self._groups_of_step.setdefault(int(step), {})
        if len(self._groups_of_step) > 64:
            self._groups_of_step.pop(min(self._groups_of_step))
        return known.setdefault(str(group), len(known)) < self._groups

    def _fits(self, line, step):
        size = len(line)
        if self._total_bytes is not None and self._total + size > self._total_bytes:
            return self._beyond("bytes in all")
        if step is not None and self._step_bytes is not None:
            if self._bytes_of_step[step] + size > self._step_bytes:
                return self._beyond("bytes a step")
            self._bytes_of_step[step] += size
        self._total += size
        return True

    def _beyond(self, limit):
        self.lost["lines beyond the limit of %s" % limit] += 1
        return False

    def _lose(self, what, error):
        self.lost[what] += 1
        if what not in self._said:
            self._said.add(what)
            _say("could not record everything: %s" % _reason(error))
            if os.environ.get("TURNWISE_DEBUG"):
                traceback.print_exc()

    # Lines and the file.

    def _line(self, kind, fields):
        line = {"v": VERSION, "type": kind, "run": self.run}
        for name, value in fields.items():
            if name == "tokens":
                value = _packed(value) if self._with_tokens else None
            if value is not None:
                line[name] = _plain(value)
        return (json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")

    def _write(self, pending):
        if pending.size == 0:
            return
        lines = pending.lines
        pending.clear()
        try:
            if self._file is not None and not self._file.is_there():
                _say("%s was removed. A new file begins" % self._file.path)
                self._file.close()
                self._file = None
            if self._file is None:
                os.makedirs(self.directory, exist_ok=True)
                self._file = _File(self.directory, SUFFIXES[self._compression])
                self.path = self._file.path
                self._write_tokenizer()
            self._file.append(self._compress(lines))
        except Exception as error:
            self.lost["lines"] += len(lines)
            # The directory may come back, and then a new file is needed. So it is behind a part of a line.
            if self._file is not None and not (self._file.is_whole and self._file.is_there()):
                file, self._file = self._file, None
                file.close()
            raise _Unwritten() from error

    def _write_tokenizer(self):
        try:
            write_tokenizer(self.directory, self._tokenizer)
        except Exception as error:  # the lines are worth more
            self._lose("tokenizer.json", error)


class _Unwritten(Exception):
    """Lines are lost, because of what this exception was raised from."""


class _Pending:
    def __init__(self):
        self.clear()

    def add(self, line):
        self.lines.append(line)
        self.size += len(line)

    def clear(self):
        self.lines, self.size = [], 0


class _File:
    """A file that no other process or host writes to. It holds whole appends only."""

    def __init__(self, directory, suffix):
        stem = "turnwise-%d-%s-%d" % (int(time.time()), socket.gethostname().split(".")[0] or "host", os.getpid())
        for counter in range(1000000):
            self.path = os.path.join(directory, "%s-%d%s" % (stem, counter, suffix))
            try:
                self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
                break
            except FileExistsError:
                continue
        else:
            raise OSError("no free file name in " + directory)
        self._size = 0
        self.is_whole = True

    def is_there(self):
        """False once it was removed, also if another file has taken its name. A renamed one is still there."""
        return os.path.exists(self.path) and os.fstat(self._fd).st_nlink > 0

    def append(self, data):
        try:
            written = 0
            while written < len(data):  # a full disk or a quota may take a part only
                count = os.pwrite(self._fd, memoryview(data)[written:], self._size + written)
                if count <= 0:
                    raise OSError("%s took %d of %d bytes" % (self.path, written, len(data)))
                written += count
        except OSError:
            self.is_whole = False  # unless the part that was written can be taken back
            os.ftruncate(self._fd, self._size)
            self.is_whole = True
            raise
        self._size += len(data)

    def close(self):
        os.close(self._fd)


def own_tokenizer(tokenizer):
    """A copy for the writer's thread. A fast tokenizer that two threads use raises `Already borrowed` in either."""
    try:
        return copy.deepcopy(tokenizer)
    except Exception:
        return tokenizer


def write_tokenizer(directory, tokenizer):
    """Writes `tokenizer.json` of a fast Hugging Face tokenizer into the directory unless one is there."""
    path = os.path.join(directory, "tokenizer.json")
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or os.path.exists(path):
        return
    draft = "%s.%s-%d-%d" % (path, socket.gethostname(), os.getpid(), time.time_ns())
    content = backend.to_str()
    try:
        with open(draft, "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(draft, path)
    except OSError:
        if os.path.exists(draft):
            os.unlink(draft)
        raise


def tokens(ids=None, text=None, token_bytes=None, ends=None, mask=None, entropy=None, logprob=None,
           trainer_logprob=None, advantage=None, top=None, entropy_of=None):
    """The `tokens` of a rollout or signal: arrays of one length (lists, arrays, numpy or torch).

    text: list of strings; token_bytes: list of bytes, for tokens that are partial UTF-8; mask: 1 = sampled by the
    policy; entropy in nats. None and NaN mean unknown. Entropies, log-probabilities and advantages are written with
    11 significant bits.
    entropy_of: {"kind": "full" | "top-k", "k"?, "unit": "nats", "temperature", "policy": "trainer" | "rollout"}.
    """
    columns = {"ids": ids, "text": text, "bytes": token_bytes, "ends": ends, "mask": mask, "entropy": entropy,
               "logprob": logprob, "trainer_logprob": trainer_logprob, "advantage": advantage, "top": top,
               "entropy_of": entropy_of}
    return {name: column for name, column in columns.items() if column is not None}


_KINDS = {"ids": "i32", "ends": "i32", "entropy": "f16", "logprob": "f16", "trainer_logprob": "f16",
          "advantage": "f16"}
_DTYPES = {"i32": "<i4", "f16": "<f2"}


def _packed(columns):
    if columns is None:
        return None
    packed = {}
    for name, column in columns.items():
        if name in _KINDS:
            packed[name] = "%s:%s" % (_KINDS[name], base64.b64encode(_pack(_KINDS[name], column)).decode("ascii"))
        elif name == "mask":
            packed[name] = "runs:" + ",".join(map(str, _runs(column)))
        elif name == "bytes":
            packed[name] = [base64.b64encode(bytes(token)).decode("ascii") for token in column]
        else:
            packed[name] = as_list(column) if name in ("text", "top") else column
    return packed


def _pack(kind, values):
    values = as_array(values)
    if hasattr(values, "astype"):
        if kind == "f16":
            numpy = sys.modules["numpy"]
            with numpy.errstate(over="ignore"):
                return values.astype(_DTYPES[kind]).tobytes()
        return values.astype(_DTYPES[kind]).tobytes()
    values = as_list(values)
    if kind == "i32":
        packed = array.array("i", values)
        if sys.byteorder == "big":
            packed.byteswap()
        return packed.tobytes()
    try:
        return struct.pack("<%de" % len(values), *values)
    except (struct.error, OverflowError, TypeError):  # None, or beyond the range of 16 bits
        return struct.pack("<%de" % len(values), *map(_half, values))


def _runs(mask):
    """Lengths of runs of equal values, in turn 0 and 1, beginning with 0: a rollout has few."""
    mask = as_array(mask)
    if hasattr(mask, "astype"):
        data = mask.astype(bool).tobytes()
    else:
        values = as_list(mask)
        values = values if isinstance(values, list) else list(values)  # bytes() of an array are its memory
        try:
            data = bytes(values)
        except (TypeError, ValueError):  # floats
            data = b"\x02"
        if data and max(data) > 1:
            data = bytes(map(bool, values))
    runs, at, value = [], 0, 0
    while at < len(data):
        end = data.find(1 - value, at)
        end = len(data) if end < 0 else end
        runs.append(end - at)
        at, value = end, 1 - value
    return runs or [0]


def _half(value):
    value = math.nan if value is None else float(value)
    return math.copysign(math.inf, value) if abs(value) >= 65520 else value


def as_array(values):
    """A numpy array of the values where that costs no loop, else the values. Never imports numpy."""
    if hasattr(values, "detach"):  # torch
        values = values.detach().cpu()
        values = values.float() if "bfloat16" in str(getattr(values, "dtype", "")) else values
        return values.numpy()
    return values


def as_list(values):
    if values is None or isinstance(values, (list, array.array)):
        return values
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _number(value):
    """A plain number, or None for what is none or JSON cannot say (NaN, infinities)."""
    try:
        value = value.item() if hasattr(value, "item") else value
    except Exception:  # an array of several values
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def _plain(value):
    """Values as JSON has them: NaN and infinities become null, tensors lists, unknown objects their text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def bytes_of(value, depth=8):
    """Bytes that a value keeps in memory, about: texts, arrays, and lists of them. Lists of numbers are not searched."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if hasattr(value, "element_size"):  # before nbytes, which old tensors lack
        return int(value.element_size() * value.numel())
    if getattr(getattr(value, "dtype", None), "kind", None) == "O":
        value = value.tolist()
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if hasattr(value, "itemsize"):
        return int(value.itemsize * len(value))
    if depth == 0 or not isinstance(value, (dict, list, tuple)):
        return 8
    if isinstance(value, dict):
        return 64 + sum(bytes_of(inner, depth - 1) for inner in value.values())
    if value and isinstance(value[0], (int, float, type(None))):
        return 8 * len(value)
    return 8 + sum(bytes_of(inner, depth - 1) for inner in value)


def _whole(argument, setting):
    value = setting if argument is None else argument
    return None if value in (None, "") else int(value)


def _bytes(argument, setting):
    """Bytes as 1000000, 500M or 2G."""
    value = setting if argument is None else argument
    if value in (None, "") or isinstance(value, int):
        return value or None
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    digits = value.strip().upper().rstrip("IB")
    shift = units.get(digits[-1:], 0)
    return int(float(digits[:-1] if shift else digits) * (1 << shift))


def _compressor(name):
    """A function of lines that returns the bytes to append."""
    if name is None:
        return b"".join
    if name == "gzip":
        return _gzip
    if name == "zstd":
        import zstandard
        return lambda lines: zstandard.ZstdCompressor(level=3).compress(b"".join(lines))
    raise ValueError("the compression %r is neither gzip nor zstd" % name)


#: Arrays of this size and more are packed by themselves.
LARGE_ARRAYS = 4096


def _gzip(lines):
    """Gzip members, so that a file without its end can be read up to there.

    Base64 repeats nothing: without a search for repetitions its members are smaller, and take half of the time.
    """
    members, plain = [], []

    def end_plain():
        if plain:
            members.append(_member(b"".join(plain), zlib.Z_DEFAULT_STRATEGY))
            plain.clear()

    for line in lines:
        head, mark, arrays = line.partition(b'"tokens": ')
        if len(arrays) < LARGE_ARRAYS:
            plain.append(line)
            continue
        plain.append(head)
        end_plain()
        members.append(_member(mark + arrays, zlib.Z_HUFFMAN_ONLY))
    end_plain()
    return b"".join(members)


def _member(data, strategy):
    packer = zlib.compressobj(1, zlib.DEFLATED, 31, 8, strategy)
    return packer.compress(data) + packer.flush()


def _reason(error):
    try:
        return "%s: %s" % (type(error).__name__, error)
    except Exception:
        return type(error).__name__


def _say(message):
    try:
        sys.stderr.write("turnwise: %s\n" % message)
        sys.stderr.flush()
    except Exception:
        pass
