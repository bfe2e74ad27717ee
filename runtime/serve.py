"""The sidecar process: `python -m runtime.serve [--model DIR] [--port 0] [--threads N] ...`; docs/sidecar.md tells all.

Prints one line `PALAVER READY {"port": ..., "version": ..., "protocol": ..., "pid": ...}` as soon as it listens on the
loopback interface, loads the model, and answers until a signal, `bye`, or the end of its parent or of its standard
input. Exit codes: 0 after such an end, 1 when the model or the port cannot be used, 2 for bad arguments, 3 when the
parent or its standard input was gone and it had to be ended in the middle of something.
"""

import argparse
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import zmq

from runtime.bundle import BundleManifest, read_manifest
from runtime.checks import check_int
from runtime.errors import PalaverError, RequestError
from runtime.fallback import FallbackLines
from runtime.filters import StudioFilters, load_filter
from runtime.frame_budget import TICK_TIMEOUT_S
from runtime.installation import installation_warning
from runtime.messages import HOST, ModelFacts
from runtime.plugin import load_function
from runtime.pocket import POCKET_MODEL
from runtime.process.check import Plugins, run_check
from runtime.process.loading import (
    DEFAULT_BATCH,
    DEFAULT_CACHE_MB,
    MAX_BATCH,
    MAX_CACHE_MB,
    MAX_THREADS,
    Loading,
    load_engine,
)
from runtime.process.log import log_to
from runtime.process.memory_budget import MAX_BUDGET_MB, memory_need, prefix_cache_within
from runtime.process.parent import end_with_parent, end_with_stdin
from runtime.process.priority import give_way
from runtime.process.ready import ready, remove_stale
from runtime.process.secret import read_secret
from runtime.process.wake import Wake
from runtime.prompt_budget import PromptBudget
from runtime.server import Server
from runtime.wire import MAX_MESSAGE_BYTES

_log = logging.getLogger("palaver")

# A message that is a little too large gets an error; a client that sends anything beyond this is disconnected.
MAX_FRAME_BYTES = 2 * MAX_MESSAGE_BYTES
# Messages waiting to be read, and to be sent; a client that leaves so many unread counts as gone.
MAX_WAITING_MESSAGES = 256
HANDSHAKE_MS = 5000
LINGER_MS = 500
MAX_TICK_TIMEOUT_MS = 60_000
MAX_PID = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How a sidecar is to be run.

    Attributes:
        model_dir: folder of the bundle.
        port: TCP port on the loopback interface; 0 for any free one.
        threads: CPU threads of the step graph.
        max_batch: lines that may share a pass of the model.
        tick_timeout_ms: without a tick for this long the game counts as paused.
        secret: what a hello has to repeat; None lets anybody in.
        ready_file: where to write the facts of the READY line too.
        parent_pid: process with which the sidecar ends.
        stdio_guard: end when standard input is closed.
        prompt_tokens: most tokens of a prompt; None for what suits the model.
        prefix_cache_mb: memory for encoded personas.
        memory_budget_mb: most memory of the whole process, in 2**20 bytes; None for no limit.
        filters: functions of the studio's that every line goes through, each as module:function.
        allowed: words and phrases that filters and ban lists leave alone.
        summariser: module:function of what tells turns that no longer fit into a prompt.

    Raises:
        RequestError: a number is out of range.
    """

    model_dir: Path = POCKET_MODEL
    port: int = 0
    threads: int = 1
    max_batch: int = DEFAULT_BATCH
    tick_timeout_ms: int = round(TICK_TIMEOUT_S * 1000.0)
    secret: str | None = None
    ready_file: Path | None = None
    parent_pid: int | None = None
    stdio_guard: bool = False
    prompt_tokens: int | None = None
    prefix_cache_mb: int = DEFAULT_CACHE_MB
    memory_budget_mb: int | None = None
    filters: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    summariser: str | None = None

    def __post_init__(self) -> None:
        check_int("port", self.port, 0, 65535)
        check_int("threads", self.threads, 1, MAX_THREADS)
        check_int("max_batch", self.max_batch, 1, MAX_BATCH)
        check_int("tick_timeout_ms", self.tick_timeout_ms, 1, MAX_TICK_TIMEOUT_MS)
        check_int("prefix_cache", self.prefix_cache_mb, 0, MAX_CACHE_MB)
        if self.memory_budget_mb is not None:
            check_int("memory_budget_mb", self.memory_budget_mb, 1, MAX_BUDGET_MB)
        if self.parent_pid is not None:
            check_int("parent_pid", self.parent_pid, 1, MAX_PID)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command until something ends it; returns the exit code."""
    given = _parser().parse_args(arguments)
    if (warning := installation_warning()) is not None:
        print(f"warning: {warning}", file=sys.stderr)
    log_to(given.log_file)
    try:
        options = ServeOptions(
            model_dir=given.model,
            port=given.port,
            threads=given.threads,
            max_batch=given.max_batch,
            tick_timeout_ms=given.tick_timeout_ms,
            secret=read_secret(given.secret_file, os.environ),
            ready_file=given.ready_file,
            parent_pid=given.parent_pid,
            stdio_guard=given.stdio_guard,
            prompt_tokens=given.prompt_tokens,
            prefix_cache_mb=given.prefix_cache,
            memory_budget_mb=given.memory_budget_mb,
            filters=tuple(given.filter),
            allowed=tuple(given.allow),
            summariser=given.summariser,
        )
        if given.check:
            return run_check(
                options.model_dir,
                threads=options.threads,
                prompt_tokens=options.prompt_tokens,
                prefix_cache_mb=options.prefix_cache_mb,
                plugins=partial(_load_plugins, options),
                as_json=given.json,
            )
        serve(options)
    except PalaverError as error:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, RequestError) else 1
    return 0


def serve(options: ServeOptions) -> None:
    """Load a bundle and answer clients until something ends the sidecar; for a process's main thread.

    Raises:
        BundleError: the bundle cannot be used.
        RequestError: a filter or the summariser cannot be loaded, or the model takes no prompts of that length.
        PalaverError: the port cannot be used ("port-unavailable"), nobody could be told of it ("not-ready"), or the
            memory budget is too small ("over-budget").
    """
    filters, summariser = _load_plugins(options)
    give_way()
    remove_stale(options.ready_file)
    fallbacks = FallbackLines()
    with Wake() as wake, wake.on_signals():
        for number in _ending_signals():
            signal.signal(number, lambda *_: wake.stop())
        if options.parent_pid is not None:
            end_with_parent(options.parent_pid, wake.stop)
        if options.stdio_guard:
            end_with_stdin(wake.stop)
        manifest = read_manifest(options.model_dir)
        # The engine checks the same, but only when everybody has been told that the sidecar is ready.
        PromptBudget.for_model(manifest.geometry, options.prompt_tokens)
        prefix_cache_mb = _prefix_cache_mb(manifest, options)
        facts = ModelFacts(manifest.name, manifest.geometry.canvas_length, manifest.licence)
        load = partial(
            load_engine,
            options.model_dir,
            threads=options.threads,
            max_batch=options.max_batch,
            tick_timeout_s=options.tick_timeout_ms / 1000.0,
            fallbacks=fallbacks,
            prompt_tokens=options.prompt_tokens,
            prefix_cache_mb=prefix_cache_mb,
            filters=filters,
        )
        with _listening(options.port) as (router, bound_port), ready(bound_port, options.ready_file):
            loading = Loading(load, wake.notify)
            loading.start()
            Server(router, loading, facts, wake, fallbacks, options.secret, summariser).run()


def _prefix_cache_mb(manifest: BundleManifest, options: ServeOptions) -> int:
    """The room for encoded personas under the memory budget. Raises PalaverError."""
    need = memory_need(
        manifest,
        max_batch=options.max_batch,
        prompt_tokens=options.prompt_tokens,
        prefix_cache_mb=options.prefix_cache_mb,
    )
    if options.memory_budget_mb is None:
        _log.info("memory: %s at most", need.describe())
        return options.prefix_cache_mb
    room_mb = prefix_cache_within(options.memory_budget_mb, need)
    _log.info("memory: %s at most", replace(need, prefix_cache_mb=room_mb).describe())
    return room_mb


@contextlib.contextmanager
def _listening(port: int) -> Iterator[tuple[zmq.Socket[bytes], int]]:
    """A bound ROUTER and its port; what was sent is given LINGER_MS to leave when it closes."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.linger = LINGER_MS
        # Else a reply to a client that is gone would vanish without a word, and its other asks would still be computed.
        router.router_mandatory = True
        router.maxmsgsize = MAX_FRAME_BYTES
        router.handshake_ivl = HANDSHAKE_MS
        router.set_hwm(MAX_WAITING_MESSAGES)
        try:
            router.bind(f"tcp://{HOST}:{port or '*'}")
        except zmq.ZMQError as error:
            raise PalaverError(
                f"port {port} cannot be used ({error.strerror})",
                "Leave --port out, then the system picks a free one",
                code="port-unavailable",
            ) from error
        yield router, int(router.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])


def _load_plugins(options: ServeOptions) -> Plugins:
    """The functions of the studio's that were named. Raises RequestError."""
    filters = StudioFilters(tuple(map(load_filter, options.filters)), options.allowed)
    return filters, None if options.summariser is None else load_function(options.summariser, "summariser")


def _ending_signals() -> list[signal.Signals]:
    names = ("SIGINT", "SIGTERM", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m runtime.serve", description="Answer games on this machine with NPC lines.", allow_abbrev=False
    )
    defaults = ServeOptions()
    number = partial(parser.add_argument, type=int, metavar="N")
    file = partial(parser.add_argument, type=Path, metavar="FILE")
    parser.add_argument(
        "--model", type=Path, default=defaults.model_dir, metavar="DIR", help="folder of a bundle (default: pocket)"
    )
    number("--port", default=defaults.port, help="port on 127.0.0.1 (default: any free one)")
    number("--threads", default=defaults.threads, help="CPU threads of the model (default: %(default)s)")
    number("--max-batch", default=defaults.max_batch, help="lines that may share a pass (default: %(default)s)")
    number(
        "--tick-timeout-ms",
        default=defaults.tick_timeout_ms,
        help="time without a tick after which the game counts as paused (default: %(default)s)",
    )
    file("--ready-file", help="write the facts of the READY line there too")
    file("--secret-file", help="holds what a hello has to repeat (default: $PALAVER_SECRET, else nothing)")
    file("--log-file", help="write a log there (default: none)")
    number("--prompt-tokens", help="most tokens of a prompt (default: what suits the model)")
    number("--memory-budget-mb", help="most memory of the process; what cannot fit is refused (default: no limit)")
    number("--prefix-cache", default=defaults.prefix_cache_mb, help="MB for encoded personas (default: %(default)s)")
    function = partial(parser.add_argument, metavar="MODULE:FUNCTION")
    function("--filter", action="append", default=[], help="every line goes through it; may be given several times")
    parser.add_argument(
        "--allow", action="append", default=[], metavar="PHRASE", help="filters and ban lists leave it alone"
    )
    function("--summariser", help="tells turns that no longer fit into a prompt (default: they are left out)")
    number("--parent-pid", help="end when this process does")
    parser.add_argument("--stdio-guard", action="store_true", help="end when standard input is closed")
    parser.add_argument("--check", action="store_true", help="load the model, make one line, print a report and end")
    parser.add_argument("--json", action="store_true", help="print the report of --check as JSON")
    return parser


def _leave(code: int) -> NoReturn:
    """End at once: a model that is still being loaded holds a thread that nothing can stop."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _leave(main())
