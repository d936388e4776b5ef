"""The epoch of a session's file: what positions in it are good for.

The same after a restart of the daemon, another once another file lies there: its device, its inode,
and what a log's header says of its beginning.
"""

from hashlib import blake2b

from histbench.serve.sessions import Session

__all__ = ["epoch_of"]


def epoch_of(session: Session, identity: tuple[int, int]) -> str:
    """The epoch of a session whose open file has this device and inode."""
    named = (*identity, session.kind, session.session_id, session.header.get("createdAt"))
    return blake2b(repr(named).encode("utf-8", "replace"), digest_size=8).hexdigest()
