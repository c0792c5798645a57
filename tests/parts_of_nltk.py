"""What tests use of NLTK, and nothing more: its packages import scikit-learn, pandas and scipy, which takes seconds."""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec

for name in ("nltk", "nltk.stem", "nltk.tokenize"):
    spec = find_spec(name)
    assert spec
    sys.modules.setdefault(name, module_from_spec(spec))  # it says where its modules are, and imports none of them

PorterStemmer = import_module("nltk.stem.porter").PorterStemmer
PunktSentenceTokenizer = import_module("nltk.tokenize.punkt").PunktSentenceTokenizer
WordTokenizer = import_module("nltk.tokenize.destructive").NLTKWordTokenizer
