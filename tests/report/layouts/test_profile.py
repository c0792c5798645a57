"""A profile, drawn; golden files have what its commands print."""

from dataclasses import replace

from any_result import UNBROKEN

from benchbench.profile.client import ClientProfile, ClientRow, ClientWorkload
from benchbench.profile.machine import Machine
from benchbench.profile.profile_result import ProfileResult
from benchbench.profile.stages import Stage
from benchbench.report.draw import draw
from benchbench.stored import load

FOUND = ClientProfile(
    Machine(processor="A processor", cores=2, date="2026-11-22", python="3.11.7", versions={"benchbench": "0.1.0"}),
    "a canned service",
    ClientWorkload(6400, 32, 20, 4),
    2,
    (
        ClientRow(
            answer="texts and labels",
            bytes=890_000,
            client="benchbench",
            version="0.1.0",
            requests_per_s=400.4,
            queries_per_s=12_812.8,
            ratio=1.0,
            rounds=(0.5, 0.499),
        ),
        ClientRow(answer="ids and scores", bytes=20_000, client="late", version="2", failure="OSError: gone"),
    ),
    (
        Stage(
            answer="texts and labels",
            bytes=890_000,
            stage="texts",
            us_per_answer=1_234.5,
            us_per_hit=1.929,
            rounds=(1_234.5,),
        ),
        Stage(answer="ids and scores", bytes=20_000, stage="stages", failure="OSError: gone | away"),
    ),
)
PROFILE = ProfileResult(FOUND)


def test_a_page_has_the_stages_too_and_a_profile_of_before_has_none():
    page = draw(PROFILE, "html")
    assert "1,234.5" in page
    assert "ids and scores, stages: OSError: gone | away" in page
    assert "Stage" not in draw(ProfileResult(replace(FOUND, stages=())), "text")


def test_parsing_alone_is_a_reference_and_no_rival():
    (ours, _), version = FOUND.clients, {"version": "1", "rounds": (1.0, 1.5)}
    rivals = [
        ClientRow(answer=ours.answer, bytes=890_000, client=name, requests_per_s=done, ratio=ratio, **version)
        for name, done, ratio in (("loop", 100.1, 4.0), ("no network: orjson", 800.8, 0.5))
    ]
    profile = ProfileResult(replace(FOUND, clients=(ours, *rivals)))
    shown, page = draw(profile, "text", UNBROKEN), draw(profile, "html")
    assert shown.startswith(
        "benchbench takes 2.5 ms per request, 4.0 times as fast as loop, with 4 requests in flight against 1.\n"
    )
    assert "reference: orjson" in shown
    assert "Parsing and hashing alone, on one core, take 1.25 ms." in page
    assert f'rowspan="3">{ours.answer}, 890 kB' in page
    assert "overlap" not in page
    slow = replace(rivals[0], rounds=(0.4, 0.6))
    tied = draw(ProfileResult(replace(FOUND, clients=(ours, slow))), "html")
    assert f"Of {ours.answer} the ranges of the rounds overlap: a tie." in tied
    assert "about as fast as loop" in tied
    assert "0.5 × benchbench" not in page
    assert "Means with their intervals" not in page


def test_the_record_has_the_stages_with_answer_and_stage_as_their_scope():
    (number,) = [one for one in PROFILE.record.numbers if one.name == "us_per_answer"]
    assert number.scope == {"answer": "texts and labels", "stage": "texts"}
    assert (number.value, number.unit, number.better, number.n) == (1_234.5, "µs", "lower", 2)
    (rate,) = [one for one in PROFILE.record.numbers if one.name == "queries_per_s"]
    assert (rate.unit, rate.better) == ("queries/s", "higher")
    assert [(one.reason, one.scope) for one in PROFILE.record.failures][1:] == [
        ("OSError: gone | away", {"answer": "ids and scores", "stage": "stages"})
    ]
    assert [one.name for one in PROFILE.record.subject] == ["benchbench", "late"]


def test_a_stored_profile_has_its_stages_again(tmp_path):
    folder = PROFILE.save(tmp_path / "profile")
    assert draw(load(folder), "text", UNBROKEN) == draw(PROFILE, "text", UNBROKEN)
