"""The tables of the store, as the latest migration leaves them."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

run = Table(
    "run",
    METADATA,
    Column("number", Integer, primary_key=True),  # order of recording
    Column("id", Text, nullable=False, unique=True),  # of the record
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("finished", Text, nullable=False),
    Column("added", Text, nullable=False),
    Column("series", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("data_digest", Text, nullable=False),
    Column("commit", Text, nullable=False),
    Column("branch", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("values_file", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),  # JSON, by zlib
    Column("details", LargeBinary, nullable=False),  # the same
    Column("bytes", BigInteger, nullable=False),  # of record, details and values per query
    Index("run_series", "series"),
    sqlite_autoincrement=True,  # the number of a deleted run is not given again
)

number = Table(
    "number",
    METADATA,
    Column("run", Integer, ForeignKey("run.number", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),  # in the record
    Column("measure", Text, nullable=False),
    Column("scope", Text, nullable=False),  # JSON
    Column("slice", Text),
    Column("value", Float(53)),
    Column("low", Float(53)),
    Column("high", Float(53)),
    Column("stderr", Float(53)),
    Column("n", BigInteger),
    Column("unit", Text, nullable=False),
    Column("better", Text),
    sqlite_with_rowid=False,
)

tag = Table(
    "tag",
    METADATA,
    Column("run", Integer, ForeignKey("run.number", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),  # in no index: PostgreSQL refuses long texts there
    Column("value", Text, nullable=False),
    sqlite_with_rowid=False,
)

accepted = Table(
    "accepted",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("series", Text, nullable=False),
    Column("run", Integer, nullable=False),  # the first of the new reference
    Column("at", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Index("accepted_series", "series"),
    sqlite_autoincrement=True,
)

reference = Table(
    "reference",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("series", Text, nullable=False),
    Column("accepted", Integer, nullable=False),  # 0 for the first
    Column("made_at", Text, nullable=False),
    Column("runs", Text, nullable=False),  # JSON: ids of records
    Column("file", Text, nullable=False),  # Parquet, beside the store
    Column("means", Text, nullable=False),  # JSON: measure -> mean of each run
    UniqueConstraint("series", "accepted", name="reference_once"),
    sqlite_autoincrement=True,
)

alert = Table(
    "alert",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("series", Text, nullable=False),
    Column("measure", Text, nullable=False),
    Column("began", Integer, nullable=False),  # number of a run
    Column("began_at", Text, nullable=False),
    Column("ended", Integer),  # number of a run
    Column("ended_at", Text),
    Column("ended_why", Text),
    Column("body", Text, nullable=False),  # JSON
    UniqueConstraint("series", "measure", "began", name="alert_once"),
    sqlite_autoincrement=True,
)

delivery = Table(
    "delivery",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("alert", Integer, ForeignKey("alert.id", ondelete="CASCADE"), nullable=False),
    Column("moment", Text, nullable=False),  # began, ended
    Column("target", Text, nullable=False),  # as it is shown, without a secret
    Column("target_digest", Text, nullable=False),
    Column("state", Text, nullable=False),  # sent, failed
    Column("at", Text, nullable=False),
    Column("said", Text, nullable=False),
    UniqueConstraint("alert", "moment", "target_digest", name="delivery_once"),
    sqlite_autoincrement=True,
)
