"""Calls reward functions as TRL 1.9 does (grpo_trainer.py, `_calculate_rewards` at f2cd577), for two steps and one
evaluation, and prints what came back.

    python trl.py DIRECTORY
"""
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared", "recorder"))
os.environ["TURNWISE_LOG"] = sys.argv[1]
from turnwise_trl import Turnwise


class Anything:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def accuracy(completions, solution, **kwargs):
    return [float(text_of(said) == truth) for said, truth in zip(completions, solution)]


def style(completions, **kwargs):
    return [0.25 if "!" in text_of(said) else None for said in completions]


def broken(completions, **kwargs):
    raise ValueError("the user's own")


def text_of(said):
    return said if isinstance(said, str) else said[0]["content"]


args = Anything(run_name="trl-run", eval_on_start=False)
state = Anything(global_step=0)
control = Anything(should_evaluate=False)
turnwise = Turnwise()
functions = turnwise.rewards([accuracy, style], weights=[1.0, 2.0])
assert [function.__name__ for function in functions] == ["accuracy", "style"]
returned = []


def reward(prompts, completions):
    ids = [list(text_of(said).encode()) for said in completions]
    for function in functions:
        returned.append(function(prompts=prompts, completions=completions, completion_ids=ids,
                                 solution=["42"] * len(prompts), id=["q1"] * len(prompts), trainer_state=state))


turnwise.on_init_end(args, state, control)
turnwise.on_train_begin(args, state, control, processing_class=None)
for step in range(2):
    turnwise.on_step_begin(args, state, control)
    reward(["6\u00d77?"] * 3, ["42", "41!", "42!"])
    state.global_step += 1
    control.should_evaluate = step == 1
    turnwise.on_step_end(args, state, control)
    turnwise.on_log(args, state, control, logs={"loss": 0.5, "grad_norm": float("nan")})
reward([[{"role": "user", "content": "6\u00d77?"}]], [[{"role": "assistant", "content": "42"}]])
turnwise.on_evaluate(args, state, control)
try:
    turnwise.rewards(broken)[0](completions=["x"])
except ValueError as error:
    returned.append(str(error))
turnwise.on_train_end(args, state, control)
print(json.dumps(returned))
