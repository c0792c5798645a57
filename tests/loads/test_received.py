import pytest

from benchbench.loads.received import ReceivedAnswers


@pytest.mark.parametrize("memory", [1, 1 << 20])
def test_equal_answers_to_a_batch_are_kept_once_and_counted(memory: int):
    with ReceivedAnswers(memory) as answers:
        assert [answers.keep(*one) for one in [(0, b"xx"), (1, b"xx"), (0, b"xx"), (0, b"yyy"), (0, b"")]] == [
            0,
            1,
            0,
            2,
            3,
        ]
        assert answers.times == [2, 1, 1, 1]
        assert list(answers) == [(0, 0, b"xx"), (1, 1, b"xx"), (2, 0, b"yyy"), (3, 0, b"")]
        assert answers.keep(2, b"later") == 4
        assert list(answers)[-1] == (4, 2, b"later")


def test_no_answer_is_nothing():
    with ReceivedAnswers() as answers:
        assert list(answers) == []
