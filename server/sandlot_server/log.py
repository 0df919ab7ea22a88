"""What the server's own log of events shows in a terminal."""

from __future__ import annotations

import logging
import sys

import structlog


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
