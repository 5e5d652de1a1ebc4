"""recipe/dapo/dapo_ray_trainer.py of v0.5.0 (:62 to :300), and of v0.6.1 and v0.7.0 (:87, :200, :217): groups with
equal metrics are dropped, batches are generated until enough are left, and the surplus is cut."""
from common import GROUPS, PER_GROUP, STEPS, DataProto, objects, truth_of
from verl.trainer.ppo.ray_trainer import RayPPOTrainer, compute_advantage
from verl.utils.tracking import Tracking


class RayDAPOTrainer(RayPPOTrainer):
    def fit(self):
        logger = Tracking(project_name="test", experiment_name="skeleton")
        self._load_checkpoint()
        for self.global_steps in range(1, STEPS + 1):
            batch = None
            while batch is None or len(batch) < GROUPS * PER_GROUP:
                new_batch = self.async_rollout_manager.generate_sequences(self.global_steps)
                reward_tensor, extras = self._reward(new_batch)
                new_batch.batch["token_level_scores"] = reward_tensor
                new_batch.non_tensor_batch.update({name: objects(values) for name, values in extras.items()})
                rewards = {}
                rows = truth_of(new_batch)
                for row in rows:
                    rewards.setdefault(row["uid"], set()).add(row["reward"])
                kept = [i for i, row in enumerate(rows) if len(rewards[row["uid"]]) > 1]
                for i, row in enumerate(rows):
                    row["kept"] = i in kept
                    row["reason"] = None if i in kept else "equal"
                if kept:
                    batch = DataProto.concat([batch, new_batch.select_idxs(kept)])
            for row in truth_of(batch)[GROUPS * PER_GROUP:]:
                row.update(kept=False, reason="surplus")
            batch = batch.select_idxs(list(range(GROUPS * PER_GROUP)))
            self._balance_batch(batch, metrics={})
            old_log_prob = self.actor_rollout_wg.compute_log_prob(batch)
            batch = batch.union(old_log_prob)
            batch = compute_advantage(batch, adv_estimator="grpo")
            logger.log(data={"actor/entropy": self.global_steps / 8}, step=self.global_steps)
