"""Runs, their numbers and their tags."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "run",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in (
                *("kind", "name", "status", "started", "finished", "added", "series", "signature"),
                *("data", "data_digest", "commit", "branch", "source", "values_file"),
            )
        ),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("details", sa.LargeBinary, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("run_series", "run", ["series"])
    op.create_table(
        "number",
        sa.Column("run", sa.Integer, sa.ForeignKey("run.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("measure", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("slice", sa.Text),
        *(sa.Column(name, sa.Float(53)) for name in ("value", "low", "high", "stderr")),
        sa.Column("n", sa.BigInteger),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("better", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tag",
        sa.Column("run", sa.Integer, sa.ForeignKey("run.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
