"""Values that members of hits have in the answers of `answer_grammar`, as JSON, and texts like others.

Bytes that are no UTF-8 stand in the text as `surrogateescape` has them.
"""

import json
import random
import unicodedata

BLANKS = ("", "", "", " ", "\n", "\t", "\r", "\r\n  ", " \t\n\r ", " " * 70)
BAD_UTF8 = ("\udcff", "\udcc3", "\udce4\udcb8", "\udced\udca0\udc80", "\udcc0\udcaf", "\udcf4\udc90\udc80\udc80")
STRUCTURE = b'"\\{}[]:, \t\n\r0123456789-+.eEtfn/u\x00\x1f\x80\xff'

SCORES = (
    "1", "0", "-0", "-0.0", "7", "-3", "12.5", "0.1", "1e5", "1E5", "1.5e+10", "2e-7", "-1.25E-3", "1e-400", "5e-324",
    "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "0.30000000000000004", "1.7976931348623157e308", "2.2250738585072011e-308", "123456789.12345678901",
    "100.0", "0e0",
    "0.000000000000000000000000000000000000000000001", "1234567890.0987654321e-5", "0.1e1", "1e22", "1e23", "3.14e-0",
)  # fmt: skip
ODD_SCORES = (
    "NaN", "Infinity", "-Infinity", "null", '"3.5"', '""', "true", "false", "[]", "[1.0]", "{}", '{"a": 1}', "1e999",
    "-1e400", "9" * 400, "-" + "9" * 400, "9" * 5000, "18446744073709551616", "-9223372036854775809", "1" * 25,
    "01", "1.", ".5", "+1", "0x10", "1e", "-", "1_000", "nan", "1.e5", "--1", "1e+", "1.0.0",
)  # fmt: skip
ODD_IDS = (
    "null", '""', "0", "7", "-7", "1.5", "7.0", "-0", "1e5", "9007199254740993", "18446744073709551615", "9" * 30,
    "-9223372036854775809", "true", "false", "[]", "{}", '["a"]', '{"id": "a"}', '"\\ud800"', '"a\\udfffb"', "NaN",
    "1e999", "9" * 5000, '"\\u0000"', '"a\nb"', '"\x00"', '"\x1f"', '"\\x41"', '"\\u12"', '"\\ud83d\\u0041"', "'a'",
    *(f'"a{bad}b"' for bad in BAD_UTF8), '"a', "[[]]", "nul", "tru", "[" * 600 + "]" * 600, '" "', '"\x7f"',
)  # fmt: skip
ODD_HASHES = (
    "null", '""', "12", "1234567890123456", "true", '"123456789abcde"', '"123456789abcdef01"', '"g23456789abcdef0"',
    '"0x23456789abcdef"', '"-123456789abcdef"', '"+123456789abcdef"', '"1234567_89abcdef"', '" 123456789abcdef"',
    '"123456789abcdef "', '"１２３４５６７８９０１２３４５６"', '"٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣"',
    '"0000000000000000"', '"0000000000000001"',
    '"0000000000000002"', '"ffffffffffffffff"', '"\\u0031234567890abcdef"', '"123456789abcde\\u0066"', "[]", "{}",
    '"\\ud80034567890abcde"', "1e999", '"1234\\/67890abcdef"',
)  # fmt: skip
LABELS = (
    '"theft"', '"fraud"', '"盗窃"', '"[走私]毒品"', '" theft "', '["theft"]', '["fraud", "theft"]',
    '["theft", "fraud"]',
    "341", '"341"', "341.0", "3.41e2", "[341]", '["341", 342]', "[342,341]", "8", '"8"', "8.0", '" 8 "', "-1", "2.5",
    "0", "1", "true", "false", "[true]", "[1]", '["true"]', "[]", '""', '[""]', '"1e2"', '"th\\u0065ft"', '"a\\/b"',
    '["\\u76d7\\u7a83"]', "null", '"yes"', "1.0", "0.0", "[ 341 , 342 ]", '["theft","theft"]', '"\\ud83d\\ude00"',
    "9007199254740993", "[1.5]", "12345678901234567890", '"8 months"', '"٣"', '"+8"', '".5"', "1e300", "-0", "[0]",
)  # fmt: skip
ODD_LABELS = (
    "[null]", "[[]]", '[["theft"]]', '["theft", null]', "{}", '{"a": 1}', '[{"a": 1}]', "1e999", "[1e400]", '"1e400"',
    "NaN", "[NaN]", '"nan"', "9" * 400, "9" * 5000, "[-1e400]", '"\\ud800"', '["a\\udfff"]', '"\ttheft"',
    "[1,]", "[,]",
    '{"imprisonment": {}}', '{"imprisonment": [2]}', '["theft"', '{"a": {"b": "x"}}', "[true, 1]", "[1, true]",
    "Infinity", '"Infinity"', '{"b": "x"}', *(f'"theft{bad}"' for bad in BAD_UTF8), "[" * 1000 + "]" * 1000,
    "99999999999999999999999", "-99999999999999999999999",
)  # fmt: skip
METAS = ("null", '"x"', "[]", '[{"accusation": "theft"}]', "1", "true", '""', "{}", '"{}"', "[{}]", '{"meta": {}}')
OTHERS = (
    "null", "true", "false", "0", "-1.5e3", '""', '"x"', "[]", "{}", "[[],[[]]]", '{"id": "inner", "text": "inner"}',
    '{"meta": {"accusation": "inner"}}', '[{"id": "inner"}, {"score": 3}]', '{"a": [1, {"b": [true, null, "]}"]}]}',
    '"\\"]},{[\\\\"', '"\\\\"', '"\\\\\\""', '["\\"", "\\\\", "}"]', '{"": {"": []}}', '"\\u0022"', '"日本語"', '"😀"',
    '{"results": [[{"id": "inner"}]]}', '"' + "x" * 63 + '"', '"' + "x" * 64 + '\\""', '"' + "\\\\" * 40 + '"',
    "[ ]", "{ }", "{\t}", "[\r\n]", '{ "a" : 1 , "b" : [ 1 , 2 ] }', '{"id":1,"id":{"id":2}}',
    "[1,2,3,4,5,6,7,8,9,0]",
    '"é\\u0301"', "12345678901234567890123", '{"a":{"b":{"c":{"meta":{"text":"x"}}}}}', '"\x7f"', '"\\b\\f\\n\\r\\t"',
)  # fmt: skip
ODD_OTHERS = (
    "1e999", "-1e400", "9" * 5000, "NaN", "-Infinity", '"\\ud800"', '"\\udc00\\ud800"', "[1,]", "[1 2]", '{"a"}',
    '{"a":}', '{"a":1,}', "{a:1}", "[}", "{]", "tru", "nulll", "01", "1.", '"\\q"', '"\\u00g0"', '"\n"',
    '"\x01"', "''",
    *(f'"{bad}"' for bad in BAD_UTF8), '{"\udcff": 1}', "[" * 900 + "]" * 900, "[" * 1020 + "]" * 1020, "/**/1",
    "[" * 1100 + "]" * 1100, '{"a":' * 1000 + "1" + "}" * 1000, "[" * 2000 + "]" * 2000, "[" * 2000,
    "\udcef\udcbb\udcbf1",
    '{"a":' * 1030 + "1" + "}" * 1030, "1" * 25, "-" + "9" * 5000, "0." + "9" * 5000, "[" * 500 + "1" + "]" * 499, "",
)  # fmt: skip
OTHER_NAMES = (
    "x", "took", "idx", "i", "ids", "textual", "tex", "text_has", "text_hash2", "score1", "scor", "metadata", "met",
    "_i", "__id", "accusation2", "accusatio", "accusati", "relevant", "relevant_articles_", "relevant_article",
    "articles2", "imprison", "imprisonmen", "imprisonment2", "term_of_", "term_of_imprisonmen", "death_pe", "", "日本",
    "é", "😀", "Id", "ID", "result", "results", "results2", "a", "b", "a.b", "meta.accusation", "id ", " id", "k" * 300,
    "_source", "payload", "doc_idx", "fact_", "fact_ids", "content_", "@x", "k" * 62, "k" * 63, "k" * 64,
)  # fmt: skip
ESCAPED_NAMES = (
    "b\\n", "text\\u0000", '\\"id\\"', "\\\\", "i\\u0064d", "id\\u0000", "\\u0069d", "m\\u0065ta", "\\n", "a\\/b",
    '\\"',
)  # fmt: skip
SHAPES = (
    "null", "{}", "[]", "0", '"x"', "[null]", "[{}]", "[[null]]", "[[{}]]", '[["a"]]', "true", "[[],[]]", '{"a":[]}',
    '"]"', '"[]"', '"{}]"', '"]]"', '" ]"', '"["', "[ ]", "[[]", "]", '"\\"]"', '["]"]', '{"]":[]}',
)  # fmt: skip

_CHARACTERS = (
    "abcdefgh ij", "被告人于年月日在市区因经营亏损", "éàüçñ", "한국어법원", "かがきぎはばぱ", "😀𝒳𠀀",
    "\u0301\u0300\u3099\u0323",
    "かき\u3099はひ\u309a", "ᄒᆞᆫ각", "\r\n", "\n\t ", "\u00a0\u3000\u2028\u0085\u001c", "ﬁⅣ①Å", "\"\\/",
    "\u0000\u001f", "a",
)  # fmt: skip


def quoted(text: str, chance: random.Random, escapes: float) -> str:
    """Return a text as JSON, in which so many of its characters are escapes that need not be."""
    if not escapes:
        return json.dumps(text, ensure_ascii=chance.random() < 0.3)
    return '"' + "".join(_escaped(character, chance, escapes) for character in text) + '"'


def _escaped(character: str, chance: random.Random, escapes: float) -> str:
    if chance.random() < escapes:
        if character == "/":
            return "\\/"
        units = character.encode("utf-16-be")
        numbers = [int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2)]
        return "".join(chance.choice(("\\u%04x", "\\u%04X")) % number for number in numbers)
    return json.dumps(character, ensure_ascii=False)[1:-1]


def some_text(chance: random.Random, longest: int) -> str:
    pools = chance.choices(_CHARACTERS, k=chance.choice((1, 1, 2, 3)))
    length = chance.choice((0, 1, 3, 8, 15, 16, 17, 18, 24, 33, longest))
    return "".join(chance.choice(chance.choice(pools)) for _ in range(length))


def like(text: str, chance: random.Random) -> str:
    """Return a text that equals another, or nearly."""
    n = chance.randrange(14, 20)
    match chance.randrange(14):
        case 0 | 1 | 2:
            return text
        case 3:
            return chance.choice((" ", "\r\n", "\u3000", "\t \u00a0", "\u2028", "\u001c")) + text
        case 4:
            return text + chance.choice((" ", "\r\n", "\u3000\n", "\u0301", "x"))
        case 5:
            return unicodedata.normalize("NFD", text)
        case 6:
            return unicodedata.normalize("NFC", text)
        case 7:
            return text.replace("\n", "\r\n")
        case 8:
            return text.replace("\n", "\r")
        case 9:
            return text[:16] + some_text(chance, 60)
        case 10:
            return text[:n]
        case 11:
            return text[:n] + chance.choice(("\u0301", "\u3099", "\u1161", "\u0323\u0301", "x")) + text[n:]
        case 12:
            return text[: n - 14] + chance.choice("xé\u0301") + text[n - 13 :]
        case _:
            return text + some_text(chance, 200)
