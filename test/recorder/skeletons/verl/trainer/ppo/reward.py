"""verl/trainer/ppo/reward.py: `compute_reward` up to v0.7.0, `extract_reward` from v0.7.1 on."""
from common import VERSION, score

if VERSION < (0, 7, 1):
    def compute_reward(data, reward_fn):
        return score(data)
else:
    def extract_reward(batch):
        return score(batch)
