"""Records TRL's GRPO training (and trainers with the same reward functions) for Turnwise.

Standard library only; Python 3.8 or newer. Needs turnwise_recorder.py beside it, and TURNWISE_LOG or a recorder.

    from turnwise_trl import Turnwise

    turnwise = Turnwise(run="grpo-qwen")
    trainer = GRPOTrainer(model=…, args=args, train_dataset=…,
                          reward_funcs=turnwise.rewards([accuracy, format_reward], weights=args.reward_weights),
                          callbacks=[turnwise])

Each process of a distributed run records the rollouts that it samples. Of a rollout: prompt, completion, token ids where
TRL passes them (from 0.19 on), each reward, their weighted sum, and the data set's columns `solution`, `answer` or
`ground_truth` and `id`. Metrics come from the trainer's log. A reward function is called exactly as before, and what it
returns or raises is passed on. TRL gives reward functions neither advantages nor entropies, so these are not recorded.

Facts, read in trl 1.9 at f2cd577: `_calculate_rewards` calls each function with `prompts`, `completions`,
`completion_ids`, the columns of the data set and `trainer_state` by keyword; a reward may be None.
"""
import functools
import hashlib
import inspect
import os
import sys

if os.path.dirname(os.path.abspath(__file__)) not in sys.path:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from turnwise_recorder import Recorder, bytes_of, own_tokenizer, tokens

TRUTHS = ("ground_truth", "solution", "answer")


class Turnwise:
    """A callback of transformers' Trainer that also wraps reward functions.

    run: id of the run; default: the trainer's run_name. recorder: where to, by default as the environment says.
    """

    def __init__(self, run=None, recorder=None, **about):
        self._run, self._about = run, about
        self._rec = recorder
        self._step = 0
        self._is_training = True  # without the callback every batch is one of the training
        self._is_in_loop = False
        self._worker = None
        self._completions = None
        self._batch = {}  # number of a function -> its rewards for these completions
        self._names = []

    def rewards(self, functions, weights=None):
        """The functions, wrapped. weights: as in GRPOConfig.reward_weights; default: 1 each."""
        functions = list(functions) if isinstance(functions, (list, tuple)) else [functions]
        self._names = []
        for n, function in enumerate(functions):
            name = unique = getattr(function, "__name__", "reward_%d" % n)
            others = 1
            while unique in self._names:
                others, unique = others + 1, "%s_%d" % (name, others + 1)
            self._names.append(unique)
        self._weights = list(weights) if weights else [1.0] * len(functions)
        # Reward models, given by name or as modules, are called in another way; TRL gets them as they are.
        self._callable = [callable(function) and not hasattr(function, "forward") for function in functions]
        return [self._wrapped(n, function) if self._callable[n] else function for n, function in enumerate(functions)]

    def _wrapped(self, number, function):
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def wrapped(*args, **kwargs):
                result = await function(*args, **kwargs)
                self._after(number, result, args, kwargs)
                return result
        else:
            @functools.wraps(function)
            def wrapped(*args, **kwargs):
                result = function(*args, **kwargs)
                self._after(number, result, args, kwargs)
                return result
        return wrapped

    def _after(self, number, result, args, kwargs):
        try:
            completions = kwargs["completions"] if "completions" in kwargs else args[1] if len(args) > 1 else None
            # A function may also be called by hand, and that call is no part of the next batch.
            if number in self._batch or not (completions is self._completions or completions == self._completions):
                self._batch = {}
            self._completions = completions
            self._batch[number] = result
            if len(self._batch) == sum(self._callable):
                batch, self._batch, self._completions = self._batch, {}, None
                self._record(batch, *args, **kwargs)
        except Exception as error:
            self._batch = {}
            self._recorder().failed("rewards", error)

    def _recorder(self, args=None, tokenizer=None):
        if self._rec is None:
            run = self._run or getattr(args, "run_name", None) or "trl"
            self._rec = Recorder(run=run, **dict({"tokenizer": own_tokenizer(tokenizer)}, **self._about))
        return self._rec

    def _record(self, batch, /, prompts, completions, completion_ids=None, trainer_state=None, **columns):
        rec = self._recorder()
        # Training rollouts belong to the update that they are sampled for.
        step = int(getattr(trainer_state, "global_step", self._step)) + (1 if self._is_training else 0)
        split = "train" if self._is_training else "eval"
        names, weights, worker = self._names, self._weights, self._worker

        # In v1.13 an environment may add a reward of its own, which the functions do not see.
        others = columns.get("environments") or [None] * len(completions)

        def row(i):
            parts = {names[n]: values[i] for n, values in batch.items()}
            # TRL leaves None and NaN out of the sum (`nansum`).
            known = [weights[n] * float(values[i]) for n, values in batch.items()
                     if values[i] is not None and values[i] == values[i]]
            is_whole = len(known) > 0 and len(batch) == len(names) and not hasattr(others[i], "get_reward")
            truth = next((columns[name][i] for name in TRUTHS if name in columns), None)
            identity = columns["id"][i] if "id" in columns else None
            said = completions[i]
            fields = {
                "split": split, "reward": sum(known) if is_whole else None, "rewards": parts,
                "problem": {"prompt": prompts[i], "ground_truth": truth, "id": identity},
                "messages" if isinstance(said, list) else "text": said,
                "timing": None if worker is None else {"worker": worker}}
            if completion_ids is not None:
                fields["tokens"] = tokens(ids=completion_ids[i])
            return [("rollout", fields)]

        groups = [_group(prompt) for prompt in prompts]
        rec.rows(step, [(group, None) for group in groups], row,
                 bytes_of([prompts, completions, completion_ids, columns]))

    # Methods of transformers.TrainerCallback, which only has to have them.

    def on_init_end(self, args, state, control, **kwargs):
        self._is_training = False  # until it begins, the user may call `evaluate()`
        self._worker = _worker_of(args)

    def on_train_begin(self, args, state, control, processing_class=None, model=None, **kwargs):
        rec = self._recorder(args, getattr(processing_class, "tokenizer", processing_class))
        if state.global_step > 0:
            rec.stage(state.global_step + 1, "resumed after step %d" % state.global_step, resumed=True)
        self._is_in_loop = True
        self._is_training = not getattr(args, "eval_on_start", False)

    def on_step_begin(self, args, state, control, **kwargs):
        self._step, self._is_training = state.global_step, True

    def on_step_end(self, args, state, control, **kwargs):
        self._is_training = not getattr(control, "should_evaluate", False)

    def on_evaluate(self, args, state, control, **kwargs):
        self._is_training = self._is_in_loop

    def on_log(self, args, state, control, logs=None, **kwargs):
        self._recorder(args).metric(state.global_step, logs or {})

    def on_train_end(self, args, state, control, **kwargs):
        self._is_in_loop = self._is_training = False
        self._recorder(args).flush()

    def __getattr__(self, name):
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)


def _worker_of(args):
    """The process, which samples its own rows unless a server of vLLM does it for all (`_generate_single_turn`)."""
    rank = getattr(args, "process_index", None)
    is_served = getattr(args, "use_vllm", False) and getattr(args, "vllm_mode", "server") == "server"
    return None if rank is None or is_served else "rank %d" % rank


def _group(prompt):
    """The same for equal prompts, in every process."""
    return hashlib.sha256(repr(prompt).encode("utf-8", "surrogatepass")).hexdigest()[:16]
