"""``LeagueService`` on a gRPC server: who calls, may they, how often; and what fails, said right.

Messages come in and go out as bytes, and every method is served as if both sides were streams: on
the wire that is the same. So nothing of a message is taken in before it is known who sends it, and
what cannot be read is refused with a reason as everything else is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, aclosing, suppress
from inspect import isawaitable
from typing import Any, Final, Protocol

import grpc
import grpc.aio
import structlog
from google.protobuf.message import Message

from sandlot.errors import StoreError
from sandlot_server.service.callers import Callers
from sandlot_server.service.calls import SERVICE, Method, methods, parse
from sandlot_server.service.league import League
from sandlot_server.service.pace import AtOnce
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.store.registered import Owner

_AGAIN: Final = "try again in a minute"


class Context(Protocol):
    """What of gRPC's context a call needs."""

    def invocation_metadata(self) -> Sequence[tuple[str, str | bytes]]:
        """Return what the caller sent beside its message."""

    def peer(self) -> str:
        """Say where the call comes from."""

    async def read(self) -> object:
        """Return the next message, or EOF."""

    async def write(self, message: bytes) -> None:
        """Write a message."""

    async def abort(
        self,
        code: grpc.StatusCode,
        details: str = "",
        trailing_metadata: Sequence[tuple[str, str | bytes]] = (),
    ) -> None:
        """End the call with a status. Raises ``AbortError``."""


def league_handler(league: League) -> grpc.GenericRpcHandler:
    """Return what serves ``LeagueService`` on a ``grpc.aio`` server of the running event loop.

    The server must take in messages of ``league.limits.archive`` bytes, and somewhat more so that
    those who send more can be told.
    """
    desk = Desk(league)
    return grpc.method_handlers_generic_handler(
        SERVICE.full_name,
        {name: desk.handler(name, method) for name, method in methods(league).items()},
    )


class Desk:
    """Serves the calls of a league."""

    def __init__(self, league: League) -> None:
        limits = league.limits
        self._limits = limits
        self._callers = Callers(league.registry.owner_of, limits, league.clock)
        self._calls = AtOnce(limits.at_once, limits.at_once_in_all, "calls")
        self._uploads = AtOnce(limits.uploads, limits.uploads_in_all, "submissions")
        self._watches = AtOnce(limits.watches, limits.watches_in_all, "calls of Watch")
        self._steps = set[asyncio.Future[Any]]()  # reads and writes, some of which outlive a call
        self._log = structlog.get_logger("sandlot.service")

    def handler(self, name: str, method: Method) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return what serves a method."""

        async def serve(_: object, context: Context) -> None:
            await self._serve(name, method, context)

        return grpc.stream_stream_rpc_method_handler(serve)

    async def _serve(self, name: str, method: Method, context: Context) -> None:
        """Serve a call, and end it with a status and a reason if it fails."""
        try:
            await self._answer(name, method, context)
        except RefusedError as error:
            refused = error
        except TimeoutError:
            self._log.error("call took too long", method=name)
            refused = RefusedError(Reason.STORE, f"the server is too busy: {_AGAIN}")
        except (StoreError, OSError) as error:
            self._log.error("store failed", method=name, error=str(error))
            refused = RefusedError(
                Reason.STORE, f"the server cannot get at what it keeps: {_AGAIN}"
            )
        except grpc.aio.BaseError:
            return  # the caller is gone
        except Exception:
            number = secrets.token_hex(4)
            self._log.exception("call failed", method=name, id=number)
            refused = RefusedError(
                Reason.BROKEN,
                f"the server has failed: tell its operator the number {number}, which is in the "
                "log",
                id=number,
            )
        else:
            return
        # If the caller is gone meanwhile nobody hears it.
        with suppress(grpc.aio.InternalError):
            await context.abort(refused.reason.status, str(refused), refused.trailing())

    async def _answer(self, name: str, method: Method, context: Context) -> None:
        owner = await self._callers.whose(context.invocation_metadata() or (), context.peer())
        if not method.allows(owner.role):
            raise RefusedError(
                Reason.NOT_ALLOWED,
                f"{owner.name} is a reader here, and {name} is for owners: ask the operator for "
                "another role",
            )
        with (self._watches if method.watches else self._calls).one(owner.name):
            await self._exchange(method, owner, context)

    async def _exchange(self, method: Method, owner: Owner, context: Context) -> None:
        with ExitStack() as uploading:
            if method.archive:
                uploading.enter_context(self._uploads.one(owner.name))
            request = await self._receive(method, context)
            async with aclosing(self._answers(method, owner, request)) as answers:
                async for message in answers:
                    uploading.close()  # what is answered is on the disk
                    await self._send(context, message.SerializeToString())

    async def _receive(self, method: Method, context: Context) -> Message:
        raw = await self._step(context.read(), self._limits.arrival)
        if raw is None:
            raise RefusedError(
                Reason.TOO_SLOW, f"no message has come within {self._limits.arrival:g} s"
            )
        if not isinstance(raw, bytes):  # the end of the stream, also if it was far too long
            raise RefusedError(Reason.MALFORMED, "no message has come, or one that is too large")
        return parse(method, raw, self._limits)

    async def _answers(
        self, method: Method, owner: Owner, request: Message
    ) -> AsyncGenerator[Message, None]:
        answer = method.answer(owner, request)
        if isawaitable(answer):
            async with asyncio.timeout(self._limits.answer):
                message = await answer
            yield message
            return
        async with aclosing(answer):
            async for message in answer:
                yield message

    async def _send(self, context: Context, message: bytes) -> None:
        if await self._step(_written(context, message), self._limits.unread) is None:
            raise RefusedError(
                Reason.UNREAD, f"the answer was left unread for {self._limits.unread:g} s"
            )

    async def _step(self, work: Any, seconds: float) -> object:
        """Return what a read or a write gives, None if it is not done within so many seconds.

        It is never cancelled: core would go on with it in memory that is given back. It ends by
        itself when the call does.
        """
        step = asyncio.ensure_future(work)
        self._steps.add(step)
        step.add_done_callback(self._done)
        done, _ = await asyncio.wait({step}, timeout=seconds)
        return step.result() if done else None

    def _done(self, step: asyncio.Future[Any]) -> None:
        self._steps.discard(step)
        if not step.cancelled():
            step.exception()  # the call may be over, and then nobody asks


async def _written(context: Context, message: bytes) -> bool:
    await context.write(message)
    return True
