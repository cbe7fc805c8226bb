"""Running the application under uvicorn: address, token, signals."""

import gc
import ipaddress
import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError
from tacit.service.errors import ServiceError
from tacit.service.guard import Guard
from tacit.service.logs import log_to_standard_error
from tacit.threads import single_threaded_blas

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")
"""A whole number as programs write it: an id that is a number in a model."""

LEAST_TOKEN = 16
"""Characters of a token at least."""

SWITCH_SECONDS = 0.0005
"""How long one thread may keep the interpreter's lock while another waits. A kernel gives the lock away and asks for it
again: at Python's own 5 ms answers wait for the writer, and the writer for them."""


def read_token(path: Path | None, host: str) -> str | None:
    """The token from a file or ``TACIT_TOKEN``; an address that others can reach needs one."""
    token = os.environ.get("TACIT_TOKEN")
    if path is not None:
        try:
            token = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"--token-file: {str(path)!r} cannot be read ({type(error).__name__}).") from None
    if token is not None and (len(token) < LEAST_TOKEN or not token.isascii() or any(map(str.isspace, token))):
        raise InputError(f"the token must have at least {LEAST_TOKEN} plain characters and no spaces.")
    if token is None and not is_loopback(host):
        raise InputError(
            f"--host {host} can be reached by others: give --token-file or TACIT_TOKEN, or serve on 127.0.0.1 behind "
            "a proxy."
        )
    return token


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_titles(table: str, form: "TextForm") -> dict[Any, str]:
    """Id → title, from the first two columns of a table.

    A file of text does not say whether 7 is a number or text, so that it stands for both; 007 is text alone.
    """
    from tacit.data.readers import read_frame, scan_table

    names = scan_table(table, form=form).collect_schema().names()
    if len(names) < 2:
        raise InputError(f"--titles: {table!r} needs two columns, ids and titles.")
    frame = read_frame(table, {}, names[:2], text=names[:2], name="--titles", form=form)
    pairs = [(ident, str(title)) for ident, title in frame.iter_rows() if None not in (ident, title)]
    numbers = {int(ident): title for ident, title in pairs if isinstance(ident, str) and _WHOLE.fullmatch(ident)}
    return numbers | dict(pairs)


def serve(app: Guard, host: str, port: int, *, quiet: bool, told: Callable[[str], None]) -> None:
    """Serve until a signal ends it; ``told`` gets the address when it is ready."""
    import uvicorn

    log_to_standard_error(logging.WARNING if quiet else logging.INFO)
    sys.setswitchinterval(SWITCH_SECONDS)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(f"cannot listen on {host} port {port} ({error.strerror}); give --port another.") from None
    with listening:
        service = app.service
        service.start()
        # What is there by now stays: a collection that looks at all of it holds up answers for a tenth of a second.
        gc.collect()
        gc.freeze()
        try:
            for ending in (signal.SIGTERM, signal.SIGINT):
                # uvicorn raises the signal that has ended it once more; by then all is done.
                signal.signal(ending, lambda *_: None)
            signal.signal(signal.SIGHUP, lambda *_: threading.Thread(target=_reload_all, args=(service,)).start())
            # Nothing depends on the address that a proxy says its client has: no header is believed.
            config = uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=30,
            )
            shown = f"[{host}]" if ":" in host else host
            told(f"http://{shown}:{listening.getsockname()[1]}/")
            # Each change of BLAS's threads gives the interpreter's lock away: once is enough.
            with single_threaded_blas():
                uvicorn.Server(config).run(sockets=[listening])
        finally:
            service.stop()


def _reload_all(service: Any) -> None:
    for name in list(service.served):
        try:
            service.reload(name)
        except ServiceError:
            continue  # the log has said why
