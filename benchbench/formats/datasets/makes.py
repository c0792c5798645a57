"""The makes of data sets, the only list of them: a make is a module of this folder with a `MAKE`, and a line here."""

from benchbench.tables.names import IR_DATASETS

PACKAGE = IR_DATASETS.removesuffix(":")  # its data sets are no paths
MAKES = {  # make -> its module, in the order in which they are asked whether a path is theirs
    "described": "described",
    "tiered": "tiered",
    "beir": "beir",
    "parquet": "parquet_folders",
    "legalbench-rag": "legalbench_rag",
    "trec": "trec",
    PACKAGE: "package",
}
