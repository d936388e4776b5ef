"""Other people's recordings as session logs: one module for each family of formats, one registry.

`docs/importing.md` is the page on what each keeps, and where its times come from.
"""

from histbench.importers.converting import ImportConversion, convert_recording
from histbench.importers.family import Format
from histbench.importers.importing import Import, import_events, import_session
from histbench.importers.registry import FORMATS, find_format, sniff
from histbench.importers.restoring import restore_values

__all__ = [
    "FORMATS",
    "Format",
    "Import",
    "ImportConversion",
    "convert_recording",
    "find_format",
    "import_events",
    "import_session",
    "restore_values",
    "sniff",
]
