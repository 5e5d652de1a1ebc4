"""What trainers do that the skeletons don't: each function is a check, and none of them may disturb its trainer.

    python hostile.py CHECK DIRECTORY
"""
import asyncio
import copy
import gc
import inspect
import os
import pickle
import sys
import threading
import weakref

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "skeletons"), HERE]
sys.path.append(os.environ.get("SKELETON_RECORDER") or os.path.join(HERE, "..", "..", "shared", "recorder"))


def started(version, trainer=None):
    """The skeleton's module of this version with the recorder attached, a trainer at step 1, and its recorder."""
    os.environ.update(SKELETON_VERSION=version, TURNWISE_LOG=DIRECTORY)
    import turnwise_verl
    from verl.trainer.ppo import ray_trainer
    one = (trainer(ray_trainer.RayPPOTrainer) if trainer else ray_trainer.RayPPOTrainer)()
    one.init_workers()
    one.global_steps = 1
    return ray_trainer, one, turnwise_verl._current[0].rec


def lines(rec, kind="rollout"):
    from run import read
    assert rec.flush()
    return [line for line in read(DIRECTORY) if line["type"] == kind]


def asynchronous():
    """verl's fully asynchronous trainer: Ray asks whether a method of an actor is a coroutine function."""
    finished = []

    def asynchronous_of(base):
        class Trainer(base):
            async def fit(self):
                await asyncio.sleep(0)
                finished.append(True)
                return "the trainer's"
        return Trainer
    _, trainer, _ = started("0.9", asynchronous_of)
    import turnwise_verl
    turnwise_verl.Session.finish = lambda session: finished.append("flushed")
    assert inspect.iscoroutinefunction(type(trainer).fit)
    assert asyncio.run(trainer.fit()) == "the trainer's"
    assert finished == [True, "flushed"], finished


def properties():
    def odd(base):
        class Trainer(base):
            @property
            def fit(self):
                return "a property"
        return Trainer
    assert started("0.5", odd)[1].fit == "a property"


def keywords():
    module, trainer, rec = started("0.5")
    batch = trainer.async_rollout_manager.generate_sequences(1)
    trainer._balance_batch(batch=batch, metrics={})
    module.compute_reward(data=batch, reward_fn=None)
    module.compute_advantage(data=batch)
    assert len(lines(rec)) == 18
    assert sum("advantage" in line for line in lines(rec, "decision")) == 18


def overrides():
    def overriding(base):
        class Trainer(base):
            def _maybe_log_val_generations(self, inputs, outputs, scores):
                super()._maybe_log_val_generations(inputs, outputs, scores)

            def _load_checkpoint(self):
                super()._load_checkpoint()
                self.global_steps = 3

            def _compute_or_extract_reward(self, batch, reward_fn=None, return_dict=False, sum_reward=False):
                return ray_trainer.compute_reward(batch, reward_fn)
        return Trainer
    ray_trainer, trainer, rec = started("0.7.0", overriding)
    trainer._validate()
    trainer._load_checkpoint()
    assert len(lines(rec)) == 3
    assert len(lines(rec, "stage")) == 1
    trainer._reward(trainer.async_rollout_manager.generate_sequences(1))
    assert len(lines(rec)) == 3 + 18


def validation():
    """From v0.7.1 on, validation calls the same function as training (ray_trainer.py, `_validate`)."""
    module, trainer, rec = started("0.9")
    batch = trainer.async_rollout_manager.generate_sequences(1)
    batch.meta_info["validate"] = True
    module.extract_reward(batch)
    assert lines(rec) == []


def remax():
    """v0.7.0 gives the greedy baseline to the same method, and repeats the rows of its batch afterwards."""
    _, trainer, rec = started("0.7.0")
    batch = trainer.async_rollout_manager.generate_sequences(1)
    trainer._compute_or_extract_reward(batch, reward_fn=None, sum_reward=True)
    assert lines(rec) == [] and "turnwise_index" not in batch.non_tensor_batch


def failing():
    """What waits for the writer is written when the training ends with an exception, and the exception is the same."""
    error = ValueError("the trainer's own")

    def failing_of(base):
        class Trainer(base):
            def fit(self):
                raise error
        return Trainer
    _, trainer, _ = started("0.5", failing_of)
    import turnwise_verl
    finished = []
    turnwise_verl.Session.finish = lambda session: finished.append(True)
    try:
        trainer.fit()
    except ValueError as caught:
        assert caught is error
    assert finished == [True]


def memory():
    """A trainer with advantages of its own (recipe/sppo): nothing tells that a batch is trained on."""
    module, trainer, rec = started("0.5")
    alive = []
    for trainer.global_steps in range(1, 6):
        batch = trainer.async_rollout_manager.generate_sequences(trainer.global_steps)
        module.compute_reward(batch, None)
        alive.append(weakref.ref(batch.batch["responses"]))
        del batch
    assert len(lines(rec)) == 5 * 18
    rec.metric(6, {})
    rec.flush()
    gc.collect()
    assert [one() is not None for one in alive] == [False] * 4 + [True]


def calls():
    """No argument makes a call raise."""
    from turnwise_recorder import Recorder
    with Recorder(DIRECTORY, run="calls") as rec:
        rec.rollout(step=None, group="g")
        rec.rollout(step=1, group="g", index=0, text=5, tokens={"ids": iter([1])})
        rec.rollout(group="g")
        rec.signal(1, "g", 0, 5)
        rec.decision("x", "g", 0)
        rec.metric(step=None, metrics=None)
        rec.stage(None, None)
        rec.rows(1, None, None)
        assert rec.records(None) is False
        rec.flush("soon")
        rec.rollout(step=1, group="g", index=1, text="said")
        assert rec.enabled
        # A text that is none is written as it is; the reader refuses it, with its line.
        assert [line["index"] for line in lines(rec)] == [0, 1]


def changed():
    """Callbacks take entries out of the metrics that they were given."""
    from turnwise_recorder import Recorder
    with Recorder(DIRECTORY, run="changed") as rec:
        held = threading.Event()
        rec._put(lambda: held.wait() and [])
        metrics = {"loss": 1.5}
        rec.metric(1, metrics)
        metrics.clear()
        held.set()
        assert lines(rec, "metric")[0]["metrics"] == {"loss": 1.5}


def threads():
    """A thread cannot be started while the interpreter ends, or above a limit of processes."""
    from turnwise_recorder import Recorder
    start = threading.Thread.start

    def refused(thread):
        raise RuntimeError("can't start new thread")
    threading.Thread.start = refused
    rec = Recorder(DIRECTORY, run="threads")
    for step in range(10):
        rec.metric(step, {"loss": 1})
    threading.Thread.start = start
    assert not rec.enabled and not rec._jobs
    rec.flush()
    rec.close()


def queue():
    """A directory that hangs: what waits is bounded, however the text is passed."""
    import turnwise_recorder
    gate = threading.Event()
    append = turnwise_recorder._File.append
    turnwise_recorder._File.append = lambda self, data: (gate.wait(), append(self, data))[1]
    long = "a" * 300000
    for number, how in enumerate([{"text": long}, {"messages": [{"role": "assistant", "content": long}]},
                                  {"text": "", "problem": {"prompt": long}}, {"text": "", "notes": [long]},
                                  {"text": "", "tokens": {"ids": [1] * 40000}}]):
        rec = turnwise_recorder.Recorder(DIRECTORY, run="queue-%d" % number, queue_bytes=8 << 20)
        for index in range(100):
            rec.rollout(1, "g", index, **how)
        assert rec._waiting_bytes <= 8 << 20, (how.keys(), rec._waiting_bytes)
        assert rec.lost["jobs"] > 60, (how.keys(), rec.lost)
        rec.enabled = False
    gate.set()


def exits():
    """Values that end the interpreter, or raise, where their text is asked for."""
    from turnwise_recorder import Recorder

    class Odd:
        def __init__(self, error):
            self.error = error

        def __str__(self):
            raise self.error
    rec = Recorder(DIRECTORY, run="exits")
    rec.rollout(1, "g", 0, text="a", note=Odd(SystemExit()))
    rec.rollout(1, "g", 1, text="b")
    assert [line["index"] for line in lines(rec)] == [1]
    assert rec.lost["rows"] == 1, rec.lost
    assert not Recorder(DIRECTORY, run=Odd(ValueError("no text"))).enabled


def tokenizer():
    """The log keeps its first lines when the tokenizer cannot be written."""
    from turnwise_recorder import Recorder

    class Broken:
        @property
        def backend_tokenizer(self):
            raise RuntimeError("Already borrowed")
    with Recorder(DIRECTORY, run="tokenizer", tokenizer=Broken(), model="m") as rec:
        rec.metric(1, {"loss": 1})
        assert [line["model"] for line in lines(rec, "run")] == ["m"]


def partial():
    """A shared file system that takes a part, and then neither the rest nor the truncation."""
    import json
    import turnwise_recorder
    system = type(sys)("os")
    system.__dict__.update(os.__dict__)
    turnwise_recorder.os = system

    def failing(*_):
        raise OSError("stale file handle")
    with turnwise_recorder.Recorder(DIRECTORY, run="partial") as rec:
        rec.metric(1, {"loss": 1})
        assert rec.flush()
        taken = []

        def part(fd, data, offset):
            if taken:
                raise OSError("stale file handle")
            taken.append(os.pwrite(fd, bytes(data)[:-2], offset))
            return taken[0]
        system.pwrite, system.ftruncate = part, failing
        rec._put(lambda: 3 * [rec._line("metric", {"step": 2, "metrics": {"a long name" * 20: 2}})])
        assert rec.flush()
        system.pwrite, system.ftruncate = os.pwrite, os.ftruncate
        rec.metric(3, {"x": 3})
    steps = []
    for name in os.listdir(DIRECTORY):
        with open(os.path.join(DIRECTORY, name)) as file:
            whole = [json.loads(line) for line in file.read().split("\n")[:-1]]  # nothing but the end may be a part
            steps += [line["step"] for line in whole if line["type"] == "metric"]
    # Two lines of the part are whole; they stay, and are counted as lost.
    assert sorted(steps) == [1, 2, 2, 3] and rec.lost["lines"] == 3, steps


def processes():
    """A process of multiprocessing that was forked ends without `atexit`."""
    import multiprocessing
    from turnwise_recorder import Recorder
    rec = Recorder(DIRECTORY, run="processes")
    child = multiprocessing.get_context("fork").Process(target=rec.metric, args=(1, {"child": 1}))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert [line["metrics"] for line in lines(rec, "metric")] == [{"child": 1}]


def borrowed():
    """A fast tokenizer that two threads use raises `Already borrowed`, and it may be the trainer that gets it."""
    from common import Tokenizer
    users = []

    class Watched(Tokenizer):
        def decode(self, ids, skip_special_tokens=True):
            users.append((id(self), threading.current_thread().name))
            return super().decode(ids, skip_special_tokens)
    module, trainer, rec = None, None, None

    def watched(base):
        class Trainer(base):
            def __init__(self):
                super().__init__(tokenizer=Watched())
        return Trainer
    module, trainer, rec = started("0.5", watched)
    module.compute_reward(trainer.async_rollout_manager.generate_sequences(1), None)
    assert len(lines(rec)) == 18
    assert len(users) > 0 and id(trainer.tokenizer) not in {user for user, _ in users}


def shipped():
    """Ray copies the class of an actor, functions and what they refer to. A copy works without the recorder."""
    import types
    module, trainer, _ = started("0.5")
    for function in (module.RayPPOTrainer.fit, trainer.actor_rollout_wg.compute_log_prob):
        cells = dict(zip(function.__code__.co_freevars, (cell.cell_contents for cell in function.__closure__)))
        inner = cells.pop("inner")
        assert callable(inner) and {name for name in function.__code__.co_names if name in function.__globals__} == set()
        copied = {name: pickle.loads(pickle.dumps(value)) for name, value in cells.items()}
        assert copied == {"hooks": False}, copied
        cells = tuple(types.CellType(dict(copied, inner=lambda *args: args)[name]) for name in function.__code__.co_freevars)
        copy_of = types.FunctionType(function.__code__, {"__builtins__": {}}, "copy", None, cells)
        assert copy_of(1, 2) == (1, 2)


def secrets():
    import json
    from turnwise_verl import about
    config = {"trainer": {"api_keys": ["hidden-1"], "auth": {"user": "me", "pass": "hidden-2"}, "passwd": "hidden-3",
                          "tracking_uri": "https://me:hidden-4@host/path", "headers": {"Authorization": "hidden-5"}},
              "data": {"max_token_len": 5, "tokenizer": {"padding": True}}}
    said = json.dumps(about(config))
    assert "hidden" not in said, said
    assert about(config)["config"]["data"] == {"max_token_len": 5, "tokenizer": {"padding": True}}
    assert "https://host/path" in said


def pickled():
    """A recorder inside of an object that goes to another process, or that is copied."""
    from turnwise_recorder import Recorder
    rec = Recorder(DIRECTORY, run="pickled", groups=1)
    rec.metric(1, {"loss": 1})
    for other in (pickle.loads(pickle.dumps(rec)), copy.deepcopy(rec)):
        other.metric(2, {"loss": 2})
        assert other.run == "pickled" and other._groups == 1 and other.flush()
        other.close()
    assert len(lines(rec, "metric")) == 3


def openrlhf():
    """A version whose experience maker has another method (v0.7 and before): its import succeeds."""
    import types
    os.environ["TURNWISE_LOG"] = DIRECTORY
    import turnwise_openrlhf
    module = types.ModuleType(turnwise_openrlhf.MODULE)
    module.RemoteExperienceMaker = type("RemoteExperienceMaker", (), {"make_experience_list": lambda self: []})
    sys.modules[turnwise_openrlhf.MODULE] = module
    turnwise_openrlhf.install()
    turnwise_openrlhf.attach(object())


def unpacked():
    """The last value before a pause cannot be packed; the lines before it are written."""
    import turnwise_recorder
    with turnwise_recorder.Recorder(DIRECTORY, run="unpacked") as rec:
        with rec._lock:  # the writer takes all jobs at once
            for step in range(5):
                rec._put(lambda step=step: [rec._line("metric", {"step": step, "metrics": {"x": 1}})])
            rec._put(lambda: 1 // 0)
        assert [line["step"] for line in lines(rec, "metric")] == [0, 1, 2, 3, 4]
        assert sum(rec.lost.values()) == 1, rec.lost


def removed():
    """A log that somebody removes or replaces during the training: what comes later is in a new file."""
    import shutil
    import turnwise_recorder
    with turnwise_recorder.Recorder(DIRECTORY, run="removed") as rec:
        rec.metric(1, {"x": 1})
        assert rec.flush()
        shutil.rmtree(DIRECTORY)
        rec.metric(2, {"x": 2})
        assert [line["step"] for line in lines(rec, "metric")] == [2]
        replaced = rec.path
        shutil.copy(replaced, replaced + "~")
        os.replace(replaced + "~", replaced)
        rec.metric(3, {"x": 3})
        assert sorted(line["step"] for line in lines(rec, "metric")) == [2, 3]
        # A file that is renamed is still its own, as of a rotation of logs.
        moved = rec.path
        os.rename(moved, moved + ".1")
        open(moved, "w").close()
        rec.metric(4, {"x": 4})
        assert rec.flush() and rec.path == moved and os.path.getsize(moved) == 0


def trl():
    """A reward function that is called by hand once, and a data set with a column `batch`."""
    os.environ["TURNWISE_LOG"] = DIRECTORY
    from turnwise_trl import Turnwise
    turnwise = Turnwise(run="by-hand")
    first, second = turnwise.rewards([lambda completions, **kwargs: [len(said) for said in completions],
                                      lambda completions, **kwargs: [-1.0 for _ in completions]])
    first(prompts=["p"], completions=["by hand"])
    for said in ("a", "bb", "ccc"):
        for function in (first, second):
            function(prompts=["p"], completions=[said], batch=[1])
    found = lines(turnwise._rec)
    assert [(line["text"], line["reward"]) for line in found] == [("a", 0), ("bb", 1), ("ccc", 2)], found


if __name__ == "__main__":
    DIRECTORY = sys.argv[2]
    globals()[sys.argv[1]]()
