"""The citations of 60 lines of the uk-cpr corpus, written down by reading them; none comes from the extractor.

Lines are those of `random.Random(6).sample(…, 60)` among the lines below 400 characters that have a number and a word
such as rule or Act. Each is read alone, so most of its Acts are unknown: "?" is the empty source. Treaties are not
listed.
"""

_TEXT = """
0 CPR:87.7
1 CPR:8 CPR:8
2 CPR:1.46.2 PD_510:
3 Civil_Jurisdiction_and_Judgments_Act:Schedule_1.20 Civil_Jurisdiction_and_Judgments_Act:Schedule_4.15
4 PD_54C:
5 ?:6.2
6 ?:50.1
7 PD_6A:
8 Constitutional_Reform_Act:
9 Courts_and_Legal_Services_Act_1990:11
10 ?:6C.2
11 PD_61:
12 Public_Contracts_Regulations_2015: Public_Contracts_Regulations_2015:89 Public_Contracts_Regulations_2015:90
13 CPR:82.31 ?:18.1 ?:17.3.e ?:9.1
14 ?:1.3
15
16
17 TCG_Regulations:9.3
18 PD_3D:
19 CPR:42.4
20 Land_Compensation_Act_1961:21
21 CPR:88.24.5.b
22 CPR:31.16 CPR:31.17
23 CPR:77.21
24 CPR:6.32 CPR:6.33 CPR:6.32 CPR:6.33 CPR:11
25 CPR:29.6.4
26 Guardianship_(Missing_Persons)_Act_2017:
27
28 Council_Tax_(Administration_and_Enforcement)_Regulations_1992:
29 CPR:19.2
30 ?:47A
31 CPR:1.1
32 CPR:57.27
33 CPR:23
34 ?:8.4
35 CPR:8
36
37 ?:68.3 ?:68.4
38 CPR:8.2A SI_2000/221:
39 CPR:62.9.1
40
41 Social_Security_(Recovery_of_Benefits)_Act_1997:6
42 Proceeds_of_Crime_Act_2002_(External_Requests_and_Orders)_Order_2005:
43 ?:2
44 CPR:2.11 CPR:3.1.2.a
45 ?:4
46 Local_Government_Act_1972: Local_Government_Act_1972:92
47
48 CPR:7
49 ?:6.3
50 CPR:38.2.1
51 PD_52A: PD_52B: PD_52C: PD_52D: PD_52E:
52 CPR:74.3
53 CPR:38
54 CPR:81.5.2
55
56 CPR:74.12 PD_2E:
57
58 CPR:8
59 CPR:36 CPR:36.24
"""


def expected() -> list[list[tuple[str, tuple[str, ...]]]]:
    """Return source and path of each citation, line by line."""
    found = []
    for line in _TEXT.strip().splitlines():
        citations = []
        for one in line.split()[1:]:
            source, _, path = one.replace("_", " ").partition(":")
            citations.append(("" if source == "?" else source, tuple(path.split(".")) if path else ()))
        found.append(citations)
    return found
