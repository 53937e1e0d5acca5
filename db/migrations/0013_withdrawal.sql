-- What was imported or noted wrongly is withdrawn: it is in no list, table or comparison any more, and stays with who
-- withdrew it and why. Only this is ever changed of such a row, and only once.

ALTER TABLE imports
    ADD COLUMN withdrawn_at  timestamptz,            -- NULL: it was not
    ADD COLUMN withdrawn_by  text,
    ADD COLUMN withdrawn_why text CHECK (octet_length(withdrawn_why) BETWEEN 1 AND 4096),
    ADD CHECK (num_nulls(withdrawn_at, withdrawn_by, withdrawn_why) IN (0, 3)),
    ADD CHECK (withdrawn_at IS NULL OR NOT shipped);
-- The same text again is the import that is there, unless that was withdrawn.
ALTER TABLE imports DROP CONSTRAINT imports_identity_key;
CREATE UNIQUE INDEX imports_identity ON imports (identity) WHERE withdrawn_at IS NULL;

ALTER TABLE notes
    ADD COLUMN withdrawn_at  timestamptz,
    ADD COLUMN withdrawn_by  text,
    ADD COLUMN withdrawn_why text CHECK (octet_length(withdrawn_why) BETWEEN 1 AND 4096),
    ADD CHECK (num_nulls(withdrawn_at, withdrawn_by, withdrawn_why) IN (0, 3)),
    ADD CHECK (withdrawn_at IS NULL OR NOT shipped);
