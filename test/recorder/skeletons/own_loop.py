"""A loop of one's own, which passes whatever the three calls take: texts, messages or tokens only, columns as lists, arrays,
tuples or numpy, several batches and several outputs at a step, and decisions and signals in any order and for some rows.
"""
import array
import math

from common import STEPS, TOKENIZER, TRUTH, Column, random_of, sample, tensor

NAN = float("nan")


def train(rec, tokens):
    for step in range(1, STEPS + 1):
        calls = []
        pools = random_of.choice([1, 1, 2])
        for pool in range(pools):
            for number in range(random_of.randrange(1, 4)):
                group = "%d-%d-%d" % (step, pool, number)
                for index in range(random_of.randrange(1, 7)):
                    for part in random_of.choice([[None], [None], [None], [0, 1]]):
                        calls += _rollout(rec, tokens, step, group, index, part, pool if pools > 1 else None)
        # Outputs of one rollout are neighbours, and `calls` has the rest: in any order, before the next step or after it.
        random_of.shuffle(calls)
        for call in calls:
            call()
        rec.metric(step, {"actor/entropy": step / 8, "broken": NAN, "not a number": "x"})
    return STEPS


def _rollout(rec, tokens, step, group, index, part, pool):
    text = "".join(text for text, _ in sample()[0])
    ids = TOKENIZER.encode(text)
    problem = {"prompt": random_of.choice(["6\u00d77?", [{"role": "user", "content": "6\u00d77?"}]]),
               "id": random_of.choice([None, "q"]), "ground_truth": random_of.choice([None, "42", 42]), "source": "example"}
    line = {
        "split": random_of.choice(["train", "train", "eval"]) if part is None else "train", "problem": problem,
        "reward": random_of.choice([None, NAN, math.inf, True, 1, -random_of.randrange(64) / 64]),
        "rewards": random_of.choice([None, {"format": 0.5, "length": None, "judge": "good", "broken": NAN}]),
        "is_correct": random_of.choice([None, True, False]), "answer": random_of.choice([None, "42"]),
        "stop_reason": random_of.choice([None, "answer", "length", "aborted"]),
        "tool_calls": random_of.choice([None, [{"turn": 1, "outcome": "ok", "latency_ms": 1.5, "worker": "sandbox-3"}]]),
        "timing": random_of.choice([None, {"start": 1.5, "end": 2.5, "worker": "rank 1", "gpu": 0}, {"worker": 3}]),
        "part": part, "pool": pool}
    line["text"], line["messages"] = random_of.choice([
        (text, None), (None, [{"role": "assistant", "content": text}]), (None, None)])
    extra = random_of.choice([{}, {"lucky": NAN, "seed": 2 ** 60, "nested": {"a": [1, (2, None)]}}])
    passed, expected = _tokens(tokens, text, ids, is_needed=line["text"] is None and line["messages"] is None)
    rec.rollout(step=step, group=group, index=index, tokens=passed, **dict(line, **extra))
    row = {"step": step, "group": group, "index": index, "line": dict(line, extra=extra or None), "tokens": expected or {},
           "decision": {}}
    TRUTH.append(row)
    if part or line["split"] == "eval":  # the calls have no split, so that they are about training
        return []
    count = len(expected["mask"]) if expected else len(ids)
    return _decision(rec, row) + ([] if part is not None else _signal(rec, tokens, row, count))


def _decision(rec, row):
    if random_of.random() < 0.2:
        return []
    fields = {"kept": random_of.choice([True, False, None, 1]), "reason": random_of.choice([None, "discarded_surplus"]),
              "p_err": random_of.choice([None, NAN, 0.25]), "p_format": random_of.choice([None, 1]),
              "penalty": random_of.choice([None, 0.5]), "advantage": random_of.choice([None, -0.125, math.inf]),
              "rule": random_of.choice([None, "paper"])}
    row["decision"] = dict(fields, kept=None if fields["kept"] is None else bool(fields["kept"]))
    return [lambda: rec.decision(step=row["step"], group=row["group"], index=row["index"], **fields)]


def _signal(rec, tokens, row, count):
    if random_of.random() < 0.3:
        return []
    passed, expected = {}, {}
    for name in random_of.sample(["entropy", "trainer_logprob", "advantage"], random_of.randrange(1, 4)):
        passed[name], expected[name] = _numbers(count)
    row["tokens"].update(expected)
    return [lambda: rec.signal(row["step"], row["group"], row["index"], tokens(**passed))]


def _tokens(tokens, text, ids, is_needed):
    if not is_needed and random_of.random() < 0.1:
        return None, None
    passed, expected = {}, {}
    spelled = random_of.choice(["text", "bytes"] if is_needed else ["ids", "text", "bytes", "ends"])
    if spelled == "text":
        ids = list(text)  # a token per character
        passed["text"] = expected["text"] = list(text)
    elif spelled == "bytes":
        ids = text.encode()
        expected["bytes"] = [bytes([byte]) for byte in ids]
        passed["token_bytes"] = [random_of.choice([bytes, bytearray])(one) for one in expected["bytes"]]
    elif spelled == "ends":
        ids = list(text)
        expected["ends"] = [sum(2 if ord(one) > 0xFFFF else 1 for one in text[:n + 1]) for n in range(len(text))]
        passed["ends"] = _column(expected["ends"], "i")
    else:
        ids = [random_of.choice([one, 2 ** 31 - 1]) for one in ids]
        passed["ids"], expected["ids"] = _column(ids, "i"), list(ids)
    value, mask = random_of.randrange(2), []
    while len(mask) < len(ids):
        mask += [value] * random_of.randrange(1, 90)
        value = 1 - value
    mask = mask[:len(ids)]
    expected["mask"] = mask
    passed["mask"] = random_of.choice([
        mask, [bool(one) for one in mask], [float(one) for one in mask], tuple(mask), tensor(mask), array.array("b", mask),
        array.array("i", mask)])
    passed["logprob"], expected["logprob"] = _numbers(len(ids))
    if random_of.random() < 0.2:
        expected["top"] = [random_of.choice([None, [["a", -0.5], ["b", -1.5]]]) for _ in ids]
        expected["entropy_of"] = {"kind": "top-k", "k": 2, "unit": "nats", "temperature": 1.0, "policy": "rollout"}
        passed.update(top=expected["top"], entropy_of=expected["entropy_of"])
    return tokens(**passed), expected


def _column(values, code):
    return random_of.choice([list, tuple, Column, tensor, lambda given: array.array(code, given)])(values)


def _numbers(count):
    """Numbers that 16 bits hold, now and then with what is unknown or beyond their range."""
    values = [random_of.randrange(-512, 512) / 64 for _ in range(count)]
    if random_of.random() < 0.5:
        return _column(values, "f"), values
    odd = [random_of.choice([None, NAN, 1e6, -math.inf]) if random_of.random() < 0.1 else value for value in values]
    expected = [None if value is None or value != value else math.copysign(math.inf, value) if abs(value) > 65504 else value
                for value in odd]
    if random_of.random() < 0.5:
        odd = [NAN if value is None else value for value in odd]
        return _column(odd, "f"), expected
    return random_of.choice([list, tuple])(odd), expected
