"""A Dask cluster as anybody would start one: the same bits, also when its workers are killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings

import pytest

import doxeval as dx
from tests.robustness.sweeps import MEASURES, PYTHON, evaluated, kill_soon, same_bits, write_sweep

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")
PATIENCE = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """`dask scheduler` and two `dask worker`s on this machine."""
    place = f"127.0.0.1:{free_port()}"
    folder = tmp_path_factory.mktemp("dask")
    host, port = place.split(":")
    dask = [sys.executable, "-m", "dask"]
    commands = [[*dask, "scheduler", "--host", host, "--port", port, "--no-dashboard", "--no-jupyter"]]
    commands += [[*dask, "worker", f"tcp://{place}", "--nthreads", "1", "--no-dashboard"]] * 2
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    processes = [
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for command in commands
    ]
    try:
        with distributed.Client(f"tcp://{place}", timeout=PATIENCE) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
            yield place, client
    finally:
        for process in reversed(processes):
            kill_soon(process.pid, after=0)
            process.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    paths, qrels = write_sweep(tmp_path_factory.mktemp("sweep"), runs=16, results=1500)
    return paths, qrels, evaluated(paths, qrels)


def test_the_same_bits(cluster, sweep):
    paths, qrels, expected = sweep
    same_bits(evaluated(paths, qrels, executor=cluster[1].get_executor(pure=False)), expected)


def test_the_command_line_finds_it(cluster, sweep):
    paths, qrels, expected = sweep
    command = [
        PYTHON,
        "-m",
        "doxeval",
        "eval",
        *[path.name for path in paths],
        "-q",
        qrels.name,
        "-m",
        MEASURES,
    ]
    options = ["--executor", f"dask://{cluster[0]}", "-f", "csv"]
    done = subprocess.run(
        [*command, *options], cwd=qrels.parent, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"run3,all,AiP,{expected.value('run3', 'AiP')!r}" in done.stdout.splitlines()
    assert "are on this machine, where jobs (--jobs) are faster" in done.stderr


def test_documents_are_indexed_there(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("doxeval.io.documents.index.BLOCK_ENTRIES", 3)
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(10):
        (folder / f"d{number}.xml").write_text(f"<a><b>text {number}</b></a>")
    found = dx.index(folder, executor=cluster[1].get_executor(pure=False))
    expected = dx.index(folder)
    assert list(found.ids) == list(expected.ids) and list(found.text) == list(expected.text)


def pids_of_workers(client) -> list[int]:
    """The processes of both workers; one that was killed is listed until its death is noticed."""
    for _ in range(PATIENCE):
        try:
            client.wait_for_workers(2, timeout=PATIENCE)
            if len(pids := list(client.run(os.getpid).values())) == 2:
                return pids
        except OSError:
            pass
        time.sleep(1)
    raise TimeoutError("the cluster has not recovered")


@pytest.mark.parametrize("killed", [1, 2])
def test_killed_workers_lose_nothing(cluster, sweep, killed):
    """Dask's nannies start new workers; what was scattered to the old ones is scattered again."""
    paths, qrels, expected = sweep
    client = cluster[1]
    victims = pids_of_workers(client)[:killed]

    def kill() -> None:
        time.sleep(0.3)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = evaluated(paths, qrels, executor=client.get_executor(pure=False))
    killer.join()
    same_bits(scores, expected)


def test_a_scheduler_without_workers(sweep):
    paths, qrels, _ = sweep
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, protocol="tcp") as local:
        address = local.scheduler_address.replace("tcp://", "dask://")
        command = [
            PYTHON,
            "-m",
            "doxeval",
            "eval",
            str(paths[0]),
            "-q",
            str(qrels),
            "-m",
            "AiP",
            "--executor",
            address,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2 and "the scheduler has no workers" in done.stderr, done.stderr
