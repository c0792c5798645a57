"""What alembic runs: the steps, in the transaction of the connection that it is given."""

from alembic import context

from benchbench.history.migration import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    transactional_ddl=True,  # alembic takes SQLite for unable; its connection begins transactions by itself
)
context.run_migrations()
