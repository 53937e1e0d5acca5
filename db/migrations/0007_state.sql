-- What is recorded of the machine's state beside the numbers.

-- Of a wrapped tool, as it says itself; empty: none.
ALTER TABLE load_runs ADD COLUMN tool_version text NOT NULL DEFAULT '';

-- Facts of the machine that made a load run worthless for comparison. Any makes its boot disturbed.
CREATE TABLE disturbances (
    load_run    bigint NOT NULL REFERENCES load_runs,
    ordinal     integer NOT NULL,                   -- in the order of the result; the first is the boot's reason
    rule        text NOT NULL CHECK (rule <> ''),
    fact        text NOT NULL,
    PRIMARY KEY (load_run, ordinal)
);
CREATE INDEX disturbances_by_rule ON disturbances (rule, load_run);

-- The busiest tasks of each stretch of a load run: one row, however long it was.
CREATE TABLE top_snapshots (
    load_run    bigint PRIMARY KEY REFERENCES load_runs,
    snapshots   bytea NOT NULL                      -- shakedown.v1.LoadRun with nothing but top
);

-- What the setup steps of a boot did.
CREATE TABLE setup_records (
    attempt_id  uuid NOT NULL REFERENCES boots,
    ordinal     integer NOT NULL,                   -- in the order they were done
    step        text NOT NULL CHECK (step <> ''),
    before      text NOT NULL,
    undo        text NOT NULL,
    undone      boolean NOT NULL,
    PRIMARY KEY (attempt_id, ordinal)
);
