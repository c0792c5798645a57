-- The tables of a store. In PostgreSQL an AUTOINCREMENT is SERIAL, a BLOB is BYTEA, and WITHOUT ROWID is left out.

CREATE TABLE run (
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,  -- order of recording; that of a deleted run is not given again
    id TEXT NOT NULL,  -- of the record
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT NOT NULL,
    added TEXT NOT NULL,
    series TEXT NOT NULL,
    signature TEXT NOT NULL,
    data TEXT NOT NULL,
    data_digest TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    branch TEXT NOT NULL,
    source TEXT NOT NULL,
    values_file TEXT NOT NULL,
    record BLOB NOT NULL,  -- JSON, by zlib
    details BLOB NOT NULL,  -- the same
    bytes BIGINT NOT NULL,  -- of record, details and values per query
    UNIQUE (id)
);

CREATE INDEX run_series ON run (series);

CREATE TABLE number (
    run INTEGER NOT NULL,
    place INTEGER NOT NULL,  -- in the record
    measure TEXT NOT NULL,
    scope TEXT NOT NULL,  -- JSON
    slice TEXT,
    value FLOAT,
    low FLOAT,
    high FLOAT,
    stderr FLOAT,
    n BIGINT,
    unit TEXT NOT NULL,
    better TEXT,
    PRIMARY KEY (run, place),
    FOREIGN KEY(run) REFERENCES run (number) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE tag (
    run INTEGER NOT NULL,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,  -- in no index: PostgreSQL refuses long texts there
    value TEXT NOT NULL,
    PRIMARY KEY (run, place),
    FOREIGN KEY(run) REFERENCES run (number) ON DELETE CASCADE
) WITHOUT ROWID;

-- The tables below came with schema 0002.

CREATE TABLE accepted (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    series TEXT NOT NULL,
    run INTEGER NOT NULL,  -- the first of the new reference
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    reason TEXT NOT NULL
);

CREATE INDEX accepted_series ON accepted (series);

CREATE TABLE reference (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    series TEXT NOT NULL,
    accepted INTEGER NOT NULL,  -- 0 for the first
    made_at TEXT NOT NULL,
    runs TEXT NOT NULL,  -- JSON: ids of records
    file TEXT NOT NULL,  -- Parquet, beside the store
    means TEXT NOT NULL,  -- JSON: measure -> mean of each run
    CONSTRAINT reference_once UNIQUE (series, accepted)
);

CREATE TABLE alert (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    series TEXT NOT NULL,
    measure TEXT NOT NULL,
    began INTEGER NOT NULL,  -- number of a run
    began_at TEXT NOT NULL,
    ended INTEGER,  -- number of a run
    ended_at TEXT,
    ended_why TEXT,
    body TEXT NOT NULL,  -- JSON
    CONSTRAINT alert_once UNIQUE (series, measure, began)
);

CREATE TABLE delivery (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    alert INTEGER NOT NULL,
    moment TEXT NOT NULL,  -- began, ended
    target TEXT NOT NULL,  -- as it is shown, without a secret
    target_digest TEXT NOT NULL,
    state TEXT NOT NULL,  -- sending, sent, failed
    at TEXT NOT NULL,
    said TEXT NOT NULL,
    CONSTRAINT delivery_once UNIQUE (alert, moment, target_digest),
    FOREIGN KEY(alert) REFERENCES alert (id) ON DELETE CASCADE
);
