"""Dictionaries as files: the content and nothing else, so that any zstd can use it.

    zstd -D pages.dictionary page.json      what `dcz` holds behind its header, but for the level

A file is written whole or not at all.
"""

import os
from pathlib import Path

from histbench.dictionaries.dictionary import MAX_DICTIONARY_BYTES, Dictionary
from histbench.errors import HistbenchError
from histbench.store.durable import open_file, replace_file, storage_error

__all__ = ["read_dictionary", "write_dictionary"]


def read_dictionary(path: str | os.PathLike[str]) -> Dictionary:
    """The dictionary in a file.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
        InvalidData: what `Dictionary.of` refuses.
    """
    named = Path(path)
    try:
        with open(open_file(named), "rb") as file:  # noqa: PTH123  (a descriptor)
            content = file.read(MAX_DICTIONARY_BYTES + 1)
    except OSError as error:
        raise storage_error(error, named) from error
    try:
        return Dictionary.of(content)
    except HistbenchError as error:
        raise error.at(file=str(path)) from None


def write_dictionary(dictionary: Dictionary, path: str | os.PathLike[str]) -> None:
    """Put a dictionary into a file, which only its owner may read, or as before if it was there.

    Raises:
        StorageError: why not.
    """
    replace_file(Path(path), [dictionary.content])
