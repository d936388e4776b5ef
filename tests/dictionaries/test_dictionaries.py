"""Dictionaries: what is encoded with one is had back with it, and with nothing else."""

import contextlib
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from histbench.dictionaries import (
    DCZ_HEADER_BYTES,
    MAX_DICTIONARY_BYTES,
    MAX_SAMPLES,
    DczEncoder,
    Dictionary,
    dcz_encoding,
    decode_dcz,
    read_dictionary,
    sample_pages,
    share_samples,
    train_dictionary,
    write_dictionary,
)
from histbench.dictionaries.dictionary import read_field
from histbench.errors import HistbenchError, InvalidData, LimitExceeded, StorageError, UsageError
from histbench.history import FORMS, encode_page, select_page
from histbench.log import EventLog
from store_logs import conversation

MAGIC = bytes.fromhex("5e2a4d1820000000")


def a_log(turns: int, *, word: str = "word") -> EventLog:
    """A log of a conversation whose texts hold a word."""
    events = conversation(turns)
    for event in events:
        chunk = event["data"].get("chunk")
        if chunk is not None and "text" in chunk:
            chunk["text"] += f" {word}"
    return EventLog.from_events(events)


OTHER_LOG = a_log(30, word="other")
SAMPLES = [page for turns in (40, 50, 60) for page in sample_pages(a_log(turns), most=20)]
TRAINED = train_dictionary(SAMPLES * 4, size=4096)
OTHER = Dictionary.of(b"another dictionary " * 40)
RAW = Dictionary.of(SAMPLES[0][-2000:])

pages = st.one_of(
    st.binary(max_size=3000),
    st.sampled_from(SAMPLES),
    st.builds(
        lambda number, form: encode_page(select_page(OTHER_LOG, max_messages=number), form),
        st.integers(1, 20),
        st.sampled_from(sorted(FORMS)),
    ),
)
dictionaries = st.sampled_from([TRAINED, RAW, OTHER]) | st.binary(min_size=256, max_size=2000).map(
    lambda content: Dictionary.of(b"\0" + content)
)


def only(dictionary: Dictionary):
    """The dictionaries of somebody who has one."""
    return {dictionary.digest: dictionary}.get


def outcome(encoded: bytes, *, max_bytes: int) -> tuple[str | None, bytes]:
    """The code that a stream is refused with, or what it decodes to."""
    try:
        return None, decode_dcz(encoded, only(TRAINED), max_bytes=max_bytes)
    except HistbenchError as error:
        return error.code, b""


@given(page=pages, dictionary=dictionaries, level=st.sampled_from([1, 3, 6, 12]))
def test_every_page_comes_back_with_its_dictionary(page, dictionary, level):
    """Lossless for every pair, and exactly the page's length is enough of a bound."""
    encoding = dcz_encoding(dictionary, level=level)
    encoded = encoding.encode(page)

    assert encoding.decode(encoded, max_bytes=len(page)) == page
    assert encoded == DczEncoder(dictionary, level=level)(page)
    if page:
        with pytest.raises(LimitExceeded) as caught:
            encoding.decode(encoded, max_bytes=len(page) - 1)
        assert caught.value.code == "encoding_too_large"


@given(page=pages, dictionary=dictionaries)
def test_a_stream_is_what_the_rfc_says(page, dictionary):
    """Magic number, SHA-256, one frame that a plain zstd reads when it is told the raw content."""
    encoded = DczEncoder(dictionary)(page)
    raw = zstandard.ZstdCompressionDict(
        dictionary.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT
    )
    frame = zstandard.get_frame_parameters(encoded[DCZ_HEADER_BYTES:])

    assert encoded[:8] == MAGIC
    assert encoded[8:40] == sha256(dictionary.content).digest()
    assert frame.content_size == len(page)
    assert frame.has_checksum
    # It is the content that counts: a frame names no dictionary by an id of its own.
    assert frame.dict_id == 0
    assert frame.window_size <= 8 * 1024 * 1024
    assert zstandard.ZstdDecompressor(dict_data=raw).decompress(encoded[DCZ_HEADER_BYTES:]) == page


@pytest.mark.skipif(shutil.which("zstd") is None, reason="there is no zstd program")
def test_the_zstd_program_reads_a_stream(tmp_path):
    """Another implementation, given file and dictionary, writes the page."""
    write_dictionary(TRAINED, tmp_path / "pages.dictionary")
    stream = tmp_path / "page.zst"
    stream.write_bytes(DczEncoder(TRAINED)(SAMPLES[0]))
    done = subprocess.run(
        ["zstd", "-d", "-c", "-D", str(tmp_path / "pages.dictionary"), str(stream)],
        capture_output=True,
        check=True,
    )

    assert done.stdout == SAMPLES[0]


@given(page=pages, dictionary=dictionaries, others=st.lists(dictionaries, max_size=3))
def test_without_its_dictionary_a_stream_is_refused(page, dictionary, others):
    """Not by what comes out, but by the name, before anything is decompressed."""
    encoded = DczEncoder(dictionary)(page)
    known = {each.digest: each for each in others if each != dictionary}

    with pytest.raises(InvalidData) as caught:
        decode_dcz(encoded, known.get, max_bytes=len(page))

    assert caught.value.code == "unknown_dictionary"


@given(page=pages)
def test_a_dictionary_under_another_name_gives_no_other_page(page):
    """Somebody who lies about the name is found out by the checksum, where it matters."""
    encoded = DczEncoder(TRAINED)(page)

    with contextlib.suppress(InvalidData):
        assert decode_dcz(encoded, lambda _: OTHER, max_bytes=len(page)) == page


@given(page=pages, data=st.data())
def test_a_stream_cut_anywhere_is_refused(page, data):
    """A prefix never passes for the whole."""
    encoded = DczEncoder(TRAINED)(page)
    cut = data.draw(st.integers(0, len(encoded) - 1))

    with pytest.raises(InvalidData) as caught:
        decode_dcz(encoded[:cut], only(TRAINED), max_bytes=len(page))

    assert caught.value.code == "invalid_encoding"


@given(page=pages, data=st.data())
def test_a_flipped_bit_never_gives_another_page(page, data):
    """Header, hash, sizes, content or checksum: refused with a code, but for bits without meaning."""
    encoded = bytearray(DczEncoder(TRAINED)(page))
    at = data.draw(st.integers(0, len(encoded) - 1))
    encoded[at] ^= 1 << data.draw(st.integers(0, 7))
    code, decoded = outcome(bytes(encoded), max_bytes=len(page))

    if code is None:
        assert at >= DCZ_HEADER_BYTES
        assert decoded == page
    elif 8 <= at < DCZ_HEADER_BYTES:
        assert code == "unknown_dictionary"
    else:
        assert code in {"invalid_encoding", "encoding_too_large"}


@pytest.mark.parametrize("tail", [b"x", b"\0", "again"])
def test_bytes_after_the_stream_are_refused(tail):
    """What follows the frame is never dropped in silence."""
    encoded = DczEncoder(TRAINED)(SAMPLES[0])

    with pytest.raises(InvalidData) as caught:
        decode_dcz(encoded + (encoded if tail == "again" else tail), only(TRAINED), max_bytes=10**6)

    assert caught.value.code == "invalid_encoding"


@given(data=st.binary(max_size=300), with_header=st.booleans())
def test_foreign_bytes_raise_nothing_but_invalid_data(data, with_header):
    """No library's own exception gets out, with the right header in front or without."""
    header = MAGIC + TRAINED.digest if with_header else b""
    with contextlib.suppress(InvalidData):
        decode_dcz(header + data, only(TRAINED), max_bytes=1000)


def test_a_bomb_is_refused_before_it_is_read():
    """A thousandfold expansion ends at the size that the frame states."""
    bomb = DczEncoder(TRAINED)(bytes(50_000_000))

    with pytest.raises(LimitExceeded) as caught:
        decode_dcz(bomb, only(TRAINED), max_bytes=10_000_000)

    assert len(bomb) < 50_000
    assert caught.value.code == "encoding_too_large"


def test_one_encoder_serves_many_threads():
    """Pages that are encoded at the same time are what they are one by one."""
    encoder = DczEncoder(TRAINED)
    pages = SAMPLES * 10
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(encoder, pages))

    assert together == [encoder(page) for page in pages]


def test_a_frame_that_states_no_size_is_refused():
    """There would be nothing to bound it by."""
    raw = zstandard.ZstdCompressionDict(TRAINED.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    frame = zstandard.ZstdCompressor(dict_data=raw, write_content_size=False).compress(b"abc" * 99)

    with pytest.raises(InvalidData) as caught:
        decode_dcz(MAGIC + TRAINED.digest + frame, only(TRAINED), max_bytes=1000)

    assert caught.value.code == "invalid_encoding"


def test_the_same_samples_give_the_same_dictionary():
    """Training draws nothing; another order, or other samples, may give another."""
    again = train_dictionary(list(SAMPLES * 4), size=4096)

    assert again == TRAINED
    assert len(again.content) <= 4096
    assert train_dictionary(SAMPLES[3:] * 4, size=4096) != TRAINED


def test_a_trained_dictionary_saves_bytes_on_a_page_of_another_log():
    """What it is for: the page holds what others held."""
    page = encode_page(select_page(a_log(45, word="else"), max_messages=4))
    without = zstandard.ZstdCompressor(level=6).compress(page)

    assert len(DczEncoder(TRAINED)(page)) < len(without)


@pytest.mark.parametrize("samples", [[], [b""], [b"x" * 9] * 3, [b"one page"], [b""] * 100])
def test_too_few_samples_are_refused(samples):
    """No dictionary comes out of nothing."""
    with pytest.raises(InvalidData) as caught:
        train_dictionary(samples)

    assert caught.value.code == "too_few_samples"


@pytest.mark.parametrize("size", [0, -1, 255, MAX_DICTIONARY_BYTES + 1])
def test_sizes_are_bounded(size):
    """A dictionary is a few kilobytes, and never what somebody mistypes."""
    with pytest.raises(UsageError) as caught:
        train_dictionary(SAMPLES, size=size)

    assert caught.value.code == "dictionary_size"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "dictionary_too_small"),
        (b"x" * 255, "dictionary_too_small"),
        (bytes(MAX_DICTIONARY_BYTES + 1), "dictionary_too_large"),
        (b"\x37\xa4\x30\xec" + b"x" * 1000, "dictionary_format"),
    ],
)
def test_what_is_no_dictionary_is_refused(content, code):
    """Too little, too much, or a format of which only the bytes would be taken."""
    with pytest.raises(InvalidData) as caught:
        Dictionary.of(content)

    assert caught.value.code == code


def test_a_dictionary_is_what_its_name_says():
    """Bytes that came from elsewhere are held against the hash that they were asked for by."""
    assert Dictionary.of(TRAINED.content, digest=TRAINED.digest) == TRAINED
    with pytest.raises(InvalidData) as caught:
        Dictionary.of(TRAINED.content + b"x", digest=TRAINED.digest)
    assert caught.value.code == "dictionary_mismatch"


@given(digest=st.binary(min_size=32, max_size=32))
def test_a_field_names_a_hash(digest):
    """Written and read, the same 32 bytes."""
    assert read_field(f" {Dictionary(b'', digest).field} ") == digest


@given(text=st.text(max_size=60) | st.text("ABCx0/+=:", min_size=46, max_size=46))
def test_other_fields_are_refused(text):
    """Whatever a stranger sends ends in a code, or is the one spelling of a hash."""
    try:
        found = len(read_field(text))
    except InvalidData as error:
        found = error.code

    assert found in {"dictionary_field", 32}


def test_files_hold_the_content_and_nothing_else(tmp_path: Path):
    """A dictionary is read back as it was written, and a file that holds none is named."""
    path = tmp_path / "pages.dictionary"
    write_dictionary(OTHER, path)
    write_dictionary(TRAINED, path)

    assert path.read_bytes() == TRAINED.content
    assert read_dictionary(path) == TRAINED
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StorageError) as missing:
        read_dictionary(tmp_path / "none")
    assert missing.value.code == "file_not_found"
    with pytest.raises(StorageError) as folder:
        read_dictionary(tmp_path)
    assert folder.value.code == "is_a_directory"
    path.write_bytes(b"short")
    with pytest.raises(InvalidData) as short:
        read_dictionary(path)
    assert (short.value.code, short.value.where.file) == ("dictionary_too_small", str(path))


@given(logs=st.integers(0, 2000))
def test_samples_are_shared_out_evenly(logs):
    """Every log gives as many as every other, whatever there are, and no more than can be held."""
    taken, most = share_samples(logs)

    assert len(taken) == min(logs, MAX_SAMPLES // 2)
    assert taken == sorted(set(taken))
    assert all(0 <= each < logs for each in taken)
    assert len(taken) * most * 2 <= MAX_SAMPLES
    assert most >= 1


@given(turns=st.integers(1, 60), most=st.integers(1, 9))
def test_samples_are_pages_of_the_log(turns, most):
    """Pages of the newest end first, each in both forms, and never the same stretch twice."""
    log = a_log(turns)
    samples = list(sample_pages(log, most=most))
    stretches = [FORMS["packed"].validate(FORMS["packed"].parse(each)) for each in samples[::2]]

    assert len(samples) == 2 * min(most, -(-len(log) // 512))
    assert stretches[0].to_seq == log.to_seq
    for newer, older in pairwise(stretches):
        assert older.to_seq <= newer.from_seq
