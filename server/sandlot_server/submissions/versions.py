"""Which submission it is: a digest of its files, which anyone can compute again by hand.

It is the SHA-256 of the list of its files as ``sha256sum`` prints it, sorted by name::

    sha256sum bot.py bot.toml | sha256sum

Of the files and not of the archive, whose bytes another zlib packs otherwise. The list is made of a
single file too: were that file's own digest its version, a file that holds such a list would have
the version of the files listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def version_of(digests: Mapping[str, str]) -> str:
    """Return the version of a submission, in hex.

    Args:
        digests: the SHA-256 of each file in hex, by its name.

    >>> version_of({"bot.py": "ab" * 32})[:8]
    '466e66d7'
    """
    # Sorted by code points, which in UTF-8 is the order of the bytes: that of LC_ALL=C sort.
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()
