-- psql -v collection=my/collection.jsonl -f postgres_schema.sql
CREATE TEMPORARY TABLE lines (document jsonb);
\set copy '\\copy lines FROM ' :'collection' ' WITH (FORMAT csv, QUOTE E''\\x01'', DELIMITER E''\\x02'')'
:copy
CREATE TABLE cases (
    id text PRIMARY KEY,
    text text NOT NULL,
    meta jsonb,
    lexemes tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED
);
INSERT INTO cases (id, text, meta)
    SELECT coalesce(document->>'_id', document->>'id'), document->>'text', document->'meta' FROM lines;
CREATE INDEX ON cases USING gin (lexemes);
ANALYZE cases;
