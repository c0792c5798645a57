import math

import numpy as np
import yarl
from hit_lists import assert_same, hits_of

from benchbench.client.label_codes import LabelSecrets
from benchbench.client.secrets import HIDDEN, Secrets
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Vocabulary

SCHEMA = LabelSchema(tuple(Label(kind.value, kind, (), ((kind.value,),)) for kind in Kind))


def test_secrets_in_labels_are_hidden_and_counted_and_nothing_else_is_changed():
    vocabulary = Vocabulary()
    own = vocabulary.code(["s3cr3tPW", "of the query"])
    secrets = LabelSecrets(vocabulary, SCHEMA, Secrets(yarl.URL("http://alice:s3cr3tPW@example"), {}))
    for _ in range(2):  # what was found once is known
        codes = vocabulary.codes([["a", "my s3cr3tPW!"], ["a"], None, ["s3cr3tPW", "of the query"], ["s3cr3tPW"]])
        flags = [MISSING, MISSING, vocabulary.flag(True), MISSING, vocabulary.flag("s3cr3tPW")]
        numbers = [1.0, math.nan, 2.0, 3.0, 4.0]
        hits = hits_of([5], list("abcde"), labels=[codes, flags, numbers])
        given = hits.labels[2]
        secrets.hide(hits)
        sets = vocabulary.sets()
        assert [None if code == MISSING else set(sets[code]) for code in hits.labels[0]] == [
            {"a", f"my {HIDDEN}!"},
            {"a"},
            None,
            {"s3cr3tPW", "of the query"},
            {HIDDEN},
        ]
        assert (hits.labels[0][1:4].tolist(), hits.labels[0][3]) == (codes[1:4], own)
        assert hits.labels[1][:4].tolist() == flags[:4]
        assert sets[hits.labels[1][4]] == {HIDDEN}
        assert hits.labels[2] is given
        assert [column.dtype for column in hits.labels] == [np.int32, np.int32, np.float64]
        assert hits.faults == {"labels_with_a_secret": 3}


def test_hits_without_labels_stay_so():
    hits = Hits.none(3)
    LabelSecrets(Vocabulary(), SCHEMA, Secrets(yarl.URL("http://alice:s3cr3tPW@example"), {})).hide(hits)
    assert_same(hits, Hits.none(3))
