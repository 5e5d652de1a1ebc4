"""verl/trainer/ppo/v1/trainer_base.py of v0.9.0: `trainer.use_v1` is the default (main_ppo.py:184). The loop has keys and
tags; tensors stay in the TransferQueue until the step ends (:487). Padding rows are appended before the balancing."""
import transfer_queue as tq
from transfer_queue import KVBatchMeta

from common import GROUPS, PER_GROUP, STEPS, TOKENIZER, TRUTH, config, generate, random_of
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer
from verl.utils.tracking import Tracking


class PPOTrainer:
    def __init__(self):
        self.config = config()
        self.tokenizer = TOKENIZER
        self.replay_buffer = ReplayBuffer()
        self.global_steps = 0

    def _maybe_log_val_generations(self, inputs, outputs, scores):
        pass

    def fit(self):
        self.logger = Tracking(project_name="test", experiment_name="skeleton")
        self._maybe_log_val_generations(inputs=["6\u00d77?"], outputs=["42"], scores=[1.0])
        for self.global_steps in range(1, STEPS + 1):
            batch = self._compute_old_log_prob(self._balance_batch(self._generate(), metrics={}), metrics={})
            batch = self._compute_advantage(batch, metrics={})
            self._compute_metrics(batch, {}, {}, self.global_steps, 0)
            tq.kv_clear(keys=batch.keys, partition_id=batch.partition_id)
            self.logger.log(data={"actor/entropy": self.global_steps / 8}, step=self.global_steps)

    def _generate(self):
        """Groups of sessions; some sessions have a second output. One group is stale, some are equal, one is too much."""
        generate(self.global_steps, groups=GROUPS + 2)
        rows = [row for row in TRUTH if row["step"] == self.global_steps]
        uids = list(dict.fromkeys(row["uid"] for row in rows))
        for row in list(rows):
            row["part"] = None
            if random_of.random() < 0.2:
                row["part"] = 0
                text = "a second output<|im_end|>"
                ids = TOKENIZER.encode(text)
                second = dict(row, part=1, text=text, ids=ids, mask=[1] * len(ids))
                rows.insert(rows.index(row) + 1, second)
                TRUTH.append(second)
        for row in rows:
            row["rewards"] = {"acc": row["reward"]}
            row["rollout_logprob"] = [-random_of.randrange(64) / 64 if sampled else 0.0 for sampled in row["mask"]]
            row["seconds"] = {"generate_sequences": random_of.randrange(64) / 8}
        stale = {uids[0]}
        equal = {uid for uid in uids[1:-1] if len({row["reward"] for row in rows if row["uid"] == uid}) == 1}
        left = [uid for uid in uids if uid not in stale | equal]
        for row in rows:
            uid = row["uid"]
            row["kept"] = uid in left[:GROUPS]
            row["reason"] = ("stale" if uid in stale else "equal" if uid in equal
                             else None if row["kept"] else "surplus")
        fields = [{
            "prompts": TOKENIZER.encode(row["prompt"]), "responses": row["ids"], "response_mask": list(row["mask"]),
            "loss_mask": row["mask"], "rm_scores": [0.0] * (len(row["ids"]) - 1) + [row["reward"]], "num_turns": 2,
            "reward_model": {"ground_truth": "42"}, "data_source": "example", "extra_info": {"index": row["index"]},
            "extra_fields": {"reward_extra_info": row["rewards"]}, "metrics": row["seconds"],
            "rollout_log_probs": row["rollout_logprob"]} for row in rows]
        keys = ["%s_%d_%d" % (row["uid"], row["ordinal"], row["part"] or 0) for row in rows]
        tq.kv_batch_put(keys, "train", fields, [{} for _ in keys])
        return self.replay_buffer.sample(self.global_steps, "train", GROUPS, (stale, equal, set(), {}))

    def _balance_batch(self, batch, metrics):
        key = "pad%032x_0_0" % 0
        tq.kv_batch_put([key], "train", [dict(tq.ROWS["train"][batch.keys[0]], responses=[256])], [{"is_padding": True}])
        keys = batch.keys + [key]
        random_of.shuffle(keys)
        return KVBatchMeta("train", keys, [tq.TAGS["train"][key] for key in keys])

    def _compute_old_log_prob(self, batch, metrics):
        for key in batch.keys:
            row = self._truth(key)
            if row is None:
                tq.ROWS["train"][key].update(entropy=[9.0], old_log_probs=[-9.0])
                continue
            row["entropy"] = [random_of.randrange(64) / 32 for _ in row["ids"]]
            row["trainer_logprob"] = [-random_of.randrange(64) / 64 for _ in row["ids"]]
            tq.ROWS["train"][key].update(entropy=row["entropy"], old_log_probs=row["trainer_logprob"])
        return batch

    def _compute_advantage(self, batch, metrics):
        for key in batch.keys:
            row = self._truth(key)
            if row is not None:
                row["advantages"] = [random_of.randrange(64) / 16 * sampled for sampled in row["mask"]]
            tq.ROWS["train"][key]["advantages"] = [0.0] if row is None else row["advantages"]
            # Rollout correction rewrites the response mask; `loss_mask` keeps the original.
            tq.ROWS["train"][key]["response_mask"] = [0] * len(tq.ROWS["train"][key]["responses"])
        return batch

    def _truth(self, key):
        uid, session, output = key.rsplit("_", 2)
        return next((row for row in TRUTH if row["uid"] == uid and row["ordinal"] == int(session)
                     and (row["part"] or 0) == int(output)), None)

    def _compute_metrics(self, batch, metrics, timing_raw, global_steps, epoch):
        pass
