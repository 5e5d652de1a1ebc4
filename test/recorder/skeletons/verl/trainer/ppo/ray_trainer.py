"""verl/trainer/ppo/ray_trainer.py: the call order of `fit` in v0.5.0 (:1095 to :1300), v0.6.1, v0.7.0, v0.7.1 and the
legacy trainer of v0.8.0 and v0.9.0."""
import os

from common import STEPS, TOKENIZER, VERSION, DataProto, advantage_of, config, log_probs, objects, random_of, reject
from verl.experimental.agent_loop.agent_loop import AgentLoopManager
from verl.trainer.ppo import reward as rewards
from verl.utils.tracking import Tracking

if VERSION < (0, 7, 1):
    from verl.trainer.ppo.reward import compute_reward
else:
    from verl.trainer.ppo.reward import extract_reward


def compute_advantage(data, adv_estimator=None, **kwargs):
    data.batch["advantages"] = advantage_of(data)
    return data


class WorkerGroup:
    world_size = int(os.environ.get("SKELETON_WORLD", "4"))

    def compute_log_prob(self, batch):
        entropies, logs = log_probs(batch)
        return DataProto({"old_log_probs": logs, "entropys": entropies})


class RayPPOTrainer:
    def __init__(self, config=config(), tokenizer=TOKENIZER):
        self.config = config
        self.tokenizer = tokenizer
        self.reward_fn = object()
        self.global_steps = 0

    def init_workers(self):
        self.actor_rollout_wg = WorkerGroup()
        self.async_rollout_manager = AgentLoopManager()

    def _load_checkpoint(self):
        self.global_steps = int(os.environ.get("SKELETON_RESUME", "0"))

    def _balance_batch(self, batch, metrics, logging_prefix="global_seqlen"):
        order = list(range(len(batch)))
        random_of.shuffle(order)
        batch.reorder(order)

    def _maybe_log_val_generations(self, inputs, outputs, scores):
        pass

    def _validate(self):
        self._maybe_log_val_generations(inputs=["6\u00d77?", "6\u00d77?", "1+1?"], outputs=["42", "41", "2"], scores=[1.0, 0.0, 1.0])

    def fit(self):
        logger = Tracking(project_name="test", experiment_name="skeleton")
        self._load_checkpoint()
        self._validate()
        for self.global_steps in range(self.global_steps + 1, STEPS + 1):
            batch = self.async_rollout_manager.generate_sequences(self.global_steps)
            self._balance_batch(batch, metrics={})
            reward_tensor, extras = self._reward(batch)
            if VERSION < (0, 7):
                old_log_prob = self.actor_rollout_wg.compute_log_prob(batch)
            else:
                old_log_prob, _mfu = self._compute_old_log_prob(batch)
            old_log_prob.batch.pop("entropys")
            batch = batch.union(old_log_prob)
            batch.batch["token_level_scores"] = reward_tensor
            batch.non_tensor_batch.update({name: objects(values) for name, values in extras.items()})
            if VERSION >= (0, 6, 1):
                reject(batch)
            batch = compute_advantage(batch, adv_estimator="grpo")
            logger.log(data={"actor/entropy": self.global_steps / 8, "name": "text"}, step=self.global_steps)

    def _reward(self, batch):
        if VERSION < (0, 7):
            return compute_reward(batch, self.reward_fn)
        if VERSION < (0, 7, 1):
            return self._compute_or_extract_reward(batch, reward_fn=self.reward_fn)
        return extract_reward(batch)

    if VERSION >= (0, 7):
        def _compute_old_log_prob(self, batch):
            return self.actor_rollout_wg.compute_log_prob(batch), 0.5

    if (0, 7) <= VERSION < (0, 7, 1):
        def _compute_or_extract_reward(self, batch, reward_fn=None, return_dict=False, sum_reward=False):
            from common import score
            return score(batch)
