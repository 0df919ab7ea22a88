"""What is shown of the log: errors alone for a command, everything for a service."""

from __future__ import annotations

import logging
import os
import sys
from typing import Final, Literal

import structlog
from structlog.typing import EventDict, Processor

from sandlot_server.log.output import StandardError
from sandlot_server.log.secrets import presentable

Form = Literal["json", "plain"]
"""One JSON object a line, for machines, or lines for people."""

Level = Literal["debug", "info", "warning", "error"]
"""The least of what is shown."""

FIRST: Final = ("timestamp", "level", "event", "logger")
"""The keys that every line of the log has, in this order and before all others."""

CHATTY: Final = ("alembic.runtime.plugins",)
"""Loggers of libraries that tell of a start what nobody has to know: only warnings are shown."""


def only_errors() -> None:
    """Show errors alone, on standard error; call it before gRPC is used.

    What bots do wrong is told by the command itself, and in their logs.
    """
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.dev.set_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Plain tracebacks: others print the values of variables, and a seed may be among them.
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        # Whatever standard error is when there is something to say, not when this is called.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def for_service(form: Form = "json", level: Level = "info") -> None:
    """Show the log of a server on standard error; call it once, before gRPC is used.

    What libraries log, and warnings of Python, are shown in the same form. What is bound by
    ``structlog.contextvars`` is part of every event within, as match and bot are.

    Args:
        form: ``json`` or ``plain``.
        level: the least of what is shown.

    """
    number = logging.getLevelNamesMapping()[level.upper()]
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*common, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = StandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=common,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,  # a plain traceback, see above
                presentable,
                _in_order,
                *_rendered(form),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
    logging.captureWarnings(True)


def _in_order(_: object, __: str, event: EventDict) -> EventDict:
    return {**{key: event[key] for key in FIRST if key in event}, **event}


def _rendered(form: Form) -> list[Processor]:
    if form == "json":
        return [structlog.processors.JSONRenderer()]
    colors = os.isatty(2) and "NO_COLOR" not in os.environ
    return [
        _without_orders,
        structlog.dev.ConsoleRenderer(
            colors=colors,
            exception_formatter=structlog.dev.plain_traceback,
            repr_native_str=True,
            sort_keys=False,
        ),
    ]


def _without_orders(_: object, __: str, event: EventDict) -> EventDict:
    """Keep what strangers said from looking like lines of the log, and the terminal from obeying.

    The values beside the event are quoted when they are shown.
    """
    event["event"] = _visible(str(event.get("event", "")), but="")
    if "exception" in event:
        event["exception"] = _visible(str(event["exception"]), but="\n\t")
    return event


def _visible(text: str, but: str) -> str:
    return "".join(sign if sign.isprintable() or sign in but else repr(sign)[1:-1] for sign in text)
