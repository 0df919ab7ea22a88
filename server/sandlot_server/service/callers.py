"""Who calls: the token in the metadata says it, and nothing else does."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final
from urllib.parse import unquote

import structlog

from sandlot_server.arbiter.door import BEARER
from sandlot_server.service.limits import Limits
from sandlot_server.service.pace import Pace
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.store.registered import Owner

_LONGEST: Final = 200  # characters of a token; ours have about 50


class Callers:
    """Tells by their tokens who calls, and slows down those who guess or call too often.

    A token that is not known is looked up in the store, as long as not too many wrong ones have
    come from that address. Tokens that were good before are looked up in any case, so that nobody
    is locked out by a stranger behind the same address; and each time, for they may be revoked. But
    who is known and calls too often is refused before that.

    Args:
        owner_of: says whose a token is; called in a thread.
        limits: how many calls, and how many wrong tokens, may come.
        clock: gives seconds that only grow.

    """

    def __init__(
        self,
        owner_of: Callable[[str], Owner | None],
        limits: Limits,
        clock: Callable[[], float],
    ) -> None:
        self._owner_of = owner_of
        self._wrong = Pace(
            burst=limits.wrong_tokens,
            a_minute=limits.wrong_tokens_a_minute,
            remembered=limits.remembered,
            clock=clock,
        )
        self._pace = Pace(
            burst=limits.calls,
            a_minute=limits.calls_a_minute,
            remembered=limits.remembered,
            clock=clock,
        )
        self._remembered = limits.remembered
        self._good: OrderedDict[bytes, str] = OrderedDict()  # whose it was
        self._log = structlog.get_logger("sandlot.service")

    async def whose(self, metadata: Iterable[tuple[str, str | bytes]], peer: str) -> Owner:
        """Return whose call it is.

        Args:
            metadata: of the call.
            peer: where it comes from, as gRPC says it.

        Raises:
            RefusedError: nobody's, or too many wrong tokens have come from there; or the owner
                calls too often.
            StoreError: the token cannot be looked up.
        """
        shown = dict(metadata).get("authorization", "")
        if not isinstance(shown, str) or not shown.startswith(BEARER):
            raise RefusedError(
                Reason.NO_TOKEN,
                "no token: log in with `sandlot login`, or send the metadata "
                "'authorization: Bearer TOKEN'",
            )
        token, address = shown.removeprefix(BEARER), address_of(peer)
        digest = hashlib.sha256(token.encode(errors="replace")).digest()
        known = self._good.get(digest)
        if known is not None:
            self._keep_pace(known)
        elif wait := self._wrong.take(address):
            raise RefusedError(
                Reason.TOO_MANY_CALLS,
                f"too many wrong tokens from your address: try again in {math.ceil(wait)} s",
                retry_after=str(math.ceil(wait)),
            )
        owner = None
        if len(token) <= _LONGEST:
            owner = await asyncio.to_thread(self._owner_of, token)
        if owner is None:
            self._good.pop(digest, None)
            self._log.warning("wrong token", address=address)
            raise RefusedError(
                Reason.WRONG_TOKEN,
                "this token is nobody's here: ask the operator for one, then `sandlot login`",
            )
        if known is None:
            self._wrong.give_back(address)
            self._keep_pace(owner.name)
        self._remember(digest, owner.name)
        return owner

    def _keep_pace(self, name: str) -> None:
        if wait := math.ceil(10 * self._pace.take(name)) / 10:
            raise RefusedError(
                Reason.TOO_MANY_CALLS,
                f"too many calls: try again in {wait:.1f} s",
                retry_after=f"{wait:.1f}",
            )

    def _remember(self, digest: bytes, name: str) -> None:
        self._good[digest] = name
        self._good.move_to_end(digest)
        if len(self._good) > self._remembered:
            self._good.popitem(last=False)


def address_of(peer: str) -> str:
    """Return what stands for whoever calls: an address without its port.

    Of IPv6 the first half, for the rest is as one likes. All that comes by a unix socket is one.

    >>> address_of("ipv4:192.0.2.7:52014"), address_of("unix:/tmp/x")
    ('192.0.2.7', 'unix')
    >>> address_of("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:52014")
    '2001:db8:1:2::/64'
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
