"""The same numbers wherever the work is done, and nothing lost when workers die."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

import pytest

import doxeval as dx
from doxeval.core.worker_tasks import run_tasks
from doxeval.core.workers import LocalProcesses, SharedData, WorkersDied, executor_at, workers_for
from doxeval.kernels import compiled
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.loader import RunLoader
from doxeval.scoring.sweep import threads_do
from tests.robustness.sweeps import IN_PROCESSES, MEASURES, Deadly, evaluated, same_bits, write_sweep


class Backwards(Executor):
    """An executor that finishes its tasks in the opposite order."""

    def __init__(self) -> None:
        self._max_workers = 3
        self.tasks: list = []

    def submit(self, function, /, *args, **kwargs):
        future: Future = Future()
        self.tasks.append((future, function, args))
        if len(self.tasks) >= 3:
            self.drain()
        return future

    def drain(self) -> None:
        while self.tasks:
            future, function, args = self.tasks.pop()
            future.set_result(function(*args))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    paths, qrels = write_sweep(tmp_path_factory.mktemp("sweep"))
    return paths, qrels, evaluated(paths, qrels)


@pytest.mark.parametrize("measures", [MEASURES, IN_PROCESSES], ids=["threads", "processes"])
def test_several_jobs_give_the_same_bits_and_notices(sweep, measures):
    paths, qrels, _ = sweep
    found, expected = evaluated(paths, qrels, measures, jobs=2), evaluated(paths, qrels, measures)
    same_bits(found, expected)
    assert list(map(str, found.notices)) == list(map(str, expected.notices))


@pytest.mark.skipif(not compiled(), reason="plain kernels hold the interpreter's lock")
def test_threads_score_what_does_not_hold_the_lock(sweep, tmp_path):
    paths, qrels, _ = sweep

    def threads(runs, *given, **options):
        evaluation = Evaluation(qrels, *given, **options)
        return threads_do(evaluation, evaluation.loaders(runs))

    native = tmp_path / "run.jsonl"
    dx.write_run(dx.read_run(paths[0]), native, format="native-run")
    assert threads(paths, MEASURES) and threads([dx.read_run(paths[0])], MEASURES)
    assert not threads(paths, IN_PROCESSES) and not threads([native], MEASURES)
    assert not threads(iter(paths), MEASURES) and not threads([*paths, Deadly(paths[0])], MEASURES)
    assert not threads(paths, MEASURES, [{"doc": "d1", "text": "x" * 1000}])


def test_threads_go_to_files_of_other_formats(sweep, tmp_path):
    paths, qrels, expected = sweep
    native = tmp_path / f"{paths[1].stem}.jsonl"
    dx.write_run(dx.read_run(paths[1]), native, format="native-run")
    same_bits(evaluated([paths[0], native, *paths[2:]], qrels, jobs=2), expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ThreadPoolExecutor(3),
        lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
        Backwards,
    ],
)
def test_any_executor_gives_the_same_bits(sweep, make):
    paths, qrels, expected = sweep
    with make() as executor:
        same_bits(evaluated(paths, qrels, executor=executor), expected)


def test_runs_in_memory_travel_too(sweep):
    paths, qrels, expected = sweep
    tables = [dx.read_run(path) for path in paths]
    same_bits(evaluated(tables, qrels, jobs=2), expected)


def test_an_index_travels_by_its_path(tmp_path):
    import pickle

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d1.txt").write_text("some text of a document " * 500)
    documents = dx.index(tmp_path / "docs", tmp_path / "docs.dox")
    packed = pickle.dumps(documents)
    assert len(packed) < 1000 < len(pickle.dumps(dx.index(tmp_path / "docs")))
    again = pickle.loads(packed)
    assert list(again.ids) == ["d1"] and again.text[0] == documents.text[0]
    (tmp_path / "docs.dox").unlink()
    with pytest.raises(dx.InputError, match="every worker must find the index"):
        pickle.loads(packed)


def test_documents_in_memory_travel_by_value():
    import pickle

    documents = dx.read_documents(
        [{"doc": "d", "length": 9, "nodes": [{"id": "a", "tag": "x", "start": 0, "end": 9}]}]
    )
    again = pickle.loads(pickle.dumps(documents))
    assert list(again.ids) == ["d"] and again.length.tolist() == [9] and again.index_path is None


def test_what_is_shared_is_packed_and_unpacked_once():
    import pickle

    shared = SharedData({"a": list(range(5))})
    one, other = pickle.loads(pickle.dumps(shared)), pickle.loads(pickle.dumps(shared))
    assert one is other and one.content == shared.content


@pytest.mark.parametrize("deaths", [1, 4])
def test_a_killed_worker_loses_nothing(sweep, tmp_path, deaths):
    paths, qrels, expected = sweep
    lives = tmp_path / "lives"
    lives.write_text(str(deaths))
    loaders = [RunLoader(path) if at != 2 else Deadly(path, lives=lives) for at, path in enumerate(paths)]
    evaluation = Evaluation(qrels, MEASURES, jobs=2)
    if deaths < 4:
        same_bits(evaluation.scores(loaders), expected)
    else:
        with pytest.raises(WorkersDied, match=r"run2\.fol: every process .* died"):
            evaluation.scores(loaders)
    assert lives.read_text() == "0"


def test_all_else_is_done_when_one_run_keeps_killing(sweep, tmp_path):
    paths, qrels, expected = sweep
    lives = tmp_path / "lives"
    lives.write_text("1000")
    loaders = [Deadly(path, lives=lives) if at == 0 else RunLoader(path) for at, path in enumerate(paths)]
    with pytest.raises(WorkersDied):
        Evaluation(qrels, MEASURES, jobs=2, store=tmp_path / "store").scores(loaders)
    kept = list((tmp_path / "store").glob("*/*.parquet"))
    assert len(kept) == len(paths) - 1
    lives.write_text("0")
    same_bits(Evaluation(qrels, MEASURES, store=tmp_path / "store").scores(loaders), expected)


def test_a_callers_broken_pool_is_replaced(sweep, tmp_path):
    paths, qrels, expected = sweep
    lives = tmp_path / "lives"
    lives.write_text("1")
    loaders = [Deadly(path, lives=lives) if at == 1 else RunLoader(path) for at, path in enumerate(paths)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        same_bits(Evaluation(qrels, MEASURES, executor=pool).scores(loaders), expected)


def test_an_error_of_the_work_is_no_death(sweep, tmp_path):
    paths, qrels, expected = sweep
    bad = tmp_path / "bad.fol"
    bad.write_text("no run at all\n" * 3)
    with pytest.warns(dx.DoxevalWarning, match=r"not scored: .*bad\.fol"):
        same_bits(dx.evaluate([*paths, bad], qrels, MEASURES, jobs=2), expected)
    with pytest.raises(dx.InputError, match=r"bad\.fol"):
        dx.evaluate([bad, bad], qrels, MEASURES, jobs=2)


def _slow_square(shared, item):
    time.sleep(0.02 * (item % 3))
    return shared * item * item


def test_in_order_or_as_finished():
    for ordered in (True, False):
        workers = workers_for(2, 1, ThreadPoolExecutor(4))
        found = list(run_tasks(workers, _slow_square, range(30), ordered=ordered))
        assert dict(found) == {item: 2 * item * item for item in range(30)}
        assert not ordered or [position for position, _ in found] == list(range(30))


def test_items_are_taken_only_a_few_ahead():
    taken = 0

    def items():
        nonlocal taken
        for item in range(1000):
            taken += 1
            yield item

    with ThreadPoolExecutor(2) as pool:
        work: Any = run_tasks(workers_for(1, 1, pool), _slow_square, items(), ordered=True)
        for _ in range(5):
            next(work)
        assert taken < 30
        work.close()


def _die_once(how, entries):
    from doxeval.io.documents.index import parse_block

    mark = Path(entries[0].path.parent.parent / "died")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return parse_block(entries, *how)


def test_an_index_survives_the_death_of_a_worker(tmp_path, monkeypatch):
    import doxeval.io.documents.index as module

    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(9):
        (folder / f"d{number}.xml").write_text(f"<a><b>text {number}</b><c>more</c></a>")
    expected = dx.index(folder)
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 2)
    monkeypatch.setattr(module, "_parse_with", _die_once)
    found = dx.index(folder, tmp_path / "docs.dox", jobs=2)
    assert (tmp_path / "died").exists()
    assert list(found.ids) == list(expected.ids) and found.end.tolist() == expected.end.tolist()


@pytest.mark.parametrize("address", ["dask", "dask://", "dusk://here:1", "tcp://here:1"])
def test_an_address_that_makes_no_sense(address):
    with pytest.raises(dx.UsageError, match="dask://host:port"), executor_at(address):
        pass


def _limit_of_lines(shared, item):
    from doxeval.io.limits import input_limits

    return input_limits().line


@pytest.mark.parametrize("given", [False, True], ids=["local processes", "a given executor"])
def test_workers_obey_limits_and_the_environment_is_left_alone(given, monkeypatch):
    from doxeval.core import settings
    from doxeval.io.limits import set_limit

    monkeypatch.setattr(settings, "_changed", {})
    monkeypatch.setenv("DOXEVAL_MAX_RATIO", "300")
    before = dict(os.environ)
    set_limit("line", "3M")
    executor = ProcessPoolExecutor(1, mp_context=get_context("spawn")) if given else None
    found = list(run_tasks(workers_for(None, 1, executor), _limit_of_lines, [1]))
    assert found == [(0, 3 << 20)] and dict(os.environ) == before and not settings.is_worker()


def _dies_while_it_tells(first, item):
    """The first of all workers kills itself in the middle of a result; no other does."""
    if item == 0 and not first.exists():
        first.touch()
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return _Slow()
    return item


class _Slow:
    def __reduce__(self):
        return bytes, (b"x" * (64 << 20),)


def test_a_worker_killed_in_the_middle_of_a_result(tmp_path, monkeypatch):
    monkeypatch.setattr("doxeval.core.worker_tasks.SECONDS_OF_SILENCE", 1)
    workers = workers_for(tmp_path / "first", jobs=2)
    assert sorted(run_tasks(workers, _dies_while_it_tells, range(4))) == [(at, at) for at in range(4)]


@pytest.mark.parametrize("broken", [True, False])
def test_a_worker_that_dies_while_another_starts_breaks_the_pool(broken: bool, monkeypatch):
    """The pool closes what it gives to new workers when one dies, perhaps while one is being started."""
    workers = LocalProcesses(2, None)

    def started() -> None:
        cast(Any, workers.pool)._broken = "a worker died" if broken else False
        raise OSError("handle is closed")

    monkeypatch.setattr(workers.pool, "_adjust_process_count", started)
    try:
        with pytest.raises(BrokenExecutor if broken else OSError):
            workers.submit(max, 1)
    finally:
        workers.close()
