"""A folder that is there as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Give a new folder beside ``target``, which takes its name when all has gone well.

    After any error nothing is left of it. Who is killed leaves a folder that begins with a dot.

    Raises:
        OSError: there is something at ``target``, or the disk does not take it.
    """
    if os.path.lexists(target):
        raise FileExistsError(f"{target} is there already")
    folder = Path(mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        yield folder
        folder.rename(target)
    except BaseException:
        shutil.rmtree(folder)
        raise
