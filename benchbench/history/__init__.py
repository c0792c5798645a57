"""Results over time: the store of records, series, gates on pairs, change points, alerts."""
