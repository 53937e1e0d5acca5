-- Loops per ms of the runner's burn primitive, by machine: measured once, in the first boot that needed them, and
-- pinned, so that every kernel on that machine is given the same work. A machine whose hardware facts change
-- (processor, number of CPUs, accelerator) is another one and is measured anew.
CREATE TABLE calibrations (
    machine      text NOT NULL REFERENCES machines,
    facts_sha256 text NOT NULL CHECK (facts_sha256 ~ '^[0-9a-f]{64}$'),
    loops_per_ms bigint NOT NULL CHECK (loops_per_ms BETWEEN 1000 AND 1000000000),
    attempt_id   uuid NOT NULL REFERENCES boots,    -- that measured it
    recorded_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (machine, facts_sha256)             -- the first one stays
);
