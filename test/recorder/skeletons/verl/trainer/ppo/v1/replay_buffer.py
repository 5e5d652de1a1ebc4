"""verl/trainer/ppo/v1/replay_buffer.py of v0.9.0: groups leave by `_evict_terminal_groups` (:328) or as a surplus
(:481), both through `_clear_groups` (:363)."""
import transfer_queue as tq


class ReplayBuffer:
    def __init__(self):
        self.partitions = {}

    def _clear_groups(self, partition_id, uids):
        tq.kv_clear(partition_id=partition_id,
                    keys=[key for key in self.partitions[partition_id] if key.split("_")[0] in uids])

    def _evict_terminal_groups(self, global_steps, partition_id, eviction_reasons=None):
        stale, equal, failed, _counts = eviction_reasons
        evicted = stale | equal | failed
        if evicted:
            self._clear_groups(partition_id, evicted)
        return evicted, len(stale), len(equal), {}

    def sample(self, global_steps, partition_id, batch_size, reasons):
        self.partitions[partition_id] = dict(tq.TAGS[partition_id])
        evicted = self._evict_terminal_groups(global_steps, partition_id, reasons)[0]
        uids = [uid for uid in dict.fromkeys(key.split("_")[0] for key in self.partitions[partition_id]) if uid not in evicted]
        if uids[batch_size:]:
            self._clear_groups(partition_id, set(uids[batch_size:]))
        keys = [key for key in self.partitions[partition_id] if key.split("_")[0] in uids[:batch_size]]
        return tq.KVBatchMeta(partition_id, keys, [tq.TAGS[partition_id][key] for key in keys])
