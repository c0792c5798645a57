"""The citations of 60 rows of lawqa-jp, written down by reading them; none comes from the extractor.

Rows are those of `random.Random(6).sample(range(140), 60)`. q: the question with its choices. c: the context, of
20 of these rows. One word a citation: the law by a letter, then article/paragraph/item, in the order of the text.
What no reader of the text alone can tell is not listed: the article before 第１項から第３号まで in q124 is a blank.
"""

LAWS = {
    "K": "金融商品取引法",
    "R": "金融商品取引法施行令",
    "Y": "医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律",
    "N": "医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律施行規則",
    "S": "借地借家法",
    "T": "発行者以外の者による株券等の公開買付けの開示に関する内閣府令",
    "G": "金融商品取引業等に関する内閣府令",
    "Q": "有価証券の取引等の規制に関する内閣府令",
    "F": "金融分野ガイドライン",
    "D": "私的独占の禁止及び公正取引の確保に関する法律",
    "C": "消費者契約法",
    "I": "医療法",
}
SAMPLE = """
q0 K5/6 K5/1 K5/1 K5/1
q3 K13 K13/5
q5 K25/1
q9 K27-13
q11 K27-5 R10 R10 R10
q12 K27-38 K27-38/1 K27-38/2
q20 K24/1/3 K24/1/1 R3-4 R3-6
q24 K27-22-2/1 K27-22-2/1/2 R14-3-2/2 R14-3-2/3
q25 R9-3/1/1 R9-3/1/2 R9-4/1/1 T
q32
q33
q37 Y23-2-23 Y23-2/1
q42
q46
q50
q52
q54 K2/8/11
q56 K2/1
q62 R16-6/1/1/イ R16-6/1/1/ロ R16-6/1/1/ハ
q64 R16-13/1/2/ロ K156-24/1 K35/1
q65 K168
q66 K170
q68 G123/1/6 F9 F10 F8
q69 K2/8/1 K2-2 K2/2/5 R1-23 K41-4
q70 K2/1 K2/2/1 K2/1/5 K2/1/17 K2/1/1
q72 K37/1 G72/1/2 K37/1 K37/1/1 K37/1/2
q73 K64/1/1/イ K64/1/2/イ K2/2 K64/1/3
q75
q78
q81 Y1-3 Y1-4 Y1-5
q83
q84
q87
q89
q93 Y6-2/1/2 Y6-2/1/3 Y6-2/4 Y6-2/2
q95 Y14-2-2 Y14-2-2/1/1 Y14-2-2/1/2 Y14-2-2/1/3 Y14-2-2/3
q96 Y14/1 Y14-4/1/1 Y14-4/3 Y14-4/4
q97 K5/1 K2/1/10 K2/1/14 K2/1/13 K2/1/4
q98 K3/1 K2/2 K2/2 K3/1/3/イ K3/1/3/ロ I
q102 K185-22
q103 K2/3
q107 K167/2
q110 K27-32-2
q111 R
q114 D
q115
q116 K40 K40/1/1
q118 K29/1/4
q119 K33/1 K33/1/ただし書
q120 K2/1/15 K5/1 R2-13/1/1 R2-13/1/3 R2-13/1/2 K2/1/15
q124 R27-7 K165/1/1 K165 R27-6 K163 Q27
q125 R15-7/1/4 K29-4/1/4/ロ R15-7/1/3 K29-4/1/4/イ
q126 Y76-4 Y76-7/1
q129 Y72-5/1 Y72-5/2 Y72-6 Y66/1
q130
q131
q132 S S C
q133
q134
q138 S26/1 S26/1
c5 K K25 K25/1 K25 K26/1 K5/1 K5/13 K25/1/2 K25/1/4 K25/1/7 K25/1/3 K25/1/5 K25/1/6 K25/1/9
c9 K K27-13 K27-13/1 R R9-3 R9-3/1 K27-13/1 R9-3/1/1 R9-3/1/2 R9-4 K27-13/1 R9-4/1/1 R9-4/1/2 R9-4/1/1 R9-4/1/3 T
c9 T30-2 R9-4 R9-4
c11 K K27-5 K27-5/1 K27-5/1/1 K27-5/1/3 R R12 K27-5/1/3 R12/1/1 R10 K27-2/7 K27-5/1/2 R12/1/2 R10
c12 K K27-38 K27-38/1 K27-36/1 K27-36/2 K27-36/3 K27-38/2 K27-38/1
c20 K K24 K24/1 K24 K24/1/1 K24/1/3 K4/1/本文 K4/2/本文 K4/3/本文 K23-8/1/本文 K23-8/2 K24/1/1 K24/1/2 R R3-4 K24/1
c32 Y Y23-25 Y23-25/1 Y23-25/2 Y23-25/1 Y23-25/2/1 Y23-20/1 Y23-25/2/3 Y23-20 Y23-20/1 N N137-22 N137-22/1
c32 Y23-25/2/3/ハ Y23-25/11 N137-22/2
c46 S S3 S4 S9
c52 S S34 S34/1 S34/2 S34/1 S37 S31 S34 S35
c65 K K168 K168/1 K168/2 K168/3 K168/2
c69 K K2-2 K2/2/5 K2/8/1 K R R1-23 K2-2 K2/21/1 K2/21/2 K2/21/3 K2/21/4 K2/21/5 K2/22/1 K2/22/2 K2/22/3 K2/22/4
c69 K2/22/5 K2/22/6 K41-4 K41-5/本文 K42-5 K42-6/本文 K66-13 K185-22/1/1 K202/1
c72 K K37 K37/1 K37/1/1 K37/1/2 K37/1/3 G G72 K37 G72/1/1 G72/1/2
c73 K K64 K64/1 K64/1/1 K2/2 K2/2 K2/8/1 K2/8/2 K2/8/3 K2/8/5 K2/8/8 K2/8/9 K64/1/2 K2/8/4 K2/8/6 K2/8/10 K64/1/3
c73 K64/1/1 K64/1/2 K64-3 K64-3/1 K64/1
c75
c87 Y Y12 Y12/1 Y12/2 Y12/1 Y12/2/2 Y12/2/2 Y13/3/3 Y23-2/2/2 Y23-2-3/2/3 Y23-20/2/2 Y23-22/3/3
c93 Y Y6-2 Y6-2/1 Y6-2/1/3 Y6-2/2 Y6-2/1 Y6-2/3 Y6-2/4 Y6-2/1
c97 K K5 K5/1 K4/1 K4/2 K4/3 R R2-13 K5/1 R2-13/1/1 K2/1/4 K2/1/8 K2/1/13 K2/1/15 R2-13/1/2 K2/1/10 K2/1/11
c97 R2-13/1/3 K2/1/14
c107 K K167 K167/2 K167/1 K167/2 Q Q62 K167/2 R31 Q62/1/1
c126 Y Y76-4 Y76-5 Y76-7 Y76-7/1 Y76-4 Y76-4 Y76-7/2 Y76-7/1 Y76-7/1
c130
c131
"""


def expected() -> dict[tuple[str, int], list[tuple[str, tuple[str, ...]]]]:
    """Return the sample: "q" or "c" and the row's number, then law and path of each citation."""
    found: dict[tuple[str, int], list[tuple[str, tuple[str, ...]]]] = {}
    for line in SAMPLE.strip().splitlines():
        field, *citations = line.split()
        one = found.setdefault((field[0], int(field[1:])), [])
        one += [(LAWS[each[0]], tuple(each[1:].split("/")) if each[1:] else ()) for each in citations]
    return found
