"""openrlhf/trainer/ppo_utils/experience_maker.py at 89308a0 (v0.8): samples are padded to micro batches, in order or, with
`use_dynamic_batch`, by length; then come rewards, log-probabilities and advantages. From v0.9 on, an agent's sample has
several action ranges (`samples_generator.py`, `_process_response_into_experience`), and a field `truncated`.

Position j of the action mask, of log-probabilities and of advantages belongs to token j + 1 of the sequence.
"""
from common import STEPS, TOKENIZER, TRUTH, VERSION, Config, decoded, random_of, sample, tensor

PROMPT_MAX, GENERATE_MAX = 24, 400
OVERLONG_BUFFER, OVERLONG_FACTOR = 128, 1.0


class Experience:
    def __init__(self, **fields):
        self.__dict__.update(dict.fromkeys(["rollout_log_probs", "rewards", "scores"]), **fields)


class RemoteExperienceMaker:
    tokenizer = TOKENIZER
    args = Config(wandb_run_name="skeleton")

    def make_experience_batch(self, rollout_samples):
        samples_list = self.split_rollout_samples(rollout_samples)
        experiences = self.make_experience(samples_list)
        return self.compute_advantages_and_returns(experiences)

    def split_rollout_samples(self, rollout_samples):
        for i, one in enumerate(rollout_samples):
            one["index"] = i
        ordered = list(rollout_samples)
        if self.args["use_dynamic_batch"]:
            ordered.sort(key=lambda one: len(one["tokens"]))
        batches = []
        while ordered:
            size = random_of.randrange(1, 5)
            batches.append(self._padded(ordered[:size]))
            ordered = ordered[size:]
        return batches

    def _padded(self, samples):
        """`Experience.concat_experiences`: padded on the right, tokens with the padding token and the rest with 0."""
        wide = max(len(one["tokens"]) for one in samples)

        def column(name, width, filler):
            return tensor([one[name] + [filler] * (width - len(one[name])) for one in samples])
        clipped = [one["is_cut"] for one in samples]
        fields = {
            "index": [one["index"] for one in samples], "sequences": column("tokens", wide, 256),
            "attention_mask": tensor([[1] * len(one["tokens"]) + [0] * (wide - len(one["tokens"])) for one in samples]),
            "action_mask": column("action", wide - 1, 0), "prompts": [one["row"]["asked"] for one in samples],
            "labels": [one["row"]["line"]["problem"]["ground_truth"] for one in samples]}
        fields.update({"info": {"response_clip_ratio": clipped}} if VERSION < (0, 9) else
                      {"info": {}, "truncated": clipped})
        if self.args["enable_vllm_is_correction"]:
            fields["rollout_log_probs"] = column("rollout", wide - 1, 0.0)
            for one in samples:
                one["row"]["tokens"]["logprob"] = self._of_response(one["row"], one["rollout"])
        fields["rows"] = [one["row"] for one in samples]
        return Experience(**fields)

    def make_experience(self, samples_list):
        for batch in samples_list:
            width = len(batch.action_mask[0])
            logs = [[-random_of.randrange(64) / 64 for _ in range(width)] for _ in batch.rows]
            batch.action_log_probs = tensor(logs)
            for row, log in zip(batch.rows, logs):
                row["tokens"]["trainer_logprob"] = self._of_response(row, log)
            batch.rewards = [row["score"] for row in batch.rows]
            # `update_samples_with_rewards`: where the reward function gives no scores, both are the same tensor.
            batch.scores = list(batch.rewards) if self.args["scores_apart"] else batch.rewards
        return samples_list

    def compute_advantages_and_returns(self, experiences):
        for batch in experiences:
            width = len(batch.action_mask[0])
            columns = []
            for i, row in enumerate(batch.rows):
                if self.args["overlong_buffer_len"] is not None:
                    exceed = min(sum(row["tokens"]["mask"]) - (GENERATE_MAX - OVERLONG_BUFFER), OVERLONG_BUFFER)
                    if exceed > 0:
                        batch.rewards[i] += -exceed / OVERLONG_BUFFER * OVERLONG_FACTOR
                score = batch.scores[i]
                row["line"].update(reward=batch.rewards[i], rewards={"score": score})
                # A score that may hold a penalty says nothing of the answer.
                may_hold = batch.scores is batch.rewards and self.args["overlong_buffer_len"] is not None
                row["line"]["is_correct"] = score == 1 if score in (0, 1) and not may_hold else None
                value = random_of.randrange(1, 64) / 16
                values = [value * (1 + j % 2 if self.args["advantage_estimator"] == "gae" else 1) for j in range(width)]
                columns.append(values)
                said = self._of_response(row, values) or []
                known = {value for value in said if value is not None}
                if len(known) > 1:
                    row["tokens"]["advantage"] = said
                elif known:
                    row["decision"]["advantage"] = known.pop()
            batch.advantages = tensor(columns)
        return experiences

    @staticmethod
    def _of_response(row, values):
        """The values of the tokens that were sampled. They lie one position before their token."""
        first = row["first"]
        return [values[first + j - 1] if sampled else None for j, sampled in enumerate(row["tokens"]["mask"])]


def train(maker):
    """`ppo_trainer.fit`: a step has one batch."""
    for step in range(1, STEPS + 1):
        samples = []
        while not samples:
            samples = generate_samples(step)
        TRUTH.extend(one["row"] for one in samples)
        maker.args.update(use_dynamic_batch=random_of.random() < 0.5, scores_apart=random_of.random() < 0.5,
                          overlong_buffer_len=random_of.choice([None, OVERLONG_BUFFER]),
                          enable_vllm_is_correction=random_of.random() < 0.5,
                          advantage_estimator=random_of.choice(["gae", "rloo"]))
        maker.make_experience_batch(samples)
    return STEPS


def generate_samples(step):
    """Samples of a step: groups of random size. Groups whose rewards are equal may be dropped (dynamic filtering)."""
    samples = []
    for _ in range(random_of.randrange(1, 4)):
        asked = "%d: 6\u00d77?" % random_of.randrange(4)
        if random_of.random() < 0.1:
            asked += " and so on" * 60  # no room for a response
        group = [_sample(step, asked) for _ in range(random_of.randrange(1, 7))]
        if random_of.random() < 0.5 and len({one["row"]["score"] for one in group}) == 1:
            continue
        samples += group
    return samples


def _sample(step, asked):
    prompt = TOKENIZER.encode(asked)
    parts, right = sample()
    if random_of.random() < 0.2:
        parts = [("forty \U0001f9ee", 1)]
    if random_of.random() < 0.1:
        parts = [("very " * 100, 1)]
    if VERSION < (0, 9):  # no tools
        parts = [part for part in parts if part[1]]
    ids, mask = [], []
    for text, sampled in parts:
        ids += TOKENIZER.encode(text)
        mask += [sampled] * len(TOKENIZER.encode(text))
    limit = PROMPT_MAX + GENERATE_MAX
    tokens = (prompt + ids)[:limit]
    prompt, ids, mask = tokens[:len(prompt)], tokens[len(prompt):], mask[:max(0, limit - len(prompt))]
    rollout = [0.0] * len(prompt) + [-random_of.randrange(64) / 64 if sampled else 0.0 for sampled in mask]
    is_cut = len(tokens) == limit
    line = {"split": "train", "text": decoded(ids),
            "problem": {"prompt": decoded(prompt),
                        "ground_truth": random_of.choice(["42", None])},
            "stop_reason": "length" if is_cut else None}
    row = {"step": step, "asked": asked, "first": len(prompt), "score": random_of.choice([float(right), 0.5, -1.0]),
           "line": line, "tokens": {"ids": ids, "mask": mask}, "decision": {}}
    return {"tokens": tokens, "action": ([0] * len(prompt) + mask)[1:limit], "rollout": rollout[1:limit], "row": row,
            "is_cut": is_cut}
