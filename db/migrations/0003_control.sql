-- What A/A controls have found: the baseline against itself on one machine. Written once, when a job with a control has
-- ended; never updated. A machine's mark is its newest control's.

-- 'none': the job has no control. 'open': its control is still to be judged. 'stored': it is in the tables below.
ALTER TABLE jobs ADD COLUMN control text NOT NULL DEFAULT 'none' CHECK (control IN ('none', 'open', 'stored'));
CREATE INDEX jobs_open_control ON jobs (id) WHERE control = 'open';

CREATE TABLE controls (
    job         bigint NOT NULL REFERENCES jobs,
    machine     text NOT NULL,
    loads_sha256 text NOT NULL,                     -- jobs.loads_sha256
    tests       integer NOT NULL CHECK (tests >= 0),
    false_alarms integer NOT NULL CHECK (false_alarms BETWEEN 0 AND tests),
    failure     text NOT NULL,                      -- "make.real +7.0%"; empty: the control holds
    stored_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, machine)
);
CREATE INDEX controls_by_machine ON controls (machine, job);
CREATE INDEX controls_by_loads ON controls (loads_sha256, job);

CREATE TABLE control_metrics (
    job         bigint NOT NULL,
    machine     text NOT NULL,
    load        smallint NOT NULL CHECK (load >= 0),
    metric      text NOT NULL CHECK (metric <> ''),
    blocks      integer NOT NULL CHECK (blocks >= 0),
    sd          double precision CHECK (sd >= 0 AND sd < 'Infinity'),  -- of block differences; NULL below two blocks
    estimate    double precision CHECK (estimate > '-Infinity' AND estimate < 'Infinity'),
    ci_lo       double precision,                   -- NULL, both: too few blocks
    ci_hi       double precision,
    p           double precision CHECK (p BETWEEN 0 AND 1),
    tested      boolean NOT NULL,                   -- an interval of a metric that is not for information only
    false_alarm boolean NOT NULL,                   -- the interval leaves out 0
    PRIMARY KEY (job, machine, load, metric),
    FOREIGN KEY (job, machine) REFERENCES controls,
    CHECK ((ci_lo IS NULL) = (ci_hi IS NULL)),
    CHECK (tested OR NOT false_alarm),
    CHECK (ci_lo IS NOT NULL OR NOT tested)
);
