"""Turnwise hooks for verl and for rStar2-Agent's released trainer: what a batch holds, into the Turnwise log.

Needs `turnwise_recorder.py` beside it; imports neither torch nor verl. Python 3.8 or newer. Copy both next to the
trainer. Each hook takes the trainer's own DataProto and is one line; the hooks differ only in where they stand.

    from turnwise_recorder import Recorder
    from turnwise_verl import TrainerHooks, about

The released trainer, `fit` of `rstar2_agent/rstar2_agent_ray_trainer.py`, microsoft/rStar:

    # after `logger = Tracking(...)`
    fields = about(self.config, world_size=self.actor_rollout_wg.world_size, rule="release")
    hooks = TrainerHooks(Recorder("/shared/logs", run=self.config.trainer.experiment_name, **fields), self.tokenizer,
                         rule="release")
    # before, and right after, `batch, down_sampling_metrics = self._down_sample_batch(batch)`
    hooks.pool(self.global_steps, batch)
    hooks.decisions(self.global_steps, batch)
    # after `old_log_prob = self.actor_rollout_wg.compute_log_prob(batch)`, while it still has its entropys
    hooks.signals(self.global_steps, batch, old_log_prob)

Its scorers keep p_err and p_format to themselves. To log them as it computes them, give TrainerHooks
    scorers={"p_err": calc_error_ratio_penalty_weights, "p_format": calc_format_penalty_weights}
of `rstar2_agent.down_sample.roc`; without them Turnwise computes both from the text. `rule` is "release-first-week"
for a checkout from before 5 September 2025.

Plain verl v0.5.0 to v0.6.1, `fit` of `verl/trainer/ppo/ray_trainer.py`: `hooks` as above, without world_size and
rule. Later versions have these lines in other methods, where `hooks` is not defined.

    # after `batch = batch.union(gen_batch_output)`: the balancing that follows reorders the rows
    hooks.number(batch)
    # after `reward_tensor, reward_extra_infos_dict = compute_reward(batch, self.reward_fn)`
    hooks.pool(self.global_steps, batch, scores=reward_tensor)
    # after `old_log_prob = self.actor_rollout_wg.compute_log_prob(batch)`
    hooks.signals(self.global_steps, batch, old_log_prob)

With an asynchronous reward, `pool` goes after `reward_tensor, reward_extra_infos_dict = ray.get(future_reward)`;
lines may come in any order.

What is written: `uid` is the group; the index in the group is the order of appearance at `number`, or at `pool`
without it; the reward is the sum of `token_level_scores`; prompt and response are decoded with their special tokens,
unless the batch brings `prompt_text` and `response_text`. A row is kept if it came back from the down-sampling. Why
another did not is not in the batch, so no reason is written: equal rewards, quotas and the cut to a multiple of the
world size all look alike here, and Turnwise recomputes which it was.

What changes in the trainer: the batch gets one more non-tensor column, `turnwise_index`. A hook that fails prints its
traceback and lets the training go on, unless `strict=True`.
"""
import functools
import sys
import traceback

from turnwise_recorder import tokens

INDEX = "turnwise_index"
PARTS = ("p_err", "p_format", "penalty")


def _goes_on(hook):
    @functools.wraps(hook)
    def guarded(self, *args, **kwargs):
        try:
            hook(self, *args, **kwargs)
        except Exception:
            if self._strict:
                raise
            print("turnwise: %s() did not record all of this batch" % hook.__name__, file=sys.stderr)
            traceback.print_exc()
    return guarded


class TrainerHooks:
    """recorder: a Recorder. tokenizer: has decode(ids, skip_special_tokens). rule: of the decisions, if known.

    scorers: {"p_err" | "p_format" | "penalty": list of response texts -> a number each, or (numbers, metrics)}, run
    over the whole pool; a non-tensor column of that name in the batch is taken instead. temperature: of the entropies.
    """

    def __init__(self, recorder, tokenizer, rule=None, scorers=None, temperature=None, strict=False):
        self._rec = recorder
        self._tokenizer = tokenizer
        self._rule = rule
        self._scorers = scorers or {}
        self._entropy_of = {"kind": "full", "unit": "nats", "policy": "trainer"}
        if temperature is not None:
            self._entropy_of["temperature"] = temperature
        self._strict = strict
        self._pool = []
        self._pieces = {}

    @_goes_on
    def number(self, batch):
        """Numbers the rows of each group in their order now. Call it before anything reorders or drops rows."""
        self._number(batch)

    @_goes_on
    def pool(self, step, batch, scores=None):
        """Every rollout of the batch. scores: [rows, tokens], where the batch has no token_level_scores yet."""
        self._pool = []
        others = batch.non_tensor_batch
        if INDEX not in others:
            self._number(batch)
        scores = _column(batch, "token_level_scores") if scores is None else _host(scores)
        if scores is None:
            raise KeyError("the batch has no token_level_scores yet: give scores")
        said = [(ids, _cut(sampled, len(ids))) for ids, sampled in
                zip(_unpadded(batch, "responses"), _rows(batch, "response_mask"))]
        texts = [_cell(others, "response_text", i) or self._decode(ids) for i, (ids, _) in enumerate(said)]
        parts = {name: others[name] if name in others else _scored(self._scorers[name], texts)
                 for name in PARTS if name in others or name in self._scorers}
        columns = zip(said, texts, _unpadded(batch, "prompts"), _rows(batch, "rollout_log_probs"))
        for i, ((ids, mask), text, asked, logprob) in enumerate(columns):
            group, index = _address(others, i)
            self._rec.rollout(
                step=step, group=group, index=index, text=text, reward=float(sum(_list(scores[i]))),
                problem=_problem(others, i, _cell(others, "prompt_text", i) or self._decode(asked)),
                tokens=tokens(ids=ids, ends=self._ends(ids, text), mask=mask, logprob=_sampled_only(logprob, mask)))
            self._pool.append((group, index, {name: float(values[i]) for name, values in parts.items()}))

    @_goes_on
    def decisions(self, step, batch):
        """Which rows of the last pool() came back. batch: as the down-sampling returned it; None when nothing did."""
        others = {"uid": []} if batch is None else batch.non_tensor_batch
        kept = {_address(others, i) for i in range(len(others["uid"]))}
        unseen = kept - {(group, index) for group, index, _ in self._pool}
        if unseen:
            raise ValueError("%d rows that pool() did not see, the first is %s" % (len(unseen), sorted(unseen)[0]))
        for group, index, parts in self._pool:
            self._rec.decision(step=step, group=group, index=index, kept=(group, index) in kept, rule=self._rule,
                               **parts)

    @_goes_on
    def signals(self, step, batch, log_probs=None):
        """Entropy and log-probability of every token, and advantages if the batch has them by now.

        log_probs: what compute_log_prob returned, rows as in batch; left out when its columns are in the batch.
        """
        source = batch if log_probs is None else log_probs
        columns = zip(_unpadded(batch, "responses"), _rows(source, "entropys", batch),
                      _rows(source, "old_log_probs", batch), _rows(batch, "advantages"))
        for i, (ids, entropy, trainer_logprob, advantage) in enumerate(columns):
            group, index = _address(batch.non_tensor_batch, i)
            self._rec.signal(step=step, group=group, index=index, tokens=tokens(
                entropy=_cut(entropy, len(ids)), trainer_logprob=_cut(trainer_logprob, len(ids)),
                advantage=_cut(advantage, len(ids)), entropy_of=None if entropy is None else self._entropy_of))

    def _number(self, batch):
        seen = {}
        uids = batch.non_tensor_batch["uid"]
        indices = []
        for uid in uids:
            indices.append(seen.get(uid, 0))
            seen[uid] = indices[-1] + 1
        if hasattr(uids, "dtype"):  # a DataProto selects and reorders numpy columns only
            import numpy
            indices = numpy.array(indices, dtype=object)
        batch.non_tensor_batch[INDEX] = indices

    def _decode(self, ids):
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def _ends(self, ids, text):
        """UTF-16 end of every token; None when they do not spell the text. A character ends with its last token."""
        ends, spelled, at, waiting = [], [], 0, []
        for place, token in enumerate(ids):
            waiting.append(token)
            piece = self._piece(token) if len(waiting) == 1 else self._decode(waiting)
            # A replacement character is half a character, or one the policy wrote: that is not waited for forever.
            if "\ufffd" in piece and len(waiting) < 16 and place + 1 < len(ids):
                continue
            ends.extend([at] * (len(waiting) - 1))
            at += len(piece) if piece.isascii() else len(piece.encode("utf-16-le", "surrogatepass")) // 2
            ends.append(at)
            spelled.append(piece)
            waiting = []
        return ends if "".join(spelled) == text else None

    def _piece(self, token):
        if token not in self._pieces:
            self._pieces[token] = self._decode([token])
        return self._pieces[token]


def about(config, world_size=None, rule=None):
    """Fields of the run line out of the trainer's configuration (OmegaConf's, or nested mappings)."""
    rollout = "actor_rollout_ref.rollout."
    fields = {
        "model": _at(config, "actor_rollout_ref.model.path"),
        "limits": _known(max_response_tokens=_at(config, "data.max_response_length"),
                         max_turns=_at(config, rollout + "multi_turn.max_assistant_turns")),
        "sampling": _known(temperature=_at(config, rollout + "temperature"), n=_at(config, rollout + "n")),
        "down_sampling": _known(do_down_sampling=_at(config, "augmentation.do_down_sampling"), world_size=world_size,
                                rule=rule, **dict(_at(config, "augmentation.down_sampling_config") or {}))}
    return {name: value for name, value in fields.items() if value not in (None, {})}


def _column(batch, name):
    """On the host; None when the batch has none of that name."""
    return _host(batch.batch[name]) if name in batch.batch.keys() else None


def _host(column):
    return column.cpu() if hasattr(column, "cpu") else column


def _rows(batch, name, like=None):
    """The rows of a column as lists; as many None when there is no such column. Row by row: a batch is large."""
    column = _column(batch, name)
    for i in range(len((like or batch).non_tensor_batch["uid"])):
        yield None if column is None else _list(column[i])


def _unpadded(batch, name):
    """Token ids of the prompts (padded on the left) or the responses (on the right)."""
    for ids, given in zip(_rows(batch, name), _rows(batch, "attention_mask")):
        given = given[:len(ids)] if name == "prompts" else given[len(given) - len(ids):]
        yield [int(token) for token, is_given in zip(ids, given) if is_given]


def _cut(values, count):
    return None if values is None else values[:count]


def _sampled_only(logprob, mask):
    """verl fills the tokens of the tools with 0, but what nobody sampled has no log-probability."""
    return logprob if logprob is None or mask is None else [p if m else None for p, m in zip(logprob, mask)]


def _list(values):
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _address(others, i):
    if INDEX not in others:
        raise KeyError("the column %s is gone; the rows cannot be told apart" % INDEX)
    return str(others["uid"][i]), int(others[INDEX][i])


def _cell(others, name, i):
    return others[name][i] if name in others else None


def _scored(scorer, texts):
    scores = scorer(texts)
    return scores[0] if isinstance(scores, tuple) else scores


def _problem(others, i, prompt):
    source = _cell(others, "data_source", i)
    problem = {"prompt": prompt, "source": source,
               "ground_truth": (_cell(others, "reward_model", i) or {}).get("ground_truth")}
    index = (_cell(others, "extra_info", i) or {}).get("index")
    if source is not None and index is not None:  # an index counts within its source
        problem["id"] = "%s/%s" % (source, index)
    return {name: value for name, value in problem.items() if value is not None}


def _at(config, path):
    for name in path.split("."):
        config = config.get(name) if hasattr(config, "get") else None
    return config


def _known(**fields):
    return {name: value for name, value in fields.items() if value is not None}
