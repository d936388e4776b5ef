"""A packed row: a run of deltas of one block held as one value, in two spellings.

A run's members share everything but seq (consecutive), time and text, so a row is a head and two
columns: the gaps between the members' times, and the members' texts.  `ListRow` holds the columns
as lists, for whoever has them anyway.  `Row` holds them as the raw JSON arrays of the storage
line, because most readers never look inside: they pass the row on, or want the joined text, which
is one `bytes.replace` away.  Both answer the same questions, and everything above this module asks
only those (`RowHead`), so a third spelling is one more class.

`Row.gaps` and `Row.texts` are canonical: exactly the bytes that `jsontext.encode` writes for the
lists.  Equal rows are therefore equal bytes.  `raw_columns` proves it for bytes from outside.
"""

from itertools import accumulate
from typing import Any

import msgspec
from msgspec import Struct

from histbench.events import DeltaKind, Event, is_blank
from histbench.jsontext import decode, encode, merge_surrogates
from histbench.raw_columns import joined_content

__all__ = ["CHUNK_TYPE", "ListRow", "Row", "RowHead", "encode_texts", "numbers_json"]

CHUNK_TYPE = "assistant/chunk"

_SEPARATOR = b'","'
_text_list = msgspec.json.Decoder(list[str])
_raw_list = msgspec.json.Decoder(list[msgspec.Raw])
_gap_list = msgspec.json.Decoder(list[int])
_one_text = msgspec.json.Decoder(str)


class RowHead(Struct, frozen=True, kw_only=True, gc=False):
    """What all members of a row share, and the questions every spelling of a row answers.

    `turn`, `step` and `index` are any JSON numbers (integral ones as int); `call_id` is set on
    tool-call rows only, `name` on some of them.  `count` is the number of members, at least 1;
    times are milliseconds.
    """

    kind: DeltaKind
    seq0: int
    time0: int
    turn: int | float
    step: int | float
    index: int | float
    call_id: str | None = None
    name: str | None = None
    count: int

    @property
    def seq(self) -> int:
        """The first member's seq, under the name that ordinary records use too."""
        return self.seq0

    @property
    def end_seq(self) -> int:
        """One past the last member's seq."""
        return self.seq0 + self.count

    def gap_list(self) -> list[int]:
        """The `count - 1` time differences between neighbours, in milliseconds."""
        raise NotImplementedError

    def text_list(self) -> list[str]:
        """The members' texts, in order."""
        raise NotImplementedError

    def text(self) -> str:
        """All texts joined, as JavaScript joins them: surrogate halves that meet are one character."""
        return merge_surrogates("".join(self.text_list()))

    def first_text(self) -> str:
        """The first member's text."""
        return self.text_list()[0]

    def times(self) -> list[int]:
        """The members' times."""
        return list(accumulate(self.gap_list(), initial=self.time0))

    def time_of(self, member: int) -> int:
        """One member's time."""
        return self.time0 if member == 0 else self.times()[member]

    def same_block(self, other: "RowHead") -> bool:
        """Whether members of `other` could stand in this row: same kind, block and call."""
        return (
            self.kind is other.kind
            and self.turn == other.turn
            and self.step == other.step
            and self.index == other.index
            and self.call_id == other.call_id
            and self.name == other.name
        )

    def events(self) -> list[Event]:
        """The members as logical events: new dicts, in the key order the original writes."""
        turn, step, index = self.turn, self.step, self.index
        delta, text_key = self.kind.delta, self.kind.text_key
        call: dict[str, Any] = {}
        if self.kind.is_call:
            call["id"] = self.call_id
            if self.name is not None:
                call["name"] = self.name
        return [
            {
                "type": CHUNK_TYPE,
                "seq": seq,
                "time": time,
                "data": {
                    "turn": turn,
                    "step": step,
                    "chunk": {"type": delta, "index": index, **call, text_key: text},
                },
            }
            for seq, time, text in zip(
                range(self.seq0, self.end_seq), self.times(), self.text_list(), strict=True
            )
        ]

    def data_json_start(self) -> bytes:
        """The JSON text of every member's `data` up to its text: what the members share."""
        turn, step, index = numbers_json(self.turn, self.step, self.index)
        call = b"".join(
            b'"%b":%b,' % (key, encode(value))
            for key, value in ((b"id", self.call_id), (b"name", self.name))
            if value is not None
        )
        return b'{"turn":%b,"step":%b,"chunk":{"type":"%b","index":%b,%b"%b":' % (
            turn,
            step,
            self.kind.delta.encode(),
            index,
            call,
            self.kind.text_key.encode(),
        )

    def event_jsons(self) -> list[bytes]:
        """The members as the JSON text of their events, without building the events."""
        start = self.data_json_start()
        return [
            b'{"type":"assistant/chunk","seq":%d,"time":%d,"data":%b%b}}}'
            % (seq, time, start, text)
            for seq, time, text in zip(
                range(self.seq0, self.end_seq), self.times(), self.text_jsons(), strict=True
            )
        ]

    def text_jsons(self) -> list[bytes]:
        """Each member's text as JSON."""
        return [encode(text) for text in self.text_list()]

    def first_token(self) -> int | None:
        """The position of the first member that carries a token, None when none does.

        A named call carries one with its name, so its first member counts whatever its text.
        """
        if self.name is not None or self.first_text():
            return 0
        return next((k for k, text in enumerate(self.text_list()) if text), None)

    def first_visible(self) -> int | None:
        """The position of the first member that is not blank; calls never are visible."""
        if self.kind.is_call:
            return None
        if not is_blank(self.first_text()):
            return 0
        return next((k for k, text in enumerate(self.text_list()) if not is_blank(text)), None)

    def value(self) -> dict[str, Any]:
        """The storage record as a plain JSON value, keys in written order (facts, section 2)."""
        data: dict[str, Any] = {
            "turn": self.turn,
            "step": self.step,
            "index": self.index,
            "dt": self.gap_list(),
        }
        if self.call_id is not None:
            data["id"] = self.call_id
        if self.name is not None:
            data["name"] = self.name
        data[self.kind.texts_key] = self.text_list()
        return {"type": self.kind.tag, "seq0": self.seq0, "time0": self.time0, "data": data}

    def cut(self, start: int, stop: int) -> "Row":
        """Members `start` to `stop` (exclusive, at least one) as a row; no event is built."""
        gaps = self.gap_list()
        return Row.of_columns(
            self,
            seq0=self.seq0 + start,
            time0=self.time0 + sum(gaps[:start]),
            gaps=gaps[start : stop - 1],
            texts=self.text_list()[start:stop],
        )


class ListRow(RowHead, frozen=True, kw_only=True, gc=False):
    """A row whose columns are lists."""

    gaps: list[int]
    texts: list[str]

    def gap_list(self) -> list[int]:
        """The gaps themselves; the list is the row's own."""
        return self.gaps

    def text_list(self) -> list[str]:
        """The texts themselves; the list is the row's own."""
        return self.texts


class Row(RowHead, frozen=True, kw_only=True, gc=False):
    """A row whose columns are canonical JSON arrays, read only when somebody asks."""

    gaps: bytes
    texts: bytes

    @classmethod
    def of_columns(
        cls, head: RowHead, *, seq0: int, time0: int, gaps: list[int], texts: list[str]
    ) -> "Row":
        """A row of `head`'s block with these columns."""
        return cls(
            kind=head.kind,
            seq0=seq0,
            time0=time0,
            turn=head.turn,
            step=head.step,
            index=head.index,
            call_id=head.call_id,
            name=head.name,
            count=len(texts),
            gaps=msgspec.json.encode(gaps),
            texts=encode_texts(texts),
        )

    @classmethod
    def of(cls, row: RowHead) -> "Row":
        """`row` in this spelling."""
        if type(row) is cls:
            return row
        return cls.of_columns(
            row, seq0=row.seq0, time0=row.time0, gaps=row.gap_list(), texts=row.text_list()
        )

    def gap_list(self) -> list[int]:
        """The gaps, parsed."""
        return _gap_list.decode(self.gaps)

    def text_list(self) -> list[str]:
        """The texts, parsed."""
        try:
            return _text_list.decode(self.texts)
        except msgspec.DecodeError:
            texts: list[str] = decode(self.texts)
            return texts

    def text(self) -> str:
        """All texts joined, from the raw array in a few passes over its bytes."""
        found = joined_content(self.texts[2:-2])
        try:
            if found is not None:
                return _one_text.decode(b'"%b"' % found[0])
        except msgspec.DecodeError:
            # Half a surrogate pair.
            pass
        return merge_surrogates("".join(self.text_list()))

    def first_text(self) -> str:
        """The first text, without parsing the others."""
        texts = self.texts
        stop = texts.find(b'"', 2)
        while (stop - 2 - len(texts[2:stop].rstrip(b"\\"))) % 2:
            # An odd number of backslashes before it: this quote is part of the text.
            stop = texts.find(b'"', stop + 1)
        text: str = decode(texts[1 : stop + 1])
        return text

    def cut(self, start: int, stop: int) -> "Row":
        """Members `start` to `stop` as a row; without escapes, no other text is looked at."""
        if b"\\" in self.texts:
            return super().cut(start, stop)
        gaps, inside = self.gap_list(), self.texts[2:-2]
        first = _text_offset(inside, start, self.count)
        last = _text_offset(inside, stop, self.count) - len(_SEPARATOR)
        return msgspec.structs.replace(
            self,
            seq0=self.seq0 + start,
            time0=self.time0 + sum(gaps[:start]),
            count=stop - start,
            gaps=msgspec.json.encode(gaps[start : stop - 1]),
            texts=b'["%b"]' % inside[first:last],
        )

    def text_jsons(self) -> list[bytes]:
        """Each member's text as JSON, cut from the array."""
        try:
            return list(map(bytes, _raw_list.decode(self.texts)))
        except msgspec.DecodeError:
            return super().text_jsons()

    def json(self) -> bytes:
        """The storage line of the row (no newline), byte for byte what the original writes."""
        turn, step, index = numbers_json(self.turn, self.step, self.index)
        call = b"" if self.call_id is None else b',"id":' + encode(self.call_id)
        if self.name is not None:
            call += b',"name":' + encode(self.name)
        return b"".join(
            (
                b'{"type":"%b","seq0":%d,"time0":%d,"data":{"turn":%b,"step":%b,"index":%b,"dt":'
                % (self.kind.tag.encode(), self.seq0, self.time0, turn, step, index),
                self.gaps,
                call,
                b',"%b":' % self.kind.texts_key.encode(),
                self.texts,
                b"}}",
            )
        )


def _text_offset(inside: bytes, member: int, count: int) -> int:
    """Where a member's text begins in what stands between the outer quotes of `count` texts.

    It is looked for from the nearer end.  Without escapes each quote inside belongs to a separator,
    so they pair up alike from both ends, even around a text that is a comma.
    """
    if member <= count // 2:
        return len(inside) - len(inside.split(_SEPARATOR, member)[-1])
    if member == count:
        return len(inside) + len(_SEPARATOR)
    return len(inside.rsplit(_SEPARATOR, count - member)[0]) + len(_SEPARATOR)


def encode_texts(texts: list[str]) -> bytes:
    """The canonical JSON array of `texts`; no number is in it, so msgspec prints as JavaScript."""
    try:
        return msgspec.json.encode(texts)
    except UnicodeEncodeError:
        # A half of a pair meets no other half: quotes and a comma stand between two texts.
        return encode(texts)


def numbers_json(*numbers: float) -> tuple[bytes, ...]:
    """Each number as JavaScript prints it."""
    return tuple(b"%d" % n if type(n) is int else encode(n) for n in numbers)
