-- When a job has enough: it is looked at when all its boots have ended, and then ends, repeats blocks or goes on.

ALTER TABLE jobs
    ADD COLUMN budget_s   bigint NOT NULL DEFAULT 0 CHECK (budget_s >= 0),   -- wall time from started_at; 0: none
    ADD COLUMN block_s    double precision NOT NULL DEFAULT 0 CHECK (block_s >= 0),  -- what one block takes; 0: not known
    ADD COLUMN started_at timestamptz,                                       -- of the first boot's first lease
    ADD COLUMN end_reason text NOT NULL DEFAULT '';                          -- for people

-- Repetitions come on top of a job's 1000 blocks.
ALTER TABLE blocks DROP CONSTRAINT blocks_block_check;
ALTER TABLE blocks
    ADD CONSTRAINT blocks_block_check CHECK (block BETWEEN 1 AND 1500),
    ADD COLUMN replaces integer CHECK (replaces < block),  -- the disturbed or lost block that this one repeats
    ADD FOREIGN KEY (job, replaces) REFERENCES blocks (job, block),
    ADD UNIQUE (job, replaces);

-- Looks done, each written with the decision that followed from it.
CREATE TABLE job_looks (
    job          bigint NOT NULL REFERENCES jobs,
    look         smallint NOT NULL CHECK (look >= 1),
    after_blocks integer NOT NULL CHECK (after_blocks >= 0),  -- repetitions not counted
    at           timestamptz NOT NULL DEFAULT now(),
    decision     text NOT NULL CHECK (decision <> ''),
    text         text NOT NULL,
    PRIMARY KEY (job, look)
);

-- Jobs that ran before: their first lease, as far as it is known.
UPDATE jobs SET started_at = (SELECT min(leased_at) FROM boots WHERE boots.job = jobs.id);
