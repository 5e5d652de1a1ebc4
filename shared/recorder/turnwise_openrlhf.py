"""Records OpenRLHF's PPO and GRPO training for Turnwise.

Standard library only; Python 3.8 or newer. Needs turnwise_recorder.py beside it, and TURNWISE_LOG or a recorder. OpenRLHF
has no setting that loads a file, so its launch script gets two lines before `train(args)`:

    import turnwise_openrlhf
    turnwise_openrlhf.install()        # does nothing without TURNWISE_LOG

The trainer runs in a Ray actor: put both files on the PYTHONPATH of all nodes and call `install()` in the module that
the actor imports, or call `turnwise_openrlhf.attach(trainer)` in it before `trainer.fit()`.

Of a rollout: prompt, response, ids, what was sampled, log-probabilities of the rollout and of the trainer, reward, score
(correct where it is 1), advantages, and whether it was cut. Groups are the samples of a prompt at a step.

Facts, read in OpenRLHF at 89308a0 (v0.8) and 12bb036: `RemoteExperienceMaker.make_experience_batch` returns
`Experience` objects after their advantages are computed; `sequences` holds prompt and response, and position j of
`action_mask`, `advantages` and `*_log_probs` belongs to token j + 1 of the sequence.
"""
import functools
import hashlib
import importlib.abc
import os
import sys

if os.path.dirname(os.path.abspath(__file__)) not in sys.path:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from turnwise_recorder import Recorder, as_array, as_list, bytes_of, own_tokenizer, tokens, _say, _reason

MODULE = "openrlhf.trainer.ppo_utils.experience_maker"


def install():
    """Wraps the class that makes experiences, now or when it is imported. Does nothing without TURNWISE_LOG."""
    if not os.environ.get("TURNWISE_LOG"):
        return
    if MODULE in sys.modules:
        _patch(sys.modules[MODULE])
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def attach(trainer, recorder=None):
    """Records this trainer from now on. recorder: where to; by default as the environment says."""
    if recorder is None and not os.environ.get("TURNWISE_LOG"):
        return
    try:
        _wrap(trainer.experience_maker, recorder)
    except Exception as error:
        _say("could not attach to this trainer: %s" % _reason(error))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != MODULE:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec is not None and hasattr(spec.loader, "exec_module"):
                execute = spec.loader.exec_module

                def exec_module(module):
                    execute(module)
                    _patch(module)
                spec.loader.exec_module = exec_module
                return spec
        return None


def _patch(module):
    try:
        cls = module.RemoteExperienceMaker
        if not getattr(cls.make_experience_batch, "_turnwise", False):
            _wrap(cls)
    except Exception as error:  # another version
        _say("could not attach to this OpenRLHF: %s" % _reason(error))


def _wrap(owner, recorder=None):
    inner = owner.make_experience_batch
    sessions = [] if recorder is None else [_Session(recorder)]

    @functools.wraps(inner)
    def make_experience_batch(*args, **kwargs):
        experiences = inner(*args, **kwargs)
        try:
            if not sessions:
                maker = owner if not isinstance(owner, type) else args[0]
                sessions.append(_Session(Recorder(run=_setting(maker, "wandb_run_name") or "openrlhf", tokenizer=maker.tokenizer)))
            maker = owner if not isinstance(owner, type) else args[0]
            sessions[0].record(experiences, maker)
        except Exception as error:
            if sessions:
                sessions[0].rec.failed("make_experience_batch", error)
        return experiences

    make_experience_batch._turnwise = True
    owner.make_experience_batch = make_experience_batch


def _setting(maker, name):
    args = getattr(maker, "args", None) or getattr(getattr(maker, "strategy", None), "args", None)
    return getattr(args, name, None)


class _Session:
    def __init__(self, recorder):
        self.rec = recorder
        self._step = 0
        self._tokenizer = None

    def record(self, experiences, maker):
        """The experiences of one step. Calls are counted, since an experience does not know its step."""
        self._step += 1
        self._tokenizer = tokenizer = self._tokenizer or own_tokenizer(maker.tokenizer)
        may_penalise = _setting(maker, "overlong_buffer_len") is not None
        rows = []
        for experience in experiences:
            rows += [(experience, i) for i in range(len(experience.sequences))]
        # Dynamic batches are sorted by length; `index` is the order in which the samples came.
        if all(_at(getattr(experience, "index", None), i) is not None for experience, i in rows):
            rows.sort(key=lambda row: row[0].index[row[1]])
        counts, addresses = {}, []
        for experience, i in rows:
            group = "%s" % (_at(experience.prompts, i),)
            addresses.append((_hash(group), counts.get(group, 0)))
            counts[group] = counts.get(group, 0) + 1

        def row(n):
            fields, advantage = _rollout(tokenizer, may_penalise, *rows[n])
            return [("rollout", fields)] + ([] if advantage is None else [("decision", {"advantage": advantage})])

        self.rec.rows(self._step, addresses, row, bytes_of([vars(one) for one in experiences]))


def _rollout(tokenizer, may_penalise, experience, i):
    sequence = as_list(as_array(experience.sequences[i]))
    attention = as_list(as_array(experience.attention_mask[i]))
    action = [bool(value) for value in as_list(as_array(experience.action_mask[i]))]
    last = max(j for j, given in enumerate(attention) if given) + 1
    first = action.index(True) + 1 if True in action else last  # a long prompt leaves no room for a response
    ids = [int(token) for token in sequence[first:last]]
    prompt = [int(token) for token, given in zip(sequence[:first], attention) if given]

    def of_response(name):
        column = getattr(experience, name, None)
        if column is None:
            return None
        values = as_list(as_array(column[i]))[first - 1:last - 1]
        return [value if sampled else None for value, sampled in zip(values, action[first - 1:last - 1])]

    advantages = of_response("advantages")
    known = set() if advantages is None else {value for value in advantages if value is not None}
    score = _float(_at(getattr(experience, "scores", None), i))
    info = experience.info if isinstance(getattr(experience, "info", None), dict) else {}
    # Without scores of the reward function both names are the same tensor, and the penalty is in both.
    holds_penalty = may_penalise and experience.scores is experience.rewards
    cut = _float(_at(info.get("response_clip_ratio", getattr(experience, "truncated", None)), i))
    fields = {
        "problem": {"prompt": tokenizer.decode(prompt, skip_special_tokens=False), "ground_truth": _at(experience.labels, i)},
        "text": tokenizer.decode(ids, skip_special_tokens=False),
        "reward": _float(_at(getattr(experience, "rewards", None), i)),
        "is_correct": None if score not in (0, 1) or holds_penalty else score == 1,
        "stop_reason": "length" if cut == 1 else None,
        "rewards": None if score is None else {"score": score},
        "tokens": tokens(ids=ids, mask=action[first - 1:last - 1], logprob=of_response("rollout_log_probs"),
                         trainer_logprob=of_response("action_log_probs"), advantage=advantages if len(known) > 1 else None)}
    return fields, known.pop() if len(known) == 1 else None


def _at(column, i):
    return None if column is None or i >= len(column) else column[i]


def _float(value):
    value = value.item() if hasattr(value, "item") else value
    return float(value) if isinstance(value, (bool, int, float)) else None


def _hash(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
