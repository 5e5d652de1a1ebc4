"""trl/trainer/grpo_trainer.py, `_calculate_rewards` (v1.9 at f2cd577; v1.13.0 :1636, environments with rewards of their own
:666), and the callbacks of transformers' Trainer around it: `on_step_end` after the step is counted, then the log, then the
evaluation. A process has the rows that it sampled (v1.13.0 :2839), except with vLLM's server.

Rows of a group are neighbours. A step has one generated batch or several; an evaluation has its own.
"""
import asyncio
import copy

from common import STEPS, TOKENIZER, TRUTH, Config, random_of, sample, tensor


class Function:
    """A reward function with random results: numbers, None and NaN, as a list, a tuple or a column."""

    def __init__(self, name, kind):
        self.__name__ = name
        self.kind = kind

    def of(self, completions):
        values = []
        for said in completions:
            value = random_of.choice([None, float("nan"), True, False, 1, random_of.randrange(-64, 64) / 64])
            if self.kind == "column":  # numpy has no None
                value = float("nan") if value is None else float(value)
            values.append(value)
        RESULTS.setdefault(id(completions), {})[self] = list(values)
        return {"list": list, "tuple": tuple, "column": tensor}[self.kind](values)


RESULTS = {}  # id of the completions -> function -> what it returned


def reward_functions():
    """As a user passes them: functions, asynchronous ones, and now and then a reward model."""
    made = []
    for number in range(random_of.randrange(1, 5)):
        one = Function(random_of.choice(["accuracy", "style", "length"]), random_of.choice(["list", "tuple", "column"]))
        if number > 0 and random_of.random() < 0.15:
            made.append(Model())
        elif random_of.random() < 0.3:
            async def asynchronous(prompts, completions, one=one, **kwargs):
                await asyncio.sleep(0)
                return one.of(completions)
            asynchronous.__name__, asynchronous.function = one.__name__, one
            made.append(asynchronous)
        else:
            def plain(prompts, completions, one=one, **kwargs):
                return one.of(completions)
            plain.__name__, plain.function = one.__name__, one
            made.append(plain)
    return made, random_of.choice([None, [random_of.randrange(1, 9) / 4 for _ in made]])


def train(turnwise):
    """A training of STEPS steps, whose launch script changes every two."""
    for first in range(0, STEPS, 2):
        originals, weights = reward_functions()
        wrapped = turnwise.rewards(originals, weights=weights)
        assert [hasattr(one, "forward") for one in wrapped] == [hasattr(one, "forward") for one in originals]
        trainer = GRPOTrainer(wrapped, originals, weights, [turnwise], range(first, min(first + 2, STEPS)))
        trainer.train()
    return trainer.state["global_step"]


class Model:
    """Stands for a reward model, which is called in another way."""

    def forward(self):
        raise AssertionError("the skeleton never calls it")

    __call__ = forward


class Plain:
    """Stands for an environment of a rollout."""


class Environment(Plain):
    def get_reward(self):
        raise AssertionError("TRL calls it after the functions")


class GRPOTrainer:
    def __init__(self, reward_funcs, originals, weights, callbacks, steps):
        self.reward_funcs, self.originals, self.weights, self.callbacks = reward_funcs, originals, weights, callbacks
        self.args = Config(run_name="skeleton", eval_on_start=random_of.random() < 0.5, process_index=random_of.randrange(8),
                           **random_of.choice([{}, {"use_vllm": True, "vllm_mode": "colocate"},
                                               {"use_vllm": True, "vllm_mode": "server"}]))
        self.has_environments = random_of.random() < 0.3
        self.state = Config(global_step=steps.start)  # as after a restart
        self.last = steps.stop
        self.control = Config(should_evaluate=False)
        # Columns of the data set, by the names that users give them.
        self.truth_column = random_of.choice(["solution", "answer", "ground_truth", None])
        self.has_ids = random_of.random() < 0.5
        self.is_conversational = random_of.random() < 0.5
        self._event("on_init_end")

    def _event(self, name, **kwargs):
        for callback in self.callbacks:
            getattr(callback, name)(self.args, self.state, self.control, **kwargs)

    def train(self):
        self._event("on_train_begin", processing_class=TOKENIZER)
        if self.args["eval_on_start"]:
            self.evaluate()
        self._event("on_epoch_begin")
        while self.state["global_step"] < self.last:
            self._event("on_step_begin")
            for _ in range(random_of.randrange(1, 3)):
                self._generate_and_score_completions("train")
                self._event("on_substep_end")
            self.state["global_step"] += 1
            self.control["should_evaluate"] = random_of.random() < 0.3
            self._event("on_step_end")
            self._event("on_log", logs={"loss": self.state["global_step"] / 8, "broken": float("nan")})
            if self.control["should_evaluate"]:
                self.evaluate()
        self._event("on_train_end")
        if random_of.random() < 0.5:  # a user's own call, after the training
            self.evaluate()

    def evaluate(self):
        for _ in range(random_of.randrange(1, 3)):
            self._generate_and_score_completions("eval")
        self._event("on_evaluate", metrics={})

    def _generate_and_score_completions(self, split):
        inputs, rows = [], []
        step = self.state["global_step"] + (split == "train")
        for _ in range(random_of.randrange(1, 4)):
            number = random_of.randrange(4)  # few, so that a data set has a prompt twice
            asked = "%d: 6\u00d77?" % number
            example = {"prompt": [{"role": "user", "content": asked}] if self.is_conversational else asked,
                       "difficulty": random_of.random()}
            if self.truth_column:
                example[self.truth_column] = "42"
            if self.has_ids:
                example["id"] = "q%d" % number
            for _ in range(random_of.randrange(1, 7)):
                inputs.append(example)
                text = random_of.choice(["", "42", "forty \U0001f9ee", None]) or self._completion()
                said = self._messages(text) if self.is_conversational else text
                line = {"split": split, "messages" if self.is_conversational else "text": copy.deepcopy(said),
                        "problem": {"prompt": example["prompt"], "id": example.get("id"),
                                    "ground_truth": "42" if self.truth_column else None}}
                if self.args.get("vllm_mode") != "server":
                    line["timing"] = {"worker": "rank %d" % self.args["process_index"]}
                rows.append({"step": step, "said": said, "line": line, "tokens": {"ids": TOKENIZER.encode(text)}})
        TRUTH.extend(rows)
        completions = [row["said"] for row in rows]
        self.environments = [random_of.choice([Environment, Plain])() for _ in rows] if self.has_environments else None
        self._calculate_rewards(inputs, [one["prompt"] for one in inputs], completions,
                                [row["tokens"]["ids"] for row in rows])
        self._truth(rows, RESULTS.pop(id(completions)))

    @staticmethod
    def _completion():
        return "".join(text for text, _ in sample()[0])

    @staticmethod
    def _messages(text):
        if random_of.random() < 0.5:
            return [{"role": "assistant", "content": text}]
        call = {"type": "function", "function": {"name": "python", "arguments": {"code": "6*7"}}}
        return [{"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "name": "python", "content": "42"}, {"role": "assistant", "content": text}]

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
        keys = [key for key in inputs[0] if key not in ["prompt", "completion", "completion_ids"]]
        reward_kwargs = {key: [example[key] for example in inputs] for key in keys}
        reward_kwargs.update(trainer_state=self.state, log_extra=lambda *_: None, log_metric=lambda *_: None)
        if self.environments is not None:
            reward_kwargs["environments"] = self.environments
        later = []
        for function in self.reward_funcs:
            if hasattr(function, "forward"):
                continue
            if asyncio.iscoroutinefunction(function):
                later.append(function)
            else:
                function(prompts=prompts, completions=completions, completion_ids=completion_ids_list, **reward_kwargs)

        async def gathered():
            return await asyncio.gather(*[function(prompts=prompts, completions=completions,
                                                   completion_ids=completion_ids_list, **reward_kwargs)
                                          for function in later])
        if later:
            asyncio.run(gathered())

    def _truth(self, rows, results):
        """`rewards_per_func`, and its weighted sum over the values that are known (`nansum`)."""
        weights = self.weights or [1.0] * len(self.originals)
        has_model = any(hasattr(function, "forward") for function in self.originals)
        for i, row in enumerate(rows):
            parts, known = {}, []
            has_other = has_model or (self.environments is not None and isinstance(self.environments[i], Environment))
            for function, weight in zip(self.originals, weights):
                if hasattr(function, "forward"):
                    continue
                value = results[function.function][i]
                name, again = function.__name__, 2
                while name in parts:
                    name, again = "%s_%d" % (function.__name__, again), again + 1
                parts[name] = None if value is None or value != value else value
                if parts[name] is not None:
                    known.append(weight * float(value))
            row["line"].update(rewards=parts, reward=None if has_other or not known else sum(known))
