"""rstar2_agent/rstar2_agent_ray_trainer.py of microsoft/rStar at ecbfb94: the pool is down-sampled after the reward
(:235), an empty result does not raise the step (:237), and the log-probabilities are of the kept rows (:255)."""
import os
import re

from common import PER_GROUP, STEPS, TRUTH, config, objects, truth_of
from verl.trainer.ppo.ray_trainer import RayPPOTrainer, compute_advantage
from verl.trainer.ppo.reward import compute_reward
from verl.utils.tracking import Tracking

SETTINGS = {"reject_equal_reward": True, "roc_error_ratio": True, "roc_answer_format": True,
            "min_zero_reward_trace_num": 1, "min_non_zero_reward_trace_num": 1, "down_sample_to_n": 4}
FIRST_WEEK = os.environ.get("TURNWISE_RULE") == "release-first-week"


def penalty_of(text):
    blocks = re.findall(r"<tool_response>.*?</tool_response>", text, re.S)
    errors = sum("error" in block.lower() for block in blocks) / len(blocks) if blocks else 0.5
    return errors + (0.0 if "<|im_start|>assistant" in text else 1.0)


class RayRSTAR2AgentTrainer(RayPPOTrainer):
    def __init__(self):
        super().__init__(config=config(SETTINGS))

    def _down_sample_batch(self, batch):
        """Equal rewards out, cut to the world size, quotas and fewest penalties in each group, cut again."""
        world = self.actor_rollout_wg.world_size
        rows = truth_of(batch)
        groups = {}
        for i, row in enumerate(rows):
            groups.setdefault(row["uid"], []).append(i)
        pool = [i for members in groups.values() if len({rows[i]["reward"] for i in members}) > 1 for i in members]
        pool = pool[:len(pool) // world * world]
        kept = []
        for members in groups.values():
            kept += self._of_group([i for i in members if i in pool], rows)
        kept = sorted(kept)[:len(kept) // world * world]
        for i in range(len(rows)):
            rows[i]["kept"] = i in kept
        return (batch.select_idxs(kept) if kept else None), {}

    @staticmethod
    def _of_group(members, rows):
        target = SETTINGS["down_sample_to_n"]
        if len(members) <= target:
            return members if len(members) == target else []
        zeros = [i for i in members if rows[i]["reward"] <= 0]
        others = [i for i in members if rows[i]["reward"] > 0]
        k0, k1 = round(len(zeros) * target / len(members)), round(len(others) * target / len(members))
        least0, least1 = min(1, len(zeros)), min(1, len(others))
        if k0 < 1 and k1 < 1:
            return members
        if k0 <= least0:
            k0, k1 = least0, target - least0
        if k1 <= least1:
            k0, k1 = target - least1, least1
        assert k0 + k1 == target
        ranked = sorted(others, key=lambda i: penalty_of(rows[i]["text"]))
        if FIRST_WEEK:
            zeros = sorted(zeros, key=lambda i: penalty_of(rows[i]["text"]))
        return zeros[:k0] + ranked[:k1]

    def fit(self):
        logger = Tracking(project_name="test", experiment_name="skeleton")
        self._load_checkpoint()
        self._validate()
        self.global_steps += 1
        while self.global_steps <= STEPS:
            # Every tenth pool has equal rewards only, so that nothing of it comes back.
            batch = self.async_rollout_manager.generate_sequences(self.global_steps, uniform=len(TRUTH) // (3 * PER_GROUP) % 10 == 3)
            reward_tensor, extras = compute_reward(batch, self.reward_fn)
            batch.batch["token_level_scores"] = reward_tensor
            batch.non_tensor_batch.update({name: objects(values) for name, values in extras.items()})
            batch, _metrics = self._down_sample_batch(batch)
            if batch is None:
                continue
            self._balance_batch(batch, metrics={})
            old_log_prob = self.actor_rollout_wg.compute_log_prob(batch)
            old_log_prob.batch.pop("entropys")
            batch = batch.union(old_log_prob)
            batch = compute_advantage(batch, adv_estimator="grpo")
            logger.log(data={"actor/entropy": self.global_steps / 8}, step=self.global_steps)
            self.global_steps += 1
