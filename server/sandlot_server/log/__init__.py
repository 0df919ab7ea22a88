"""The server's own log of events, and what of it is shown."""

from __future__ import annotations

from sandlot_server.log.forms import Form, Level, for_service, only_errors

__all__ = ["Form", "Level", "for_service", "only_errors"]
