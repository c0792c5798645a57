"""What gates and alerts keep: accepted changes, references, alerts and their deliveries."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accepted",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("run", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("at", "by", "reason")),
        sqlite_autoincrement=True,
    )
    op.create_index("accepted_series", "accepted", ["series"])
    op.create_table(
        "reference",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("accepted", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("made_at", "runs", "file", "means")),
        sa.UniqueConstraint("series", "accepted", name="reference_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "alert",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("measure", sa.Text, nullable=False),
        sa.Column("began", sa.Integer, nullable=False),
        sa.Column("began_at", sa.Text, nullable=False),
        sa.Column("ended", sa.Integer),
        sa.Column("ended_at", sa.Text),
        sa.Column("ended_why", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("series", "measure", "began", name="alert_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "delivery",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("alert", sa.Integer, sa.ForeignKey("alert.id", ondelete="CASCADE"), nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("moment", "target", "target_digest", "state", "at", "said")
        ),
        sa.UniqueConstraint("alert", "moment", "target_digest", name="delivery_once"),
        sqlite_autoincrement=True,
    )
