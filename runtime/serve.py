"""The sidecar process: `python -m runtime.serve [--model DIR] [--port 0] [--threads N] [--tick-timeout-ms N]`.

Loads the model, prints one line `PALAVER READY {"port": ..., "version": ..., "protocol": ..., "pid": ...}` and answers
on the loopback interface until it gets SIGINT or SIGTERM. Exit codes: 0 after such an end, 1 when the model or the port
cannot be used, 2 for bad arguments.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import zmq

from runtime.bundle import load_bundle
from runtime.checks import check_int
from runtime.engine import Engine
from runtime.errors import PalaverError, RequestError
from runtime.frame_budget import TICK_TIMEOUT_S
from runtime.installation import installation_warning
from runtime.messages import HOST, PROTOCOL, READY
from runtime.palaver import POCKET_MODEL
from runtime.server import Server
from runtime.version import __version__
from runtime.wire import MAX_MESSAGE_BYTES

# A message that is a little too large gets an error; a client that sends anything beyond this is disconnected.
MAX_FRAME_BYTES = 2 * MAX_MESSAGE_BYTES
# Messages waiting to be read, and to be sent; a client that leaves so many unread counts as gone.
MAX_WAITING_MESSAGES = 256
LINGER_MS = 500
MAX_TICK_TIMEOUT_MS = 60_000

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command until a signal ends it; returns the exit code."""
    options = _parser().parse_args(arguments)
    if (warning := installation_warning()) is not None:
        print(f"warning: {warning}", file=sys.stderr)
    try:
        serve(options.model, options.port, options.threads, options.tick_timeout_ms)
    except PalaverError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, RequestError) else 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def serve(model_dir: Path | None, port: int, threads: int, tick_timeout_ms: int) -> None:
    """Load a bundle and answer clients until SIGINT or SIGTERM; for a process's main thread.

    Args:
        model_dir: folder of the bundle; None for the pocket model.
        port: TCP port on the loopback interface; 0 for any free one, which the READY line then tells.
        threads: CPU threads of the step graph.
        tick_timeout_ms: without a tick for this long the game counts as paused.

    Raises:
        RequestError: an argument is out of range.
        BundleError: the bundle cannot be used.
        PalaverError: the port cannot be used (code "port-unavailable").
    """
    with _listening(check_int("port", port, 0, 65535)) as (router, bound_port):
        timeout_s = check_int("tick_timeout_ms", tick_timeout_ms, 1, MAX_TICK_TIMEOUT_MS) / 1000.0
        bundle = load_bundle(POCKET_MODEL if model_dir is None else model_dir)
        engine = Engine(bundle, threads=threads, tick_timeout_s=timeout_s)
        engine.calibrate()
        with _signals_waking() as wake:
            server = Server(router, engine, wake)
            for number in _ending_signals():
                signal.signal(number, lambda *_: server.stop())
            ready = {"port": bound_port, "version": __version__, "protocol": PROTOCOL, "pid": os.getpid()}
            print(f"{READY}{json.dumps(ready)}", flush=True)
            server.run()


@contextlib.contextmanager
def _listening(port: int) -> Iterator[tuple[zmq.Socket[bytes], int]]:
    """A bound ROUTER and its port; what was sent is given LINGER_MS to leave when it closes."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.linger = LINGER_MS
        # Else a reply to a client that is gone would vanish without a word, and its other asks would still be computed.
        router.router_mandatory = True
        router.maxmsgsize = MAX_FRAME_BYTES
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


@contextlib.contextmanager
def _signals_waking() -> Iterator[socket.socket]:
    """A socket that becomes readable when a signal arrives: a wait inside ZeroMQ is not ended by one everywhere."""
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno())
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(before)


def _ending_signals() -> list[signal.Signals]:
    names = ("SIGINT", "SIGTERM", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m runtime.serve", description="Answer games on this machine with NPC lines.", allow_abbrev=False
    )
    parser.add_argument("--model", type=Path, metavar="DIR", help="folder of a bundle (default: the pocket model)")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads of the model (default: 1)")
    parser.add_argument(
        "--tick-timeout-ms",
        type=int,
        default=round(TICK_TIMEOUT_S * 1000.0),
        metavar="N",
        help="time without a tick after which the game counts as paused (default: %(default)s)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
