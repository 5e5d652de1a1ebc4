"""Records verl's and rStar2-Agent's training for Turnwise, without an edit of the trainer.

Standard library only; Python 3.8 or newer; imports neither torch nor verl by itself. Without TURNWISE_LOG it does
nothing. Choose one way to load it:

    # every version from verl v0.4.1 on and rStar2-Agent: two settings of the launch script
    export TURNWISE_LOG=/shared/logs/turnwise
    python -m verl.trainer.main_ppo data.custom_cls.path=/abs/turnwise_verl.py data.custom_cls.name=Dataset …

    # verl v0.6 and later, also where data.custom_cls is taken; the file must be on PYTHONPATH
    export VERL_USE_EXTERNAL_MODULES=turnwise_verl

    # verl v0.9 and later: `pip install` of the folder is enough, by the entry point `verl.plugins`

    # a trainer of your own, before `trainer.fit()`
    import turnwise_verl; turnwise_verl.attach(trainer)

`Dataset` is verl's own RLHFDataset. On a running Ray cluster the variables must reach the trainer's process:
`+ray_kwargs.ray_init.runtime_env.env_vars.TURNWISE_LOG=/shared/logs/turnwise` (verl v0.6 and later).

What is attached to: the functions and methods below are replaced by wrappers that call the original exactly as it was
called, and then look at what went in and out. An error of this file is caught, counted and printed; it never
reaches the trainer. The batch gets one more non-tensor column, `turnwise_index`, the position of a row in its group.

    what                                        read from
    every rollout, with its reward              the reward function's result; rStar2-Agent: `_down_sample_batch`
    kept and discarded                          `_down_sample_batch`; DAPO: rows of the pool that are not trained on;
                                                v0.9: groups that the replay buffer clears
    entropies and log-probabilities             `compute_log_prob` of the worker group, `_compute_old_log_prob`
    advantages                                  `compute_advantage`
    validation, metrics, restarts               `_maybe_log_val_generations`, `Tracking.log`, `_load_checkpoint`
    seconds of generation and tools, worker     `AgentLoopManager._performance_metrics`: `generate_sequences` gives the
                                                k-th chunk of a batch to `agent_loop_worker_k` (rStar2-Agent's verl to
                                                v0.9 legacy). In v0.9's default trainer and the fully asynchronous one
                                                (`_select_best_worker`) no row says which worker had it
    v0.9's default trainer, all of it           `_compute_metrics`, before the rows leave the TransferQueue
"""
import functools
import importlib.abc
import inspect
import os
import re
import sys
import threading
import weakref

if os.path.dirname(os.path.abspath(__file__)) not in sys.path:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # loaded by path: find the recorder beside this file
from turnwise_recorder import Recorder, as_array, as_list, bytes_of, own_tokenizer, tokens, _say, _reason

INDEX = "turnwise_index"
#: Columns of a batch that are about tokens, text or routing, and no part of a reward.
NOT_REWARDS = {"uid", "data_source", "ability", "reward_model", "extra_info", "index", INDEX, "raw_prompt",
               "raw_prompt_ids", "full_prompts", "agent_name", "request_id", "tools_kwargs", "interaction_kwargs",
               "__num_turns__", "num_turns", "messages", "prompt_text", "response_text", "multi_modal_data",
               "multi_modal_inputs", "reward_scores", "turn_scores", "tool_rewards", "interaction_name", "p_err",
               "p_format", "penalty", "min_global_steps", "max_global_steps", "rollout_log_probs",
               "processing_times", "tool_calls_times"}
#: Settings that are not copied into the log.
SECRET = ("key", "token", "secret", "password", "passwd", "credential", "auth", "cookie", "bearer", "private", "dsn")

#: Reason of a group with equal rewards, until it is known which.
EQUAL = "discarded_equal_reward"

_sessions = weakref.WeakKeyDictionary()  # trainer -> Session
_current = []  # the last session, for functions that are not given their trainer
_failures = [0]
_running = set()  # (thread, function, object) of the calls that are looked at
_loops = []  # (seconds, worker) of the agent loops of the batch that was generated last


def attach(trainer, recorder=None):
    """Records this trainer from now on. recorder: where to; by default as the environment says."""
    if recorder is None and not os.environ.get("TURNWISE_LOG"):
        return None
    install()
    return _guarded(_session)(trainer, recorder)


def install():
    """Wraps verl's modules, now or as soon as they are imported. verl may load this file several times."""
    if any(hasattr(finder, "turnwise_session") for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Finder())
    for name in PATCHES:
        if name in sys.modules:
            _guarded(PATCHES[name])(sys.modules[name])


def __getattr__(name):
    if name == "Dataset":  # data.custom_cls.name=Dataset
        from verl.utils.dataset.rl_dataset import RLHFDataset
        return RLHFDataset
    raise AttributeError("module 'turnwise_verl' has no attribute %r" % name)


# Wrapping

def _guarded(work):
    """The function without its exceptions. After five of them it does nothing any more."""
    @functools.wraps(work)
    def guarded(*args, **kwargs):
        if _failures[0] >= 5 or (_current and not _current[0].rec.enabled):
            return None
        try:
            return work(*args, **kwargs)
        except Exception as error:
            if _current and _current[-1].rec.strict:
                raise
            _failures[0] += 1
            _say("could not look at %s: %s%s" % (getattr(work, "__name__", "it"), _reason(error),
                 ". The recorder is off, and the training goes on" if _failures[0] >= 5 else ""))
            return None
    return guarded


def _number_rows(batch):
    """Gives each row its position in its group, before anything reorders or drops rows.

    Trainers join batches, and all of them must have the column. So this goes on when the recorder is off.
    """
    try:
        others = batch.non_tensor_batch
        if "uid" in others and INDEX not in others:
            seen, indices = {}, []
            for uid in others["uid"]:
                indices.append(seen.get(uid, 0))
                seen[uid] = indices[-1] + 1
            others[INDEX] = _objects(indices, others["uid"])
    except Exception:
        pass  # not a DataProto


def _around(owner, name, before=None, after=None, last=None, numbers=None, when=None, together=None):
    """Replaces owner.name by a wrapper, which is asynchronous where the original is.

    before(*args) runs first; after(result, *args) gets what was returned; last(*args) also runs after an exception.
    Arguments are given by position where the original has names for them.
    numbers: place of the argument whose rows get their numbers. when: function of the arguments by name that says
    whether the call is looked at. together: functions with the same word call each other; the outermost call counts.
    """
    inner = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
    if not callable(inner) or isinstance(inner, (staticmethod, classmethod)) or getattr(inner, "_turnwise", False):
        return
    hooks = _Hooks(owner, name, inner, before, after, last, numbers, when, together)

    if inspect.iscoroutinefunction(inner):  # Ray asks this too, when it makes an actor of the class
        @functools.wraps(inner)
        async def outer(*args, **kwargs):
            started = hooks.start(args, kwargs) if hooks else None
            if started is None:
                return await inner(*args, **kwargs)
            try:
                result = await inner(*args, **kwargs)
                hooks.returned(result, started)
                return result
            finally:
                hooks.end(started)
    else:
        @functools.wraps(inner)
        def outer(*args, **kwargs):
            started = hooks.start(args, kwargs) if hooks else None
            if started is None:
                return inner(*args, **kwargs)
            try:
                result = inner(*args, **kwargs)
                hooks.returned(result, started)
                return result
            finally:
                hooks.end(started)

    outer._turnwise = hooks
    setattr(owner, name, outer)
    if isinstance(owner, type(sys)):  # modules that imported the function have it under their own name
        for module in list(sys.modules.values()):
            if getattr(module, "__dict__", {}).get(name) is inner:
                setattr(module, name, outer)


class _Hooks:
    """What a wrapper does besides the original's call.

    Ray copies the classes of its actors with their methods. A copy has False instead of its hooks, so that another
    process needs nothing of this file; where it is loaded, it wraps the copy again.
    """

    def __init__(self, owner, name, inner, before, after, last, numbers, when, together):
        self.owner, self.name, self.together = owner, name, together
        self.before, self.after, self.last, self.numbers, self.when = before, after, last, numbers, when
        self.signature = _signature(inner)

    def __reduce__(self):
        return bool, ()

    def start(self, args, kwargs):
        """The call and the arguments for the hooks. None where the call is not looked at."""
        try:
            # An override calls the method of its base, and that is the same event.
            of = self.together or id(args[0] if isinstance(self.owner, type) else self.owner)
            call = (threading.get_ident(), self.name if self.together is None else None, of)
            if call in _running:
                return None
            if self.signature is not None:
                bound = self.signature.bind(*args, **kwargs)
                if self.when is not None and not self.when(bound.arguments):
                    return None
                args, kwargs = bound.args, bound.kwargs
        except Exception:  # the original raises for such arguments
            return None
        _running.add(call)
        if self.numbers is not None and len(args) > self.numbers:
            _number_rows(args[self.numbers])
        if self.before is not None:
            _guarded(self.before)(*args, **kwargs)
        return call, args, kwargs

    def returned(self, result, started):
        if self.after is not None:
            _guarded(self.after)(result, *started[1], **started[2])

    def end(self, started):
        _running.discard(started[0])
        if self.last is not None:
            _guarded(self.last)(*started[1], **started[2])


def _signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the other finders find a module, and wraps it when it has been executed."""

    turnwise_session = True

    def find_spec(self, name, path=None, target=None):
        if name not in PATCHES:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec is not None and spec.loader is not None:
                _guarded(_around)(spec.loader, "exec_module", after=lambda result, module: PATCHES[name](module))
                return spec
        return None


def _patch_class(cls):
    """Wraps the methods that the class and its bases define themselves."""
    for owner in cls.__mro__[:-1]:
        _around(owner, "init_workers", after=lambda result, trainer, *a, **k: _session(trainer))
        _around(owner, "_load_checkpoint", after=lambda result, trainer, *a, **k: _session(trainer).resumed())
        _around(owner, "fit", before=lambda trainer, *a, **k: _session(trainer),
                last=lambda trainer, *a, **k: _session(trainer).finish())
        _around(owner, "_balance_batch", numbers=1,
                before=lambda trainer, batch, *a, **k: _session(trainer).remember(batch))
        _around(owner, "_down_sample_batch", numbers=1,
                before=lambda trainer, batch, *a, **k: _session(trainer).pool(batch),
                after=lambda result, trainer, batch, *a, **k: _session(trainer).decide(_first(result)))
        _around(owner, "_compute_or_extract_reward", numbers=1, when=_is_training, together="reward",
                before=lambda trainer, batch, *a, **k: _session(trainer).remember(batch),
                after=lambda result, trainer, batch, *a, **k: _rewarded(result, batch))
        _around(owner, "_compute_old_log_prob", numbers=1,
                before=lambda trainer, batch, *a, **k: _session(trainer).remember(batch),
                after=lambda result, trainer, batch, *a, **k: _session(trainer).log_probs(batch, _first(result)))
        _around(owner, "_maybe_log_val_generations",
                before=lambda trainer, inputs, outputs, scores, *a, **k: _session(trainer).validation(inputs, outputs, scores))
        _around(owner, "_compute_metrics", before=lambda trainer, batch, *a, **k: _session(trainer).queue_batch(batch))


def _patch_trainers(cls):
    """Wraps a class and what inherits from it, now and later: trainers override most of these methods."""
    classes = [cls]
    for one in classes:
        _patch_class(one)
        classes += [subclass for subclass in one.__subclasses__() if subclass not in classes]

    def inherited(subclass, **kwargs):
        super(cls, subclass).__init_subclass__(**kwargs)
        _guarded(_patch_class)(subclass)

    if "__init_subclass__" not in cls.__dict__:
        cls.__init_subclass__ = classmethod(inherited)


def _session(trainer, recorder=None):
    session = _sessions.get(trainer)
    if session is None:
        _patch_class(type(trainer))
        session = _sessions[trainer] = Session(trainer, recorder)
    _current[:] = [session]
    return session


def _first(result):
    return result[0] if isinstance(result, tuple) else result


def _rewarded(result, batch, *_args, **_kwargs):
    """The reward function has returned. Its rows are the pool; rStar2-Agent's pool comes with `_down_sample_batch`."""
    if _current and isinstance(result, tuple) and not _current[0].down_samples:
        _current[0].pool(batch, scores=result[0], extras=result[1] if len(result) > 1 else None)


def _is_training(arguments):
    """Not a batch of the validation (from v0.7 on), and not the baseline of ReMax, which v0.7.0 sums."""
    batch = arguments.get("batch", arguments.get("data"))
    return not arguments.get("sum_reward") and not (getattr(batch, "meta_info", None) or {}).get("validate")


def _patch_ray_trainer(module):
    _patch_trainers(module.RayPPOTrainer)
    _around(module, "compute_advantage", after=lambda result, data, *a, **k: _current and _current[0].advantages(data if result is None else result))
    _patch_reward(module)


def _patch_reward(module):
    for name in ("compute_reward", "extract_reward"):
        _around(module, name, numbers=0, when=_is_training, together="reward", after=_rewarded)


def _patch_trainer_v1(module):
    _patch_trainers(module.PPOTrainer)
    _patch_buffer(module.ReplayBuffer)


def _patch_buffer(cls):
    _around(cls, "_evict_terminal_groups", before=_evicting, after=lambda result, buffer, *a, **k: buffer.__dict__.pop("_turnwise_reasons", None))
    _around(cls, "_clear_groups", before=_clearing)


def _evicting(buffer, global_steps, partition_id, eviction_reasons=None):
    if eviction_reasons is None and hasattr(buffer, "_terminal_eviction_reasons"):
        eviction_reasons = buffer._terminal_eviction_reasons(global_steps, partition_id)
    buffer._turnwise_reasons = eviction_reasons


def _clearing(buffer, partition_id, uids):
    """Groups leave the queue without being trained on. Those that no reason names are more than the batch needs."""
    if partition_id != "train" or not _current:
        return
    reasons = getattr(buffer, "_turnwise_reasons", None) or ((), (), ())
    for uid in uids:
        reason = next((name for name, named in zip(("discarded_stale", EQUAL, "discarded_errored"), reasons)
                       if uid in named), "discarded_surplus")
        keys = [key for key in buffer.partitions[partition_id] if key.split("_")[0] == uid]
        _current[0].queue_rows(keys, partition_id, kept=False, reason=reason)


def _patch_tracking(module):
    def logged(tracking, data, step, *_args, **_kwargs):
        if _current:
            _current[0].rec.metric(step, data)
    _around(module.Tracking, "log", before=logged)


def _patch_agent_loop(module):
    """The manager averages what each rollout took, and drops it. metrics: a list of each worker, in their order."""
    def measured(manager, metrics, output, *_args, **_kwargs):
        _loops[:] = [(one if isinstance(one, dict) else dict(one), "agent_loop_worker_%d" % worker)
                     for worker, part in enumerate(metrics) for one in part]
        if len(_loops) != len(output):
            del _loops[:]
    _around(module.AgentLoopManager, "_performance_metrics", before=measured)


PATCHES = {
    "verl.trainer.ppo.ray_trainer": _patch_ray_trainer,
    "verl.trainer.ppo.reward": _patch_reward,
    "verl.trainer.ppo.v1.trainer_base": _patch_trainer_v1,
    "verl.utils.tracking": _patch_tracking,
    "verl.experimental.agent_loop.agent_loop": _patch_agent_loop,
}


class Columns:
    """The columns of a batch as they are now, without a copy. The trainer replaces columns, and does not change them."""

    def __init__(self, batch, names):
        self.tensors = {name: _host(batch.batch[name]) for name in names if name in batch.batch.keys()}
        self.others = dict(batch.non_tensor_batch)
        uids, indices = self.others["uid"], self.others[INDEX]
        self.addresses = [(str(uids[i]), int(indices[i])) for i in range(len(uids))]

    @property
    def weight(self):
        return bytes_of([self.tensors, self.others])

    def row(self, name, i):
        """A row, as a numpy array or a list. None where the batch has no such column."""
        column = self.tensors.get(name)
        return None if column is None else as_array(column[i])

    def other(self, name, i):
        return self.others[name][i] if name in self.others else None


#: 1 = sampled by the policy. In v0.4 only the first tells tools from the policy, and v0.9 changes the second.
MASKS = ["loss_mask", "response_mask"]
SAMPLED = ["prompts", "responses", "attention_mask", "rollout_log_probs"] + MASKS


class Session:
    """What is known of one trainer while it runs."""

    def __init__(self, trainer, recorder=None):
        self.trainer = weakref.proxy(trainer)
        self.down_samples = hasattr(type(trainer), "_down_sample_batch")
        config = trainer.config
        self.tokenizer = own_tokenizer(trainer.tokenizer)
        self.filters_groups = bool(_at(config, "algorithm.filter_groups.enable"))  # DAPO
        group = getattr(trainer, "actor_rollout_wg", None)
        self.temperature = _at(config, "actor_rollout_ref.rollout.temperature")
        # A checkout from before 5 September 2025 follows the rule of the first week; nothing in it says so.
        self.rule = os.environ.get("TURNWISE_RULE") or ("release" if self.down_samples else None)
        world_size = getattr(group, "world_size", None) if self.down_samples else None
        try:
            fields = about(config, world_size=world_size, rule=self.rule)
        except Exception as error:
            fields = {}
            _say("could not read the configuration: %s" % _reason(error))
        self.rec = recorder or Recorder(run=_at(config, "trainer.experiment_name") or "run", tokenizer=self.tokenizer,
                                        **fields)
        self._pools = []  # addresses of every row since the last batch that was trained on
        self._pool_of_step = {}
        self._masks = {}  # address -> what the policy sampled, before rejection sampling changes the mask
        self._of_loops = {}  # address -> (seconds of generation and tools, worker)
        self._log_probs = None  # columns of the batch, entropies and log-probabilities that wait for the advantages
        for name in ("actor_rollout_wg", "actor_wg"):
            workers = getattr(trainer, name, None)
            if workers is not None:
                _around(workers, "compute_log_prob", numbers=0, before=lambda batch, *a, **k: self.remember(batch),
                        after=lambda result, batch, *a, **k: self.log_probs(batch, result))

    @property
    def step(self):
        """The step that the trainer logs under. Asynchronous ones count versions of the parameters."""
        version = getattr(self.trainer, "current_param_version", None)
        return int(self.trainer.global_steps if version is None else version)

    def resumed(self):
        step = self.step
        if step > 0:
            self.rec.stage(step + 1, "resumed after step %d" % step, resumed=True)

    def remember(self, batch):
        """What later steps of the trainer lose: seconds of the agent loops, and the mask before rejection sampling."""
        others = getattr(batch, "non_tensor_batch", {})
        if INDEX not in others:
            return
        addresses = _addresses(batch)
        if "reward_baselines" in batch.batch.keys():  # ReMax generated its baseline last
            del _loops[:]
        if len(_loops) == len(addresses):
            self._of_loops = dict(zip(addresses, _loops))
            del _loops[:]
        for name in MASKS:
            if name in batch.batch.keys() and addresses and addresses[0] not in self._masks:
                mask = _host(batch.batch[name])
                self._masks = {address: (mask, i) for i, address in enumerate(addresses)}

    def log_probs(self, batch, result):
        """What the trainer computed for the rows of this batch: kept until their advantages are there."""
        if result is None or INDEX not in getattr(batch, "non_tensor_batch", {}) or not self.rec.records(self.step):
            return
        columns = Columns(batch, ["responses", "attention_mask"])
        # Since v0.7 the trainer's method calls the one of the worker group, so the same rows come twice.
        if self._log_probs is not None and self._log_probs[0].addresses != columns.addresses:
            self._write_signals(None)
        found = result.batch
        entropy = next((name for name in ("entropys", "entropy") if name in found.keys()), None)
        self._log_probs = (columns,
                           None if entropy is None else _host(found[entropy]),
                           _host(found["old_log_probs"]) if "old_log_probs" in found.keys() else None)

    def finish(self):
        self._write_signals(None)
        self.rec.flush()

    def pool(self, batch, scores=None, extras=None):
        """Every rollout of the batch, as it is sampled and rewarded."""
        if not self.rec.records(self.step):
            self._masks = {}
            return
        _number_rows(batch)
        self.remember(batch)
        columns = Columns(batch, SAMPLED + ["token_level_scores"])
        if scores is not None:
            columns.tensors["token_level_scores"] = _host(scores)
        keys = list((getattr(batch, "meta_info", None) or {}).get("reward_extra_keys") or ())
        for name, values in (extras or {}).items():
            columns.others[name] = values
            keys.append(name)
        keys = keys or [name for name in columns.others if name not in NOT_REWARDS]
        if self.step not in self._pool_of_step:  # a trainer with advantages of its own never says what it trained on
            self._pools = []
        number = self._pool_of_step.get(self.step, 0)
        self._pool_of_step = {self.step: number + 1}
        self._pools.append((number, columns))
        masks, self._masks = self._masks, {}
        loops, self._of_loops = self._of_loops, {}
        tokenizer = self.tokenizer

        def row(i):
            address = columns.addresses[i]
            fields = _rollout(tokenizer, columns, i, keys, masks.get(address), number)
            if address in loops:
                fields.setdefault("extra", {})["seconds"], worker = loops[address]
                fields["timing"] = {"worker": worker}
            return [("rollout", fields)]

        self.rec.rows(self.step, columns.addresses, row, columns.weight)

    def decide(self, batch):
        """Which rows of the pools came back. batch: None where none did."""
        if self._pools:
            self._decide(set() if batch is None else set(_addresses(batch)))

    def _decide(self, kept):
        pools, self._pools = self._pools, []
        addresses = [address for _, columns in pools for address in columns.addresses]
        if not (self.down_samples or self.filters_groups) and all(address in kept for address in addresses):
            return
        rewards = {}
        if not self.down_samples:  # DAPO drops groups whose metric is equal, and what is more than the batch needs
            for _, columns in pools:
                for i, (group, _) in enumerate(columns.addresses):
                    rewards.setdefault(group, set()).add(_sum(columns.row("token_level_scores", i)))
        parts = {address: {name: columns.other(name, i) for name in ("p_err", "p_format", "penalty")}
                 for _, columns in pools for i, address in enumerate(columns.addresses)
                 if "p_err" in columns.others or "p_format" in columns.others}

        def row(i):
            address = addresses[i]
            is_kept = address in kept
            reason = None
            if not self.down_samples and not is_kept:
                equal = rewards[address[0]]
                reason = _equal_reason(next(iter(equal))) if len(equal) == 1 else "discarded_surplus"
            return [("decision", dict(parts.get(address, {}), kept=is_kept, reason=reason, rule=self.rule))]

        self.rec.rows(self.step, addresses, row)

    def advantages(self, batch):
        """The batch that is trained on has its advantages."""
        if not self.rec.records(self.step):
            self._pools, self._log_probs, self._masks = [], None, {}
            return
        if INDEX not in batch.non_tensor_batch and self.down_samples:
            return
        if not self.down_samples:
            _number_rows(batch)
            trained = set(_addresses(batch))
            if not trained <= {address for _, columns in self._pools for address in columns.addresses}:
                self.pool(batch)  # the reward came where nothing could be wrapped
            self._decide(trained)
        self._write_signals(Columns(batch, ["responses", "attention_mask", "advantages"]))

    def _write_signals(self, columns):
        """columns: with the advantages; None where there are none yet."""
        if self._log_probs is None and columns is None:
            return
        computed, entropies, log_probs = self._log_probs or (None, None, None)
        self._log_probs = None
        columns = columns or computed
        places = {} if computed is None else {address: i for i, address in enumerate(computed.addresses)}
        entropy_of = _known(kind="full", unit="nats", policy="trainer", temperature=self.temperature)

        def row(i):
            given = _given_response(columns, i)
            place = places.get(columns.addresses[i])
            lines, found = [], {}
            if place is not None and entropies is not None:
                found.update(entropy=_select(as_array(entropies[place]), given), entropy_of=entropy_of)
            if place is not None and log_probs is not None:
                found.update(trainer_logprob=_select(as_array(log_probs[place]), given))
            advantage = _select(columns.row("advantages", i), given)
            if advantage is not None:
                value = _only_value(advantage)
                if value is None:
                    found["advantage"] = advantage
                else:
                    lines.append(("decision", {"advantage": value}))
            return lines + ([("signal", {"tokens": tokens(**found)})] if found else [])

        weight = columns.weight + bytes_of([entropies, log_probs])
        self.rec.rows(self.step, columns.addresses, row, weight)

    def validation(self, inputs, outputs, scores):
        """What the validation logs: special tokens are stripped, and the log has no ids."""
        groups, counts, addresses = {}, {}, []
        for text in inputs:
            group = groups.setdefault(text, "validation-%d" % len(groups))
            addresses.append((group, counts.get(group, 0)))
            counts[group] = addresses[-1][1] + 1

        def row(i):
            return [("rollout", {"split": "eval", "problem": {"prompt": inputs[i]}, "text": outputs[i],
                                 "reward": scores[i]})]

        self.rec.rows(self.step, addresses, row, bytes_of([inputs, outputs]))

    # v0.9's default trainer: rows lie in the TransferQueue under {uid}_{session}_{output}.

    def queue_batch(self, batch):
        if not hasattr(batch, "tags"):
            return
        keys = [key for key, tag in zip(batch.keys, batch.tags) if not (tag or {}).get("is_padding")]
        self.queue_rows(keys, batch.partition_id, kept=True)

    def queue_rows(self, keys, partition, kept, reason=None):
        if not keys or not self.rec.records(self.step):
            return
        queue = sys.modules["verl.trainer.ppo.v1.trainer_base"].tq
        keys = sorted(keys, key=_of_key)
        data = queue.kv_batch_get(keys=keys, partition_id=partition, select_fields=QUEUE_FIELDS)
        columns = {name: _queue_column(data[name]) for name in QUEUE_FIELDS if name in data.keys()}
        tokenizer = self.tokenizer
        several = {key.rsplit("_", 1)[0] for key in keys if not key.endswith("_0")}

        def row(i):
            uid, session, output = _of_key(keys[i])
            values = {name: column[i] for name, column in columns.items()}
            fields = _queue_rollout(tokenizer, values, self.temperature)
            if "%s_%d" % (uid, session) in several:
                fields["part"] = output
            lines = [("rollout", fields)]
            if output == 0:
                why = _equal_reason(fields.get("reward")) if reason == EQUAL else reason
                lines.append(("decision", {"kept": kept, "reason": why}))
            return lines

        self.rec.rows(self.step, [_of_key(key)[:2] for key in keys], row,
                      bytes_of(columns))


QUEUE_FIELDS = ["prompts", "responses", "loss_mask", "response_mask", "rollout_log_probs", "old_log_probs", "entropy",
                "advantages", "rm_scores", "num_turns", "reward_model", "data_source", "extra_info", "extra_fields",
                "metrics"]


def _of_key(key):
    uid, session, output = key.rsplit("_", 2)
    return uid, int(session), int(output)


def _queue_column(column):
    return list(column.unbind()) if hasattr(column, "unbind") else as_list(column)


def _queue_rollout(tokenizer, values, temperature):
    ids = as_array(values["responses"])
    mask = as_array(next((values[name] for name in MASKS if name in values), None))
    extra = values.get("extra_fields") or {}
    rewards = (getattr(extra, "data", extra) or {}).get("reward_extra_info")
    entropy = values.get("entropy")
    return _known(
        problem=_problem(values.get("data_source"), values.get("extra_info"), values.get("reward_model"),
                         _decode(tokenizer, as_array(values["prompts"]))),
        text=_decode(tokenizer, ids), reward=_sum(as_array(values.get("rm_scores"))),
        **_from_extras(rewards or {}),
        tokens=tokens(ids=ids, mask=mask, logprob=_sampled_only(as_array(values.get("rollout_log_probs")), mask),
                      trainer_logprob=as_array(values.get("old_log_probs")), entropy=as_array(entropy),
                      advantage=as_array(values.get("advantages")),
                      entropy_of=None if entropy is None else _known(kind="full", unit="nats", policy="trainer",
                                                                    temperature=temperature)),
        extra=_known(turns=values.get("num_turns"), seconds=values.get("metrics")))


# Rows of a DataProto

def _rollout(tokenizer, columns, i, keys, mask_place, pool):
    prompt = as_array(columns.row("prompts", i))
    attention = columns.row("attention_mask", i)
    prompt_ids = _select(prompt, attention[:len(prompt)])
    given = _given_response(columns, i)
    ids = _select(columns.row("responses", i), given)
    mask = mask_place[0][mask_place[1]] if mask_place else next(
        (columns.row(name, i) for name in MASKS if name in columns.tensors), None)
    mask = _select(as_array(mask), given) if mask is not None and len(mask) == len(given) else None
    text = columns.other("response_text", i) or _decode(tokenizer, ids)
    extras = {name: columns.other(name, i) for name in keys if _is_plain(columns.other(name, i))}
    return _known(
        problem=_problem(columns.other("data_source", i), columns.other("extra_info", i),
                         columns.other("reward_model", i),
                         columns.other("prompt_text", i) or _decode(tokenizer, prompt_ids)),
        text=text, reward=_sum(columns.row("token_level_scores", i)), **_from_extras(extras),
        tokens=tokens(ids=ids, mask=mask,
                      logprob=_sampled_only(_select(columns.row("rollout_log_probs", i), given), mask)),
        pool=pool or None,
        extra=_known(turns=columns.other("__num_turns__", i), turn_scores=columns.other("turn_scores", i),
                     # fully_async_policy/detach_utils.py, `addition_process`: the fully asynchronous trainer has columns
                     seconds=_known(generate_sequences=columns.other("processing_times", i),
                                    tool_calls=columns.other("tool_calls_times", i))))


def _equal_reason(reward):
    return "%s_all_%s" % (EQUAL, "correct" if reward is not None and reward > 0 else "wrong")


def _from_extras(extras):
    """Parts of a reward under their names; `acc` is the correctness and `pred` the answer in verl's own scorers."""
    correct = extras.get("acc")
    correct = correct.item() if hasattr(correct, "item") else correct
    answer = extras.get("pred")
    return {"rewards": dict(extras) or None, "is_correct": bool(correct) if correct in (0, 1) else None,
            "answer": answer if isinstance(answer, str) else None}


def _is_plain(value):
    return value is None or isinstance(value, (str, bool, int, float)) or getattr(value, "shape", None) == ()


def _given_response(columns, i):
    """Which positions of the response are no padding. Padding is at its end."""
    attention, response = columns.row("attention_mask", i), columns.row("responses", i)
    return attention[len(attention) - len(response):]


def _select(values, given):
    """The values at positions that are given; None stays None."""
    if values is None:
        return None
    if hasattr(values, "astype"):
        return values[as_array(given).astype(bool)]
    values, given = as_list(values), as_list(given)
    count = sum(given)
    if all(given[:count]):  # padding at the end
        return values[:count]
    return [value for value, is_given in zip(values, given) if is_given]


def _only_value(advantage):
    """GRPO gives all sampled tokens of a rollout the same advantage, and the others 0. None where they differ."""
    if hasattr(advantage, "astype"):
        sampled = advantage[advantage != 0]
        if len(sampled) == 0:
            return 0.0
        return float(sampled[0]) if bool((sampled == sampled[0]).all()) else None
    values = set(as_list(advantage))
    values.discard(0.0)
    return None if len(values) > 1 else float(values.pop()) if values else 0.0


def _sampled_only(logprob, mask):
    """verl fills the tokens of tools with 0, but what nobody sampled has no log-probability."""
    if logprob is None or mask is None:
        return logprob
    if hasattr(logprob, "astype") and hasattr(mask, "astype"):
        numpy = sys.modules["numpy"]
        return numpy.where(mask.astype(bool), logprob, numpy.nan)
    return [value if sampled else None for value, sampled in zip(as_list(logprob), as_list(mask))]


def _decode(tokenizer, ids):
    return tokenizer.decode(as_list(ids), skip_special_tokens=False)


def _sum(values):
    return None if values is None else float(values.sum()) if hasattr(values, "astype") else float(sum(as_list(values)))


def _addresses(batch):
    others = batch.non_tensor_batch
    if INDEX not in others:
        raise KeyError("the column %s is gone; the rows cannot be told apart" % INDEX)
    return [(str(uid), int(index)) for uid, index in zip(others["uid"], others[INDEX])]


def _problem(source, extra, reward_model, prompt):
    index = (extra or {}).get("index")
    return _known(prompt=prompt, source=source, ground_truth=(reward_model or {}).get("ground_truth"),
                  id=None if index is None or source is None else "%s/%s" % (source, index))


def _host(column):
    return column.cpu() if hasattr(column, "cpu") else column


def _objects(values, like):
    """A column as a DataProto keeps them: numpy arrays of objects."""
    if not hasattr(like, "dtype"):
        return values
    numpy = sys.modules["numpy"]
    column = numpy.empty(len(values), dtype=object)
    column[:] = values
    return column


# The configuration

def about(config, world_size=None, rule=None):
    """Fields of the run line out of the trainer's configuration (OmegaConf's, or nested mappings)."""
    rollout = "actor_rollout_ref.rollout."
    fields = {
        "model": _at(config, "actor_rollout_ref.model.path"),
        "limits": _known(max_response_tokens=_at(config, "data.max_response_length"),
                         max_turns=_at(config, rollout + "multi_turn.max_assistant_turns")),
        "sampling": _known(temperature=_at(config, rollout + "temperature"), top_p=_at(config, rollout + "top_p"),
                           n=_at(config, rollout + "n")),
        "down_sampling": _known(do_down_sampling=_at(config, "augmentation.do_down_sampling"), world_size=world_size,
                                rule=rule, **_plain_config(_at(config, "augmentation.down_sampling_config") or {})),
        "config": _plain_config(config)}
    return {name: value for name, value in fields.items() if value not in (None, {})}


def _plain_config(config, is_secret=False):
    """Nested dicts and lists, without what may be a credential and without the environment of Ray.

    is_secret: the name of a setting above says so, and no text below it is copied.
    """
    if hasattr(config, "keys"):
        plain = {}
        for name in config.keys():
            if name in ("ray_kwargs", "ray_init"):
                continue
            try:
                value = config[name]
            except Exception:  # OmegaConf raises for a value that is missing or cannot be interpolated
                continue
            hidden = is_secret or any(part in str(name).lower() for part in SECRET)
            if not (hidden and isinstance(value, (str, bytes))):
                plain[str(name)] = _plain_config(value, hidden)
        return plain
    if isinstance(config, (list, tuple)) or type(config).__name__ == "ListConfig":
        return [_plain_config(value, is_secret) for value in config
                if not (is_secret and isinstance(value, (str, bytes)))]
    return re.sub(r"://[^/@\s]+@", "://", config) if isinstance(config, str) else config


def _at(config, path):
    for name in path.split("."):
        config = config.get(name) if hasattr(config, "get") else None
    return config


def _known(**fields):
    return {name: value for name, value in fields.items() if value is not None and value != {}}


if os.environ.get("TURNWISE_LOG"):
    _guarded(install)()
