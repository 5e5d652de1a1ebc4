"""Stands for the package TransferQueue: rows and tags by key. Nested tensors are lists of rows here, without padding."""
ROWS, TAGS = {}, {}


class KVBatchMeta:
    def __init__(self, partition_id, keys, tags):
        self.partition_id, self.keys, self.tags = partition_id, keys, tags


class Nested:
    """A column of rows of different lengths, as a jagged tensor is."""

    def __init__(self, rows):
        self._rows = rows

    def unbind(self):
        return tuple(self._rows)


def kv_batch_put(keys, partition_id, fields, tags):
    for key, row, tag in zip(keys, fields, tags):
        ROWS.setdefault(partition_id, {}).setdefault(key, {}).update(row)
        TAGS.setdefault(partition_id, {})[key] = tag


def kv_batch_get(keys, partition_id, select_fields):
    rows = [ROWS[partition_id][key] for key in keys]
    names = [name for name in select_fields if all(name in row for row in rows)]
    tensors = ("prompts", "responses", "response_mask", "loss_mask", "rm_scores", "entropy", "old_log_probs",
               "rollout_log_probs", "advantages")
    return {name: Nested([row[name] for row in rows]) if name in tensors else [row[name] for row in rows]
            for name in names}


def kv_clear(keys, partition_id):
    for key in keys:
        ROWS[partition_id].pop(key, None)
        TAGS[partition_id].pop(key, None)
