-- Searches for the kernel that changed a metric. What was measured is all there is to know: who reads the trials again
-- comes to the same next one.

CREATE TABLE bisects (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id  uuid NOT NULL UNIQUE,               -- makes starting idempotent
    submitter   text NOT NULL,
    request     bytea NOT NULL,                     -- shakedown.v1.StartBisectRequest with all its candidates
    state       text NOT NULL DEFAULT 'running'
                CHECK (state IN ('running', 'found', 'cannot_say', 'cancelled', 'refused')),
    version     bigint NOT NULL DEFAULT 1,          -- grows with each decision; who decides names the one it saw
    view        bytea NOT NULL,                     -- shakedown.v1.BisectView as of the last decision
    regression  bigint NOT NULL DEFAULT 0,          -- what it is for; 0: none
    started_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    CHECK ((state = 'running') = (ended_at IS NULL))
);
CREATE INDEX bisects_running ON bisects (id) WHERE state = 'running';
CREATE INDEX bisects_by_regression ON bisects (regression) WHERE regression <> 0;

-- One job of a bisect: begun here first, then submitted under `request_id`, so that it is submitted once.
CREATE TABLE bisect_trials (
    bisect      bigint NOT NULL REFERENCES bisects,
    trial       integer NOT NULL CHECK (trial >= 1),
    step        integer NOT NULL CHECK (step >= 1), -- trials of one step are about one question
    kind        text NOT NULL CHECK (kind IN ('ends', 'candidate', 'verify')),
    candidate   integer NOT NULL CHECK (candidate >= 0),
    base        integer NOT NULL CHECK (base >= 0),
    blocks      integer NOT NULL CHECK (blocks >= 1),
    request_id  uuid NOT NULL UNIQUE,
    job         bigint REFERENCES jobs,             -- NULL: not submitted yet
    ending      text NOT NULL DEFAULT 'running'
                CHECK (ending IN ('running', 'measured', 'candidate_failed', 'base_failed', 'farm_failed', 'identical')),
    differences double precision[] NOT NULL DEFAULT '{}',  -- one a block measured on both sides
    boots       integer NOT NULL DEFAULT 0 CHECK (boots >= 0),
    same_as     integer NOT NULL DEFAULT 0,         -- 'identical': the candidate whose build it is
    why         text NOT NULL DEFAULT '',           -- for people
    begun_at    timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    PRIMARY KEY (bisect, trial),
    CHECK ((ending = 'running') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX bisect_trials_one_running ON bisect_trials (bisect) WHERE ending = 'running';
