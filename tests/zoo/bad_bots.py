"""Bots that speak the protocol and misbehave in it: ``python bad_bots.py NAME``.

Each plays rightly, checking or calling, until its bad moment comes.
"""

from __future__ import annotations

import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import grpc
from zoo.raw import Raw, answer_all, first_legal, sleep_for_ever

from sandlot.v1 import arbiter_pb2 as pb
from sandlot.v1 import table_pb2


def exits(raw: Raw) -> None:
    """Ends its process in mid-hand, with a status."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        if count == 5:
            print("I have had enough", file=sys.stderr, flush=True)
            os._exit(7)
        return False

    answer_all(raw, misbehave)


def killed(raw: Raw) -> None:
    """Is killed in mid-hand."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        if count == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    answer_all(raw, misbehave)


def wrong_id(raw: Raw) -> None:
    """Answers decisions that nobody asked, and never the one that was asked."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        answer = first_legal(asked)
        answer.decision += 1000
        raw.send(pb.PlayRequest(decisions=[answer]))
        return True

    answer_all(raw, misbehave)


def wrong_match(raw: Raw) -> None:
    """Answers for a match that is not its own."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        answer = first_legal(asked)
        answer.match = "1-1-999"
        raw.send(pb.PlayRequest(decisions=[answer]))
        return True

    answer_all(raw, misbehave)


def twice(raw: Raw) -> None:
    """Answers everything twice, the second time otherwise. It does no harm."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        first, second = first_legal(asked), first_legal(asked)
        second.action.name = asked.observation.legal[-1].name
        raw.send(pb.PlayRequest(decisions=[first, second]))
        return True

    answer_all(raw, misbehave)


def garbage(raw: Raw) -> None:
    """Answers with bytes that are no message."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        raw.send(b"\xff\xfe\xfd not a message")
        return True

    answer_all(raw, misbehave)


def oversize(raw: Raw) -> None:
    """Answers with 10 MB."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        answer = first_legal(asked)
        answer.action.name = "x" * (10 << 20)
        raw.send(pb.PlayRequest(decisions=[answer]))
        return True

    answer_all(raw, misbehave)


def flood(raw: Raw) -> None:
    """Answers rightly and chatters without end beside it."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        raw.send(pb.PlayRequest(decisions=[first_legal(asked)]))
        stray = pb.Decision(match="no-such", decision=1, action=table_pb2.Action(name="check"))
        for _ in range(500):
            raw.send(pb.PlayRequest(decisions=[stray] * 20))
        return True

    answer_all(raw, misbehave)


def chatters(raw: Raw) -> None:
    """Answers rightly, chatters beside it, now and then at length; just as much as is borne."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        raw.send(pb.PlayRequest(decisions=[first_legal(asked)]))
        stray = pb.Decision(match="no-such", decision=1, action=table_pb2.Action(name="check"))
        if count % 2 == 0:
            raw.send(pb.PlayRequest(decisions=[stray]))
        if count % 150 == 0:
            stray.action.name = "x" * (1 << 20)
            raw.send(pb.PlayRequest(decisions=[stray]))
        return True

    answer_all(raw, misbehave)


def starves_one(raw: Raw) -> None:
    """Answers all tables but the first that it sat down at."""
    starved: list[str] = []

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        if not starved:
            starved.append(asked.observation.match)
        return asked.observation.match == starved[0]

    answer_all(raw, misbehave)


def closes(raw: Raw) -> None:
    """Closes its stream in mid-hand and stays alive."""

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        if count == 5:
            raw.close()
            raw.call.cancel()
            sleep_for_ever()
        return False

    answer_all(raw, misbehave)


def late(raw: Raw) -> None:
    """Answers the first question of each match only when the second one has come."""
    held: dict[str, pb.Decision] = {}
    seen: set[str] = set()

    def misbehave(asked: pb.DecisionRequested, count: int) -> bool:
        match = asked.observation.match
        if match not in seen:
            seen.add(match)
            held[match] = first_legal(asked)
            return True
        if match in held:
            raw.send(pb.PlayRequest(decisions=[held.pop(match)]))
        return False

    answer_all(raw, misbehave)


# Those that cannot start.


def silent(raw: Raw) -> None:
    """Opens its stream and never says hello."""
    sleep_for_ever()


def second_session(raw: Raw) -> None:
    """Opens a second stream with the same token; the first one stays good."""
    raw.hello()
    # Until it is welcome the other stream might be the first.
    assert next(raw.items()).WhichOneof("item") == "welcome"
    other = Raw()
    other.hello()
    try:
        list(other.items())
    except grpc.RpcError as error:
        print(
            f"second session: {error.code().name}: {error.details()}", file=sys.stderr, flush=True
        )
    answer_all(raw, lambda asked, count: False)


def main() -> None:
    """Be the bot that the command line names."""
    name = sys.argv[1]
    if name == "exit_at_once":
        print("I do not start", file=sys.stderr)
        sys.exit(3)
    if name == "never_connects":
        sleep_for_ever()
    if name == "others_token":
        raw = Raw(token="0" * 32)
        raw.hello()
        answer_all(raw, lambda asked, count: False)
        sys.exit(1)
    if name == "wrong_protocol":
        raw = Raw()
        raw.send(pb.PlayRequest(hello=pb.Hello(protocol=99, sdk="zoo", variants=["baseball"])))
        answer_all(raw, lambda asked, count: False)
        sys.exit(1)
    bot = globals()[name]
    raw = Raw()
    if name not in ("silent", "second_session"):
        raw.hello()
    bot(raw)


if __name__ == "__main__":
    main()
