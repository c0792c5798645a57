"""The citations of 30 articles of the criminal code and of 30 sentences of CAIL2018, written down by reading them.

Articles are those of `random.Random(6).sample(…, 30)` among the articles that cite anything, each under a heading with
its number; the citations of that heading are not listed. Sentences are sampled in the same way among those that may
cite anything: most say 《中华人民共和国刑法》××××, for the numbers are masked in these data. 刑法 is left out before a
path, and stands alone as "-".
"""

ARTICLES = {
    "1": "宪法 -",
    "10": "- -",
    "26": "26/3",
    "65": "65/1",
    "76": "77",
    "97": "-",
    "119": "119/1",
    "120": "120/1",
    "153": "151 152 347 153/1",
    "158": "158/1",
    "171": "170",
    "185": "272 185/1 185/1 384",
    "198": "198/1/4 198/1/5 198/1",
    "220": "213 214 215 216 217 218 219 219-1",
    "233": "-",
    "234": "234/1 -",
    "245": "245/1",
    "246": "246/1 246/1",
    "260之一": "260-1/1 260-1/1 260-1/1",
    "269": "263",
    "289": "234 232 263",
    "294": "294/1 294/2 294/3",
    "319": "319/1 319/1",
    "325": "325/1 325/1",
    "333": "333/1 234",
    "337": "337/1 337/1",
    "339": "152/2 152/3",
    "350": "350/1 350/1 350/2 350/1 350/2",
    "355之一": "355-1/1",
    "363": "363/1",
}
SENTENCES = (  # the third says 第三百五十七 without 条, a slip that a reader sees through
    *("-", "-", "- 357", "- -", "-", "-", "", "-", "-", "-", "-", "", "", "-", "-"),
    *("234", "-", "-", "", "-", "-", "-", "-", "-", "-", "", "-", "-", "-", "-"),
)


def citations(line: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return law and path of each citation of a line."""
    found = []
    for one in line.split():
        path = tuple(one.split("/")) if one[0].isdigit() else ()
        found.append(("宪法" if one == "宪法" else "刑法", path))
    return found
