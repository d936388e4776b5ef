"""Small recordings of every format and dialect, made here: the words are this project's own."""

from importer_agent_samples import AGENT_SAMPLES
from importer_model_samples import MODEL_SAMPLES
from importer_words import Sample, as_array, as_lines, as_sse

__all__ = ["SAMPLES", "Sample", "as_array", "as_lines", "as_sse"]

SAMPLES = {**MODEL_SAMPLES, **AGENT_SAMPLES}
