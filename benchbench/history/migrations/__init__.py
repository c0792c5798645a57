"""The steps from each schema of the store to the next, as alembic reads them."""
