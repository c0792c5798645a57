"""Every command that has results, with the options that change them: a case each."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import golden_inputs as inputs
import indexes
from golden_masks import ASSISTANT, CLOSED, LOAD, NOTHING, RUN, Mask

ALL = ("text", "json", "jsonl", "csv", "markdown", "latex")
FIVE = ALL[:-1]  # without LaTeX
TEXT = ("text",)
WIDTHS = {"text-60": "60", "text-120": "120"}  # text as terminals of other widths show it
SCREENS = {
    "score-three", "compare-three", "compare-baseline", "compare-folders", "compare-margin", "compare-runs",
    "compare-folders-load", "answers-score", "answers-score-few", "answers-analyze", "passages", "index-list",
    "index-categories", "index-search", "index-test", "index-validate", "profile-metrics", "profile-client",
    "show-run", "show-load", "show-targets", "show-answers", "show-worst", "show-query", "audit", "datasets",
    "history-list", "history-summary", "history-diff", "history-trend",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A command line in a folder with inputs; `{a}` and `{b}` are URLs of services."""

    name: str
    command: tuple[str, ...]
    inputs: Callable[[], AbstractContextManager[dict[str, str]]]
    formats: tuple[str, ...] = ALL
    mask: Mask = NOTHING
    has_formats: bool = True  # it takes --format
    unread: str = "(?!)"  # files that no two runs write alike


def _case(name: str, command: str, *more: object) -> Case:
    """Return a case from a command line in which `+` stands for a blank within a word."""
    given = dict(zip(("inputs", "formats", "mask", "has_formats", "unread"), more, strict=False))
    if name in SCREENS:
        given["formats"] = (*given.get("formats", ALL), *WIDTHS)  # type: ignore[misc]
    return Case(name, tuple(word.replace("+", " ") for word in command.split()), **given)  # type: ignore[arg-type]


_CI = "--junit gates.xml --summary step.md"
_RUN = "run --dataset data --out out --batch-size 4 --concurrency 1"
_SHORT = "--tasks gold,accusation -k 3 -k 10"
_LOAD = "load --url {a} --dataset data --out out --order sequential --warm-up 0s --tasks gold,article -k 10"
_PAGE = r"out/(report\.html|load_summary\.txt)"  # of a load test and a run: its times are the content
_HITS_AND_PAGE = r"out/(hits\.parquet|report\.html)"
_SERVICE_PAGES = r"out/(\w/)?report\.html"
_OF_A_COMPARISON = r"page\.html"  # has machine and date, and its queries deflated: tests of the page read what is in it


def _runs() -> list[Case]:
    gates = f"--fail-if nDCG@10<0.99 --fail-if accusation.P@3<0.01 --fail-if p99>100s --fail-if errors>90% {_CI}"
    troubled = f"{_RUN} --url {{a}} --skip-bad-lines --max-positives 3 --name try <1> --retries 0"
    return [
        _case("run", f"{_RUN} --url {{a}}", inputs.searched, ALL, RUN, True, _PAGE),
        _case("run-shipped", "run --out out -k 10 --recall-denominator capped", inputs.nothing, ("text", "csv"),
              RUN, True, r"out/((hits|requests)\.parquet|run\.trec|qrels\.trec|report\.html)"),
        _case("run-few", f"{_RUN} --url {{a}} {_SHORT} --self id --gold id -q",
              inputs.searched, ALL, RUN, True, _HITS_AND_PAGE),
        _case("run-gates", f"{_RUN} --url {{a}} {_SHORT} {gates}", inputs.searched, ALL, RUN, True, _HITS_AND_PAGE),
        _case("run-troubled", f"{troubled.replace(' <1>', '+<1>')} {gates} --max-error-rate 0.5",
              inputs.troubled, ALL, RUN, True, _PAGE),
        _case("run-failed", f"{_RUN} --url {{a}} --batch-size 1 {gates} --max-error-rate 0.01",
              inputs.partly_failing, ALL, RUN, True, _PAGE),
        _case("run-useless", f"{_RUN} --url {{a}} {_SHORT}", inputs.useless, ALL, RUN, True, _HITS_AND_PAGE),
        _case("run-targets", f"{_RUN} --target a={{a}} --target b={{b}} {_SHORT} {gates} --max-error-rate 1",
              inputs.two_searched, ALL, RUN, True, _SERVICE_PAGES),
    ]  # fmt: skip


def _loads() -> list[Case]:
    gates = f"--fail-if nDCG@10<0.99 --fail-if p99>100s --fail-if errors>1% {_CI}"
    rates = "--duration 60ms --rate 50,100 --batch-size 4"
    closed = "--duration 20ms --concurrency 1,2 --batch-size 12"
    return [
        _case("load-open", f"{_LOAD} {rates}", inputs.searched, ALL, LOAD, True, _PAGE),
        _case("load-open-gates", f"{_LOAD} --duration 60ms --rate 50 --batch-size 2,4 {gates}",
              inputs.partly_failing, ALL, LOAD, True, _PAGE),
        _case("load-closed", f"{_LOAD} {closed} -q", inputs.searched, ALL, CLOSED, True,
              rf"{_PAGE}|out/(requests|over_time)\.parquet"),
        _case("load-broken", f"{_LOAD} --duration 30ms --rate 100 --batch-size 4 {gates}",
              inputs.broken, ALL, LOAD, True, _PAGE),
        _case("load-useless", f"{_LOAD} --duration 30ms --rate 100 --batch-size 4",
              inputs.useless, ALL, LOAD, True, _PAGE),
        _case("load-metrics", "load --list-metrics", inputs.nothing, TEXT, NOTHING, False),
    ]  # fmt: skip


def _scores() -> list[Case]:
    one, three = "score qrels.trec good.run", "score qrels.trec good.run poor.run tied.run"
    few = "-m nDCG@3 -m AP -m P@2 -m Judged@4"
    made = inputs.files(inputs.runs)
    return [
        _case("score", one, made),
        _case("score-per-query", f"{one} --per-query {few}", made),
        _case("score-three", three, made),
        _case("score-three-per-query", f"{three} --per-query {few}", made),
        _case("score-input-ties", f"{three} {few} --ties input -q", made),
        _case("score-expected-ties", f"{three} -m nDCG@3 -m P@2 -m RR --ties expected", made),
        _case("score-returned", f"{three} {few} --over returned", made),
        _case("score-skip", f"{three} {few} --no-positives skip --rel 2", made),
        _case("score-foreign", f"score qrels.trec other.run {few}", inputs.files(inputs.foreign_run)),
        _case("score-strict", f"score qrels.trec other.run {few} --strict", inputs.files(inputs.foreign_run), TEXT),
        _case("score-measures", "score --list-measures", inputs.nothing, TEXT, NOTHING, False),
    ]


def _comparisons() -> list[Case]:
    made, stored, other = map(inputs.files, (inputs.runs, inputs.stored, inputs.stored_differently))
    two, three = "compare qrels.trec good.run poor.run", "compare qrels.trec good.run poor.run tied.run"
    texts = "--queries queries.jsonl --collection documents.jsonl"
    gates = f"--fail-if Δ+nDCG@10+<+-0.01+and+p+<+0.05 --fail-if nDCG@10<0.1 {_CI}"
    few = "-m nDCG@10 -m RR --resamples 500"
    return [
        _case("compare", f"{two} --resamples 500", made),
        _case("compare-page", f"{two} {few} {texts} --slice court --moved 3 --html page.html {gates}", made,
              ALL, NOTHING, True, _OF_A_COMPARISON),
        _case("compare-three", f"{three} {few}", made),
        _case("compare-baseline", f"{three} {few} --baseline good --correction bh --family together "
              "--test wilcoxon --alpha 0.1 --seed 7 --tie 0.05 --power 0.9 --ties expected --no-positives skip --rel 2 "
              "--slice positives -q --name good --name p --name t", made),
        _case("compare-many", f"{three} {few} {texts} --slice court --html page.html", made, TEXT, NOTHING, True,
              _OF_A_COMPARISON),
        _case("compare-margin", f"{three} {few} --correction maxt --margin 0.3 --need 0.05 --resamples 100 "
              "--html page.html", made, ALL, NOTHING, True, _OF_A_COMPARISON),
        _case("compare-runs", f"compare good.run poor.run tied.run --resamples 500 {texts} --moved 2 --html page.html "
              f"--baseline good --fail-if overlap@10<0.9 --fail-if top_changed>5% {_CI}", made),
        _case("compare-folders", f"compare whole half --resamples 500 --slice accusation {gates}", stored),
        _case("compare-different", "compare whole half --resamples 500", other, TEXT),
        _case("compare-allowed", "compare whole half --resamples 500 --allow-different", other),
        _case("compare-folders-load", f"compare whole half load-whole {few.replace('RR', 'gold.P@3')} --html page.html "
              "--moved 2 --run-name W --run-name H", stored, ALL, NOTHING, True, _OF_A_COMPARISON),
    ]  # fmt: skip


def _answers() -> list[Case]:
    made = inputs.files(inputs.answers)
    few = "-m precedent_matching -m any_citation -m answer_length"
    gates = f"--fail-if precedent_matching<101% --fail-if errors>90% {_CI}"
    slow = f"{gates} --fail-if latency>100s"
    stored = "answers score answers.jsonl"
    asked = "answers run --config config.json --concurrency 1 --resultsdir asked"
    dated = r".*/report\.html"
    return [
        _case("answers-score", stored, made),
        _case("answers-score-few", f"{stored} {few} {gates} --out out", made, ALL, NOTHING, True, dated),
        _case("answers-score-slow", f"{stored} {slow}", made),
        _case("answers-score-truth", f"answers score bare.jsonl --ground-truth truth.jsonl {few}", made),
        _case("answers-metrics", "answers score --list-metrics", inputs.nothing, TEXT, NOTHING, False),
        _case("answers-analyze", "answers analyze truth.jsonl", made, ("text", "json")),
        _case("answers-run", f"{asked} {few} {gates}", inputs.assistant, ALL, ASSISTANT, True, dated),
        _case("answers-run-slow", f"{asked} {slow}", inputs.assistant, ("json", "markdown"), ASSISTANT, True, dated),
        _case("answers-run-failing", f"{asked} {few} {gates} --retries 0 --max-error-rate 0.1",
              inputs.failing_assistant, ALL, ASSISTANT, True, dated),
    ]  # fmt: skip


def _others() -> list[Case]:
    made, passages = inputs.files(inputs.collection), inputs.files(inputs.passages)
    held = "--collection collection.jsonl"
    azure = f"--url {{a}} --protocol azure-ai-search --protocol-option index=legal --header api-key:+{indexes.KEY}"
    return [
        _case("passages", "passages texts.json gold.json", passages),
        _case("passages-k", "passages texts.json gold.json -k 1 --per-query --out saved.json -q", passages),
        _case("passages-retrieved", "passages texts.json gold.json --ideal retrieved --per-query", passages),
        _case("passages-spans", "passages spans.json gold.json -k 2 --per-query --out saved.json", passages),
        _case("index-list", f"index list {held} --limit 3", made, FIVE),
        _case("index-list-none", f"index list {azure} --category=", inputs.azure, FIVE),
        _case("index-categories", f"index categories {held}", made, FIVE),
        _case("index-categories-azure", f"index categories {azure}", inputs.azure, FIVE),
        _case("index-search", f"index search disclosure+Commercial+Court {held} --top-k 2", made, FIVE),
        _case("index-search-azure", f"index search disclosure {azure} -q", inputs.azure, FIVE),
        _case("index-test", f"index test {held} --queries queries.txt", made, FIVE),
        _case("index-test-azure", f"index test {azure}", inputs.azure, FIVE),
        _case("index-export", f"index export disclosure {held} --out export.json", made, TEXT, NOTHING, False),
        _case("index-validate", f"index validate truth.jsonl {held}", made, FIVE),
        _case("index-validate-fuzzy", f"index validate truth.jsonl {azure} --fuzzy", inputs.azure, FIVE),
        _case("profile-metrics", "profile metrics --limit 20 --depth 10", inputs.profiled_metrics),
        _case("profile-client", "profile client --limit 64 --repeat 2", inputs.profiled_client),
    ]


def _shown() -> list[Case]:
    """Return what is stored, shown again: no time in it differs from run to run."""
    early, data = inputs.files(inputs.early), inputs.files(inputs.stored)
    return [
        _case("show-run", "show whole", data, TEXT),
        _case("show-load", "show load-whole", data, TEXT),
        _case("show-targets", "show targets", early, TEXT),
        _case("show-answers", "show answers", early, TEXT),
        _case("show-worst", "show whole --worst 5", data, TEXT),
        _case("show-query", "show whole --query c0", data, TEXT),
        _case("audit", "audit data", data, TEXT),
        _case("datasets", "datasets data", data, TEXT),
    ]


def _histories() -> list[Case]:
    made, three = inputs.files(inputs.history), ("text", "json", "markdown")
    beside = r"h\.db-.*"  # what SQLite keeps beside a file that is read
    return [
        _case(f"history-{name}", f"history {name} {more} --store h.db", made, three, NOTHING, True, beside)
        for name, more in {"list": "", "summary": "", "diff": "1 3 --slice category", "trend": "--by category"}.items()
    ]


CASES = (
    *(*_runs(), *_loads(), *_scores(), *_comparisons(), *_answers(), *_others(), *_shown()),
    *_histories(),
)
