"""Bots of strangers: packed by their authors, unpacked, understood and built by the server.

What comes out of an archive is hostile until it has passed here. ``packing`` is the author's side;
``unpacking``, ``manifest`` and ``building`` are the server's, in this order. None of them needs a
server, a store or a network; ``building`` needs one where a bot has requirements.
"""
