"""What of a log may leave the house: its shape without its text, and no secret unseen.

`redaction` replaces text by text of the same shape, word by word (`words`) in the alphabets of
`alphabets`, as it streams by (`text`); `structure` lists what is kept.  `secrets` finds what looks
like one.  Nothing here reads or writes files; a key is an argument.
"""

from histbench.privacy.redaction import MIN_KEY_BYTES, Redactor, redact_events, redact_log
from histbench.privacy.secrets import Secret, SecretFinder, find_secrets

__all__ = [
    "MIN_KEY_BYTES",
    "Redactor",
    "Secret",
    "SecretFinder",
    "find_secrets",
    "redact_events",
    "redact_log",
]
