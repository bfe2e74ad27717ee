"""How the sidecar's process starts, tells of itself, and ends, whatever happens to the game and to the disk."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runtime.client import start_sidecar
from runtime.messages import READY

ROOT = Path(__file__).resolve().parents[2]
MIRA = {"id": "smith", "name": "Mira", "role": "blacksmith"}
ASK = {"type": "ask", "npc": MIRA, "text": "What do you sell?"}
LONG_ASK = ASK | {"steps": 1000, "max_tokens": 2000, "seed": 1, "sampler": "reference"}
WAIT_S = 30.0

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="uses signals, or limits of a process, of POSIX")
with_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")


class Process:
    """`python -m runtime.serve` with these arguments."""

    def __init__(self, *arguments, environ=(), **options):
        command = [sys.executable, "-P", "-m", "runtime.serve", *map(str, arguments)]
        self.child = subprocess.Popen(
            command,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **dict(environ)},
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
            encoding="utf-8",
        )
        self.pid = self.child.pid

    def ready(self):
        """The facts of its READY line."""
        line = self.child.stdout.readline()
        assert line.startswith(READY), line + self.child.stderr.read()
        return json.loads(line.removeprefix(READY))

    def ends(self, wait_s=WAIT_S):
        """Its exit code, and what it had still to say on standard error."""
        code = self.child.wait(wait_s)
        return code, self.child.stderr.read() if self.child.stderr is not None else ""

    def close(self):
        self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


@pytest.fixture
def serve(patient_bundle):
    """Starts sidecars on the tiny model."""
    with contextlib.ExitStack() as cleanup:

        def serve(*arguments, model=patient_bundle, **options):
            process = Process("--model", model, *arguments, **options)
            cleanup.callback(process.close)
            return process

        yield serve


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def complaint(process):
    """The exit code of a sidecar that did not start, and the one line on its standard error."""
    code, said = process.ends()
    assert process.child.stdout.read() == ""
    (line,) = said.splitlines()
    assert line.startswith("error: ")
    return code, line


def test_the_ready_line_is_the_only_one_and_comes_before_the_model(serve, connect):
    process = serve()
    facts = process.ready()
    assert facts == {"port": facts["port"], "version": "0.1.0", "protocol": 1, "pid": process.pid}
    talker = connect(facts["port"]).hello()
    assert talker.asks(ASK | {"request": 2, "max_tokens": 2})["type"] == "line"
    assert talker.asks({"type": "bye", "request": 3}) == {"type": "ok", "request": 3}
    assert process.ends() == (0, "")
    assert process.child.stdout.read() == ""


@on_posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_and_every_open_ask_with_an_answer(serve, connect, number):
    process = serve()
    port = process.ready()["port"]
    talkers = [connect(port).hello() for _ in range(2)]
    for talker in talkers:
        for request in (2, 3):
            talker.say(LONG_ASK | {"request": request})
        assert talker.asks({"type": "ping", "request": 4})["type"] == "pong"
    process.child.send_signal(number)
    started_s = time.monotonic()
    for talker in talkers:
        ends = [talker.hear() for _ in range(2)]
        assert [(end["request"], end["code"]) for end in ends] == [(2, "shutting-down"), (3, "shutting-down")]
    assert process.ends() == (0, "")
    # It takes milliseconds; a busy machine may need more.
    assert time.monotonic() - started_s < 5.0


def test_bye_ends_the_open_asks_of_all_clients(serve, connect):
    process = serve()
    port = process.ready()["port"]
    one, two = connect(port).hello(), connect(port).hello()
    two.say(LONG_ASK | {"request": 2})
    assert two.asks({"type": "ping", "request": 3})["type"] == "pong"
    assert connect(port).asks({"type": "bye", "request": 1})["code"] == "hello-first"
    one.say(LONG_ASK | {"request": 5})
    assert one.asks({"type": "bye", "request": 6}) == {"type": "ok", "request": 6}
    for talker, request in ((one, 5), (two, 2)):
        end = talker.hear()
        assert (end["request"], end["code"]) == (request, "shutting-down")
    assert process.ends() == (0, "")


def test_it_ends_when_standard_input_is_closed(serve):
    process = serve("--stdio-guard")
    process.ready()
    process.child.stdin.write("whatever is said here is not heard\n")
    process.child.stdin.flush()
    assert process.child.poll() is None
    process.child.stdin.close()
    assert process.child.wait(WAIT_S) == 0


def test_it_ends_before_it_is_ready_when_standard_input_is_closed_from_the_start(serve):
    process = serve("--stdio-guard", stdin=subprocess.DEVNULL)
    assert process.ends()[0] == 0


def test_it_ends_with_its_parent_even_while_it_loads(serve):
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        process = serve("--parent-pid", parent.pid)
        process.ready()
        assert process.child.poll() is None
        parent.kill()
        assert process.ends() == (0, "")
        # It is gone now, but the system still knows its number until somebody asks after it.
        assert serve("--parent-pid", parent.pid).ends()[0] == 0
        parent.wait()
        assert serve("--parent-pid", parent.pid).ends()[0] == 0
    finally:
        parent.kill()
        parent.wait()
        parent.stdin.close()


def test_a_ready_file_tells_the_same_and_is_gone_at_the_end(serve, tmp_path):
    path = tmp_path / "ready.json"
    path.write_text('{"port": 1, "pid": 1}', encoding="utf-8")
    process = serve("--ready-file", path)
    facts = process.ready()
    assert json.loads(path.read_text(encoding="utf-8")) == facts
    assert files_in(tmp_path) == ["ready.json"]
    process.child.terminate()
    process.ends()
    if sys.platform != "win32":
        assert files_in(tmp_path) == []


def test_a_stale_ready_file_is_gone_as_soon_as_a_new_sidecar_starts(serve, tmp_path):
    path = tmp_path / "ready.json"
    path.write_text('{"port": 1, "pid": 1}', encoding="utf-8")
    assert complaint(serve("--ready-file", path, model=tmp_path / "nowhere"))[0] == 1
    assert not path.exists()


@on_posix
def test_a_ready_file_of_another_sidecar_is_left_alone(serve, tmp_path):
    path = tmp_path / "ready.json"
    first, second = serve("--ready-file", path), None
    first.ready()
    second = serve("--ready-file", path)
    facts = second.ready()
    first.child.terminate()
    assert first.ends()[0] == 0
    assert json.loads(path.read_text(encoding="utf-8")) == facts


def test_a_ready_file_that_cannot_be_written_is_an_error(serve, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, line = complaint(serve("--ready-file", tmp_path / "file" / "ready.json"))
    assert code == 1
    assert "ready.json cannot be written" in line


@with_full_device
def test_a_full_disk_stops_the_ready_file_and_leaves_nothing_behind(serve, tmp_path):
    import resource

    def nothing_may_be_written():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    process = serve("--ready-file", tmp_path / "ready.json", preexec_fn=nothing_may_be_written)
    assert process.ends()[0] == 1
    assert files_in(tmp_path) == []


@with_full_device
def test_without_a_ready_file_somebody_has_to_read_the_ready_line(serve, tmp_path):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        process = serve(stdout=full)
        code, said = process.ends()
        assert code == 1
        assert "the READY line cannot be written" in said
        path = tmp_path / "ready.json"
        process = serve("--ready-file", path, stdout=full)
        ends_s = time.monotonic() + WAIT_S
        while not path.exists():
            assert time.monotonic() < ends_s
            time.sleep(0.01)
        process.child.terminate()
        assert process.ends()[0] == 0


def test_a_secret_comes_from_the_environment_or_a_file_and_is_asked_for(serve, connect, tmp_path):
    path = tmp_path / "secret"
    path.write_text("of the file\n", encoding="utf-8")
    process = serve("--secret-file", path, environ={"PALAVER_SECRET": "of the environment"})
    port = process.ready()["port"]
    stranger = connect(port)
    assert stranger.asks({"type": "ping", "request": 1})["type"] == "pong"
    for wrong in ({}, {"secret": "of the environment"}, {"secret": "óf the file"}, {"secret": None}):
        reply = stranger.asks({"type": "hello", "request": 2, "protocol": 1, **wrong})
        assert (reply["request"], reply["code"]) == (2, "wrong-secret")
        assert "of the file" not in reply["message"] + reply["hint"]
    assert stranger.asks(ASK | {"request": 3})["code"] == "hello-first"
    stranger.hello(secret="of the file")
    process = serve(environ={"PALAVER_SECRET": "of the environment"})
    connect(process.ready()["port"]).hello(secret="of the environment")


@pytest.mark.parametrize("content", ["", "x" * 201], ids=["empty", "too long"])
def test_a_file_without_a_secret_is_an_error(serve, tmp_path, content):
    path = tmp_path / "secret"
    path.write_text(content, encoding="utf-8")
    code, line = complaint(serve("--secret-file", path))
    assert code == 2
    assert "secret" in line and "xxx" not in line


def test_a_secret_file_that_is_not_there_is_an_error(serve, tmp_path):
    code, line = complaint(serve("--secret-file", tmp_path / "none"))
    assert code == 2
    assert "none cannot be read" in line


def test_the_log_begins_with_versions_and_device_and_holds_nothing_that_was_said(serve, connect, tmp_path):
    path = tmp_path / "Müllers Spiele 田" / "palaver.log"
    path.parent.mkdir()
    process = serve("--log-file", path)
    talker = connect(process.ready()["port"]).hello(client="a game 1.0")
    talker.asks(ASK | {"request": 2, "max_tokens": 2})
    talker.asks({"type": "shout", "request": 3})
    talker.asks({"type": "bye", "request": 4})
    assert process.ends()[0] == 0
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    assert "palaver 0.1.0" in first and "onnxruntime 1." in first and "device CPU" in first
    assert any("hello from 'a game 1.0'" in line for line in rest)
    assert any("the model is loaded" in line for line in rest)
    assert any("unknown-type" in line for line in rest)
    assert ASK["text"] not in "\n".join(rest)


@pytest.mark.parametrize("where", ["no-such-folder/palaver.log", pytest.param("/dev/full", marks=with_full_device)])
def test_a_log_that_cannot_be_written_is_a_warning_and_no_more(serve, connect, tmp_path, where):
    process = serve("--log-file", tmp_path / where)
    talker = connect(process.ready()["port"]).hello()
    assert talker.asks(ASK | {"request": 2, "max_tokens": 2})["type"] == "line"
    talker.asks({"type": "bye", "request": 3})
    code, said = process.ends()
    assert code == 0
    (line,) = said.splitlines()
    assert line.startswith("warning: the log ") and "going on without" in line


def test_a_missing_bundle_is_one_line_and_exit_code_1(serve, tmp_path):
    code, line = complaint(serve(model=tmp_path / "nowhere"))
    assert code == 1
    assert "nowhere" in line


def test_a_taken_port_is_one_line_and_exit_code_1_and_a_second_sidecar_takes_another(serve, connect):
    first = serve().ready()
    code, line = complaint(serve("--port", first["port"]))
    assert code == 1
    assert f"port {first['port']} cannot be used" in line
    second = serve().ready()
    assert second["port"] != first["port"]
    for facts in (first, second):
        assert connect(facts["port"]).asks({"type": "ping", "request": 1})["type"] == "pong"


@pytest.mark.parametrize(
    "arguments",
    [("--port", 70_000), ("--threads", 0), ("--max-batch", 65), ("--tick-timeout-ms", 0), ("--parent-pid", 0)],
)
def test_an_argument_out_of_range_is_one_line_and_exit_code_2(serve, arguments):
    code, line = complaint(serve(*arguments))
    assert code == 2
    assert arguments[0].strip("-").replace("-", "_") in line


@on_posix
def test_a_home_with_other_letters_spaces_and_nothing_that_can_be_written(patient_bundle, serve, connect, tmp_path):
    home = tmp_path / "Müller's gämes 田"
    shutil.copytree(patient_bundle, home / "model")
    for path in [*home.rglob("*"), home]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        process = serve(model=home / "model", environ={"HOME": str(home), "TMPDIR": str(home)}, cwd=home)
        talker = connect(process.ready()["port"]).hello()
        assert talker.asks(ASK | {"request": 2, "max_tokens": 2})["type"] == "line"
    finally:
        for path in [home, *home.rglob("*")]:
            path.chmod(0o755)


def test_check_makes_a_line_and_tells_of_the_machine(patient_bundle):
    command = [sys.executable, "-P", "-m", "runtime.serve", "--model", str(patient_bundle), "--check"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=60, cwd=ROOT, check=True)
    report = json.loads(done.stdout)
    assert report["ok"] is True
    assert report["palaver"] == "0.1.0" and report["onnxruntime"].startswith("1.")
    assert report["line"] and report["source"] == "model"
    assert report["load_s"] > 0.0 and report["step_ms"] > 0.0 and report["memory_mb"] > 1.0
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=True).stdout
    assert "ok: True" in text.splitlines()


STUDIO = """
def loud(text, npc):
    return "Loud!"

def tell(summary, turns):
    return f"They said {turns[0][1]}"

def silent(summary, turns):
    return ""
"""


@pytest.fixture
def check(patient_bundle, tmp_path):
    (tmp_path / "village_rules.py").write_text(STUDIO, encoding="utf-8")

    def check(*arguments):
        command = [sys.executable, "-P", "-m", "runtime.serve", "--model", str(patient_bundle), "--check", "--json"]
        environ = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, cwd=ROOT, env=environ)
        report = json.loads(done.stdout)
        assert done.returncode == (0 if report["ok"] else 1), done.stderr
        return report

    return check


def test_check_tries_the_functions_of_the_studio(check):
    report = check("--filter", "village_rules:loud", "--summariser", "village_rules:tell", "--prompt-tokens", "64")
    assert (report["ok"], report["line"], report["summary"]) == (True, "Loud!", "They said Loud!")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--filter", "village_rules"), "'village_rules' names no function"),
        (("--filter", "village_rules:nothing"), "'village_rules:nothing' cannot be loaded"),
        (("--summariser", "nowhere:tell"), "'nowhere:tell' cannot be loaded"),
        (("--summariser", "village_rules:silent"), "the summariser failed"),
        (("--prompt-tokens", "5"), "prompt_tokens is 5"),
    ],
)
def test_check_tells_what_of_the_arguments_cannot_be_used(check, arguments, complaint):
    report = check(*arguments)
    assert (report["ok"], report["code"]) == (False, "bad-request")
    assert complaint in report["message"]


@pytest.mark.parametrize(
    "arguments", [("--prompt-tokens", "5"), ("--filter", "textwrap"), ("--summariser", "textwrap")]
)
def test_what_cannot_be_used_is_told_before_anybody_is_told_that_it_is_ready(patient_bundle, arguments):
    command = [sys.executable, "-P", "-m", "runtime.serve", "--model", str(patient_bundle), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ") and arguments[1] in done.stderr


def test_check_of_a_damaged_bundle_says_what_is_wrong(patient_bundle, tmp_path):
    shutil.copytree(patient_bundle, tmp_path / "model")
    with (tmp_path / "model" / "step.onnx.data").open("ab") as weights:
        weights.write(b"\0")
    command = [sys.executable, "-P", "-m", "runtime.serve", "--model", str(tmp_path / "model"), "--check", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["ok"], report["code"]) == (False, "bad-bundle")
    assert "step.onnx.data" in report["message"] and report["hint"]


def test_a_bundle_that_cannot_be_loaded_is_told_to_whoever_asks_and_ends_it_with_1(
    serve, connect, patient_bundle, tmp_path
):
    shutil.copytree(patient_bundle, tmp_path / "model")
    weights = tmp_path / "model" / "step.onnx.data"
    data = bytearray(weights.read_bytes())
    data[0] ^= 1
    weights.write_bytes(data)
    process = serve(model=tmp_path / "model")
    connect(process.ready()["port"])
    code, said = process.ends()
    assert code == 1
    assert "step.onnx.data does not match" in said


def test_a_sidecar_that_was_started_by_this_process_has_its_log(patient_bundle, tmp_path):
    with start_sidecar(patient_bundle, log_file=tmp_path / "palaver.log"):
        assert "palaver 0.1.0" in (tmp_path / "palaver.log").read_text(encoding="utf-8")
