"""Two steps of OpenRLHF's experience maker (experience_maker.py at 89308a0), recorded through `install()`.

    python openrlhf.py DIRECTORY
"""
import os
import random
import sys
import types

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared", "recorder"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "skeletons"))
os.environ["TURNWISE_LOG"] = sys.argv[1]
import turnwise_openrlhf
from common import TOKENIZER, Column

chance = random.Random(3)


class Experience:
    """Position j of the action mask and of the log-probabilities belongs to token j + 1."""

    def __init__(self, prompt, said, truth, reward):
        prompt_ids, ids = TOKENIZER.encode(prompt), TOKENIZER.encode(said)
        padding = 3
        self.sequences = Column([prompt_ids + ids + [256] * padding])
        self.attention_mask = Column([[1] * (len(prompt_ids) + len(ids)) + [0] * padding])
        self.action_mask = Column([[0] * (len(prompt_ids) - 1) + [1] * len(ids) + [0] * padding])
        width = len(self.action_mask[0])
        self.action_log_probs = Column([[-(j % 8) / 8 for j in range(width)]])
        self.rollout_log_probs = None
        self.advantages = Column([[0.5 if sampled else 0.0 for sampled in self.action_mask[0]]])
        self.rewards, self.scores = [reward], [reward]
        self.prompts, self.labels = [prompt], [truth]
        self.info = {"response_clip_ratio": [False]}


module = types.ModuleType(turnwise_openrlhf.MODULE)


class RemoteExperienceMaker:
    tokenizer = TOKENIZER
    args = types.SimpleNamespace(wandb_run_name="openrlhf-run")

    def make_experience_batch(self, samples):
        return samples


module.RemoteExperienceMaker = RemoteExperienceMaker
sys.modules[turnwise_openrlhf.MODULE] = module
turnwise_openrlhf.install()
turnwise_openrlhf.install()
maker = RemoteExperienceMaker()
for step in range(2):
    samples = [Experience("6\u00d77?", said, "42", float(said == "42")) for said in ("42", "41", "forty \U0001f9ee")]
    assert maker.make_experience_batch(samples) is samples
