"""verl/experimental/separation/ray_trainer.py from v0.7.1 on (:488, :502), and its fully asynchronous trainer: it logs
under the version of the parameters, which `global_steps` runs ahead of (fully_async_trainer.py:783). The agent loops run
in the actor of the rollouter; their seconds come as columns (fully_async_policy/detach_utils.py, `addition_process`)."""
from common import STEPS, TRUTH, generate, objects, random_of
from verl.trainer.ppo.ray_trainer import RayPPOTrainer, compute_advantage, extract_reward
from verl.utils.tracking import Tracking


class FullyAsyncTrainer(RayPPOTrainer):
    def init_workers(self):  # does not call the base's
        from verl.trainer.ppo.ray_trainer import WorkerGroup
        self.actor_rollout_wg = self.actor_wg = WorkerGroup()
        self.current_param_version = 0

    def fit(self):
        self.logger = Tracking(project_name="test", experiment_name="skeleton")
        for self.global_steps in range(1, 2 * STEPS + 1):
            self.current_param_version = (self.global_steps + 1) // 2
            batch = self._from_queue()
            batch = self._fit_compute_reward(batch)
            batch = self._fit_compute_log_prob(batch)
            batch = compute_advantage(batch, adv_estimator="grpo")
            self.logger.log(data={"actor/entropy": self.current_param_version / 8}, step=self.current_param_version)

    def _from_queue(self):
        batch = generate(self.current_param_version)
        rows = TRUTH[-len(batch):]
        for row in rows:
            row["seconds"] = {"generate_sequences": random_of.randrange(64) / 8, "tool_calls": random_of.randrange(8) / 8}
        batch.non_tensor_batch.update(
            processing_times=objects([row["seconds"]["generate_sequences"] for row in rows]),
            tool_calls_times=objects([row["seconds"]["tool_calls"] for row in rows]))
        return batch

    def _fit_compute_reward(self, batch):
        reward_tensor, extras = extract_reward(batch)
        batch.batch["token_level_scores"] = reward_tensor
        batch.non_tensor_batch.update({name: objects(values) for name, values in extras.items()})
        return batch

    def _fit_compute_log_prob(self, batch):
        old_log_prob, _mfu = self._compute_old_log_prob(batch)
        return batch.union(old_log_prob)
