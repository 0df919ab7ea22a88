"""Children of bots that leave everything behind by which a child is usually known."""

from __future__ import annotations

from typing import Final

IN_A_SESSION_OF_ITS_OWN: Final = """
if os.fork() == 0:
    os.setsid()
    say("grandchild")
    forever()
"""

NOTHING_KEPT: Final = """
if sys.argv[1:] == ["daemon"]:
    say("grandchild")
    forever()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 1024)
        os.execve(sys.executable, [sys.executable, "-S", os.path.abspath("bot.py"), "daemon"], {})
    os._exit(0)
os.wait()
"""
"""A daemon by the book: it has another parent, session, group and program, and no environment."""

DAEMONS: Final = {"in a session": IN_A_SESSION_OF_ITS_OWN, "nothing kept": NOTHING_KEPT}
