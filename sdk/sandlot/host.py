"""One bot class at play: makes its objects, hands them what they are told, and asks them.

The gRPC client and the arena both host bots through this module, so that a bot meets the same
treatment in both: an exception is caught and accounted for, an answer that is no action is refused.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sandlot.bot import BatchBot, Bot
from sandlot.errors import BotError
from sandlot.game.actions import Action
from sandlot.notices import HandEnd, MatchEnd, MatchStart, Notice
from sandlot.observation import Observation

BotClass: TypeAlias = type[Bot] | type[BatchBot]


@dataclass(frozen=True, slots=True)
class Failure:
    """The bot raised, or answered what is no action.

    ``text`` is one line, ``account`` the traceback from the bot's own code on, or that line again
    where nothing was raised.
    """

    text: str
    account: str


class Host:
    """Hosts one bot class for one session.

    A ``Bot`` gets an object a seat and match, from the match's start to its end; a ``BatchBot`` is
    one object for the session.

    Raises:
        BotError: the class is not a bot, or cannot be made without arguments.
    """

    def __init__(self, bot: BotClass) -> None:
        self.name = bot.__name__
        self._batch: BatchBot | None = None
        self._seats: dict[tuple[str, int], Bot] = {}
        self._starts: dict[tuple[str, int], MatchStart] = {}  # of matches under way
        self._waiting: set[tuple[str, int]] = set()  # of these, who may be told that they go on
        if issubclass(bot, BatchBot):
            self._batch = bot()
        elif issubclass(bot, Bot):
            self._make = bot
        else:
            raise BotError(f"{bot.__name__} is not a bot: derive it from sandlot.Bot")

    @property
    def decides_in_batches(self) -> bool:
        """Whether the bot wants all waiting observations at once."""
        return self._batch is not None

    def come_back(self) -> list[str]:
        """Take note that the bot has been away: a match that is started again now goes on.

        A match that has not gone on since the time before is over, and its bot's object is dropped.
        Return these matches.
        """
        over = list(self._waiting)
        for key in over:
            self._forget(key)
        self._waiting = set(self._starts)
        return [match for match, _ in over]

    def tell(self, notice: Notice) -> Failure | None:
        """Tell the bot; return what went wrong in its hook, if anything did."""
        try:
            if isinstance(notice, MatchStart):
                self._start(notice)
            elif isinstance(notice, HandEnd):
                self._whom(notice).hand_ended(notice)
            elif isinstance(notice, MatchEnd):
                self._end(notice)
        except Exception as error:
            return _failure(error)
        return None

    def decide(self, seen: Observation) -> Action | Failure:
        """Ask the bot for one decision."""
        if self._batch is not None:
            return self.decide_many([seen])[0]
        try:
            return _action(self._seats[seen.match, seen.seat or 0].act(seen))
        except Exception as error:
            return _failure(error)

    def decide_many(self, seen: Sequence[Observation]) -> list[Action | Failure]:
        """Ask the bot for many decisions, in the order of the observations."""
        if self._batch is None:
            return [self.decide(each) for each in seen]
        try:
            answers = self._batch.act_many(list(seen))
            if not isinstance(answers, Sequence) or len(answers) != len(seen):
                raise BotError(
                    f"act_many returned {_short(answers)} to {len(seen)} observations; "
                    "it must return one action for each, in their order"
                )
        except Exception as error:
            return [_failure(error)] * len(seen)
        checked: list[Action | Failure] = []
        for answer in answers:
            try:
                checked.append(_action(answer))
            except BotError as error:
                checked.append(_failure(error))
        return checked

    def _start(self, start: MatchStart) -> None:
        key = (start.match, start.seat)
        goes_on = key in self._waiting and self._starts[key] == start
        self._waiting.discard(key)
        if goes_on:
            return
        self._starts[key] = start
        if self._batch is not None:
            self._batch.match_started(start)
            return
        bot = self._make()
        # Kept first: a bot whose match_started fails is still asked, and fails by its own doing.
        self._seats[key] = bot
        bot.begin(start)

    def _end(self, end: MatchEnd) -> None:
        whom = self._whom(end)
        self._forget((end.match, end.seat))
        whom.match_ended(end)

    def _forget(self, key: tuple[str, int]) -> None:
        self._seats.pop(key, None)
        self._starts.pop(key, None)
        self._waiting.discard(key)

    def _whom(self, notice: HandEnd | MatchEnd) -> Bot | BatchBot:
        return self._batch or self._seats[notice.match, notice.seat]


def _action(answer: object) -> Action:
    # An action that only looks like a legal one must not pass: the record says what came in words.
    well_made = type(answer) is Action and type(answer.name) is str and type(answer.cards) is tuple
    if not well_made:
        raise BotError(f"act returned {_short(answer)}; it must return one of seen.legal")
    assert isinstance(answer, Action)
    return answer


def _short(answer: object) -> str:
    """Return a short text of whatever a bot returned; its own __repr__ may fail too."""
    try:
        text = repr(answer)
    except Exception as error:
        text = f"an object whose repr raises {type(error).__name__}"
    return f"{text[:80]} ({type(answer).__name__})"


def _failure(error: Exception) -> Failure:
    """Account for the exception, leaving out the frames of this module."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    if frames is None:  # the bot raised nothing, it answered what is no action
        return Failure(str(error), f"{error}\n")
    shown = traceback.format_exception(type(error), error, frames)
    text = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    return Failure(text, "".join(shown))
