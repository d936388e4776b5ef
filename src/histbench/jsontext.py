r"""JSON text to Python values and back, read and written the way JavaScript reads and writes it.

Session logs are written by JavaScript programs and read by them again, so its habits are the
format.  Five differ from Python's, and this is the only place that knows them:

1. A number is a number: `1.0`, `1e3` and `-0` are the integers 1, 1000 and 0, and are written so.
2. A string is UTF-16.  Half of a surrogate pair is a legal string, which UTF-8 cannot carry: it
   is read from and written as a `\udXXX` escape.  Two halves that meet become one character.
3. Of duplicate keys the last value wins, at the place of the first.
4. Keys that look like array indices are written first, in ascending order.
5. `NaN` and infinities do not exist in the text; here they are refused, never turned into null.

One habit is *not* taken over: an integer past 2^53 keeps all its digits (JavaScript would round
it), because a log may hold identifiers of other programs and nothing here may change them.

msgspec does the work; the standard library takes over where msgspec refuses lone surrogates, and
the writer below where JavaScript prints a value differently.
"""

import json
import math
import re
from typing import Any

import msgspec

from histbench.errors import InvalidJson, Place

__all__ = [
    "JsonValue",
    "check_utf8",
    "decode",
    "encode",
    "encode_strictly",
    "is_utf8",
    "js_number",
    "merge_surrogates",
    "same",
]


# A plain alias: a recursive type would make every caller narrow what JSON leaves open.
JsonValue = Any

# JavaScript prints integral doubles below this without an exponent (ECMA-262, Number::toString).
_PLAIN_INTEGER_LIMIT = 1e21
_SMALLEST_PLAIN = 1e-6
# Below this the shortest digits of an integral double are all of its digits.
_EXACT_DIGITS_LIMIT = 1e16

# The largest array index of JavaScript is 2^32 - 2; larger digit strings are ordinary keys.
_ARRAY_INDEX_LIMIT = 2**32 - 1

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_BYTE_IN_MESSAGE = re.compile(r" \(byte ([0-9]+)\)$")

# What msgspec prints unlike JavaScript, or may have made up: `null`, which is also its answer to
# NaN, index-like keys, `1.0` and exponents.  A match inside a string only costs time, and each
# pattern starts with a literal, without which the search takes longer than the printing.
_SUSPECTS = tuple(
    re.compile(pattern).search
    for pattern in (rb"null", rb'"[0-9]+":', rb"\.0(?:[,\]}]|\Z)", rb"e[-+]?[0-9]+(?:[,\]}]|\Z)")
)


def js_number(value: object) -> int | float | None:
    """`value` as JavaScript holds the number, integral ones as int; None when it is no number.

    An integer that no double comes near is none: JavaScript reads it as an infinity and would
    write null.

    >>> js_number(1.0), js_number(True), js_number(2**53 + 1), js_number(0.5)
    (1, None, 9007199254740992, 0.5)
    """
    if type(value) is int:
        return value if -(2**53) <= value <= 2**53 else _rounded(value)
    if type(value) is float and math.isfinite(value):
        return _normal(value)
    return None


def _rounded(value: int) -> int | float | None:
    try:
        return _normal(float(value))
    except OverflowError:
        return None


def _normal(value: float) -> int | float:
    if not value.is_integer() or abs(value) >= _PLAIN_INTEGER_LIMIT:
        return value
    # The integer that JavaScript prints, which past 1e16 has fewer digits than the double.
    return int(value) if abs(value) < _EXACT_DIGITS_LIMIT else int(_print_float(value))


def _read_float(text: str) -> int | float:
    value = float(text)
    if math.isinf(value):
        message = "number beyond the range of a double"
        raise InvalidJson(message, code="number_out_of_range", found=text)
    return _normal(value)


def _refuse_constant(text: str) -> float:
    raise InvalidJson("not JSON", found=text, expected="a JSON number")


_decoder = msgspec.json.Decoder(float_hook=_read_float)
_encoder = msgspec.json.Encoder()
_standard = json.JSONDecoder(parse_float=_read_float, parse_constant=_refuse_constant)


def decode(data: bytes | str) -> JsonValue:
    r"""The value that JSON text holds.

    Args:
        data: one JSON value, UTF-8 when bytes; white space around it is allowed, a BOM is not.

    Raises:
        InvalidJson: the text is not JSON (`invalid_json`, with the byte where msgspec names one),
            not UTF-8 (`invalid_utf8`), nested past the interpreter's limit (`too_deep`) or holds
            a number that no double can or an integer of thousands of digits
            (`number_out_of_range`).

    >>> decode('{"a": 1.0, "b": "\\ud83d", "a": 2e3}')
    {'a': 2000, 'b': '\ud83d'}
    """
    try:
        return _decoder.decode(data)
    except RecursionError:
        raise _too_deep() from None
    except msgspec.ValidationError as error:
        raise InvalidJson(str(error), code="number_out_of_range") from error
    except msgspec.DecodeError as error:
        raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        if _SURROGATE_ESCAPE.search(raw) is None and not isinstance(data, str):
            # What is not UTF-8 is no text, before it is no JSON, wherever either shows.
            check_utf8(data)
            raise _malformed(error) from error
    except UnicodeEncodeError:
        # A str with raw surrogates: only the standard library takes it.
        pass
    return _decode_slowly(data)


def _decode_slowly(data: bytes | str) -> JsonValue:
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        # raw_decode would skip no white space; decode() does, and refuses a BOM and trailing text.
        return _standard.decode(text)
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        byte = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        raise InvalidJson(f"not JSON: {error.msg}", where=Place(byte=byte)) from error
    except ValueError as error:
        # The interpreter's limit on the digits of an integer.
        raise InvalidJson(str(error), code="number_out_of_range") from error


def _malformed(error: msgspec.DecodeError) -> InvalidJson:
    text = str(error).removeprefix("JSON is malformed: ")
    match = _BYTE_IN_MESSAGE.search(text)
    if match is None:
        return InvalidJson(f"not JSON: {text[:1].lower()}{text[1:]}")
    return InvalidJson(f"not JSON: {text[: match.start()]}", where=Place(byte=int(match[1])))


def _not_utf8(error: UnicodeDecodeError) -> InvalidJson:
    return InvalidJson("text is not UTF-8", code="invalid_utf8", where=Place(byte=error.start))


def _too_deep() -> InvalidJson:
    return InvalidJson("nested too deeply", code="too_deep")


def is_utf8(data: bytes) -> bool:
    """Whether `data` is UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def check_utf8(data: bytes) -> None:
    """Raise InvalidJson (`invalid_utf8`) unless `data` is UTF-8."""
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error


def encode(value: JsonValue) -> bytes:
    r"""`value` as JavaScript's JSON.stringify prints it, in UTF-8.

    A value of a type that JSON has not and msgspec has a spelling for (a date, a set, bytes) is
    spelled so; where a caller's values come in, `encode_strictly` refuses those too.

    Raises:
        InvalidJson: `value` holds something JSON cannot (`not_json`), or nests too deeply.

    >>> encode({"b": 1.0, "a": "é", "1": [1e21, "\ud83d"]})
    b'{"1":[1e+21,"\\ud83d"],"b":1,"a":"\xc3\xa9"}'
    """
    try:
        out = _encoder.encode(value)
    except RecursionError:
        raise _too_deep() from None
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError):
        return _encode_slowly(value)
    for suspect in _SUSPECTS:
        if suspect(out) is not None:
            return _encode_slowly(value)
    return out


def encode_strictly(value: JsonValue) -> bytes:
    """`encode`, for a value that a caller made: what is no JSON value is refused, not converted.

    Raises:
        InvalidJson: as `encode`.
    """
    out = encode(value)
    # What msgspec converted reads back as something else.
    return out if decode(out) == value else _encode_slowly(value)


def _encode_slowly(value: JsonValue) -> bytes:
    parts: list[str] = []
    try:
        _write(value, parts.append)
    except RecursionError:
        raise _too_deep() from None
    text = merge_surrogates("".join(parts))
    text = _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode("utf-8")


def _write(value: JsonValue, put: Any) -> None:
    # bool before int: True is an int to Python and none to JSON.
    if value is None:
        put("null")
    elif value is True or value is False:
        put("true" if value else "false")
    elif isinstance(value, str):
        put(json.dumps(value, ensure_ascii=False))
    elif isinstance(value, int):
        put(_print_integer(value))
    elif isinstance(value, float):
        put(_print_float(value))
    elif isinstance(value, dict):
        _write_object(value, put)
    elif isinstance(value, list | tuple):
        _write_array(value, put)
    else:
        raise InvalidJson(
            "not a JSON value", code="not_json", found=type(value).__name__, expected="a JSON value"
        )


def _write_object(value: dict[Any, JsonValue], put: Any) -> None:
    opener = "{"
    for key in _written_order(value):
        put(opener)
        put(json.dumps(key, ensure_ascii=False))
        put(":")
        _write(value[key], put)
        opener = ","
    put("{}" if opener == "{" else "}")


def _write_array(value: list[JsonValue] | tuple[JsonValue, ...], put: Any) -> None:
    opener = "["
    for member in value:
        put(opener)
        _write(member, put)
        opener = ","
    put("[]" if opener == "[" else "]")


def _written_order(value: dict[Any, JsonValue]) -> list[str]:
    for key in value:
        if not isinstance(key, str):
            raise InvalidJson("a key is no string", code="not_json", found=key, expected="str")
    indices = [key for key in value if _is_array_index(key)]
    if not indices:
        return list(value)
    return sorted(indices, key=int) + [key for key in value if not _is_array_index(key)]


def _is_array_index(key: str) -> bool:
    if not key.isascii() or not key.isdigit() or (key[0] == "0" and key != "0"):
        return False
    return len(key) <= len(str(_ARRAY_INDEX_LIMIT)) and int(key) < _ARRAY_INDEX_LIMIT


def _print_integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError as error:
        # The interpreter's limit on digits: what is written could not be read.
        raise InvalidJson(str(error), code="number_out_of_range") from error


def _print_float(value: float) -> str:
    """ECMA-262 Number::toString: the shortest digits, laid out by the size of the exponent."""
    if not math.isfinite(value):
        raise InvalidJson(
            "not a JSON value", code="not_json", found=value, expected="a finite number"
        )
    if value == 0:
        return "0"
    text = repr(value)
    if "e" not in text:
        return text.removesuffix(".0")
    mantissa, _, exponent_text = text.partition("e")
    exponent = int(exponent_text)
    if abs(value) >= _PLAIN_INTEGER_LIMIT or abs(value) < _SMALLEST_PLAIN:
        return f"{mantissa.removesuffix('.0')}e{exponent:+d}"
    sign = "-" if value < 0 else ""
    digits = mantissa.lstrip("-").replace(".", "")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    return f"{sign}{digits.ljust(exponent + 1, '0')}"


def merge_surrogates(text: str) -> str:
    r"""`text` with every high half followed by a low half made one character, as UTF-16 has it.

    >>> merge_surrogates("\ud83d" + "\ude00") == "\U0001f600"
    True
    """
    # UTF-8 refuses half a pair, and finds none much sooner than a search does.
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        pass
    else:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def same(left: JsonValue, right: JsonValue) -> bool:
    """Whether two JSON values are the same one: numbers by value, true never equal to 1.

    >>> same({"a": [1.0]}, {"a": [1]}), same([True], [1])
    (True, False)
    """
    # With a stack of our own: values nest as deep as the parser lets them, calls do not.
    pairs = [(left, right)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, dict):
            if not isinstance(right, dict) or left.keys() != right.keys():
                return False
            pairs.extend((member, right[key]) for key, member in left.items())
        elif isinstance(left, list | tuple):
            if not isinstance(right, list | tuple) or len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif isinstance(left, bool) or isinstance(right, bool):
            if left is not right:
                return False
        elif _as_printed(left) != _as_printed(right):
            return False
    return True


def _as_printed(value: JsonValue) -> JsonValue:
    return _normal(value) if isinstance(value, float) and math.isfinite(value) else value
