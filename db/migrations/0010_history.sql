-- Years of results, searched by metric and machine: one summary a boot, load and metric beside the measurements, so
-- that a series is one stretch of one index. Designed for 10^7 measurements (some 3 * 10^6 summaries): no partitions,
-- because every query begins with one series, whose summaries lie side by side in the primary key whatever the size of
-- the table; parts by time or machine would only multiply the index look-ups.

-- Results that are not summarised yet: written with the result, taken away with its summaries. What summaries are made of
-- (text of a load, class of a kernel, facts of an epoch) are the controller's rules, which must never refuse a result.
CREATE TABLE history_todo (
    attempt_id  uuid PRIMARY KEY REFERENCES boot_results
);
INSERT INTO history_todo SELECT attempt_id FROM boot_results;

-- A load with its arguments and what else the job did beside and before it.
CREATE TABLE history_loads (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sha256      text NOT NULL UNIQUE CHECK (sha256 ~ '^[0-9a-f]{64}$'),  -- of the protos: two scripts print alike
    text        text NOT NULL
);
-- One version of one kernel with its settings. "debian-6.12" means another version next month.
CREATE TABLE history_kernels (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kernel      text NOT NULL,
    version     text NOT NULL,
    class       text NOT NULL,                      -- what of name and settings is not the version
    UNIQUE (kernel, version, class)
);
-- What was the same around the kernel: hard and soft facts of the fingerprint.
CREATE TABLE history_epochs (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sha256      text NOT NULL UNIQUE CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    facts       jsonb NOT NULL
);
-- Kernels of all classes: those of one job are compared with each other.
CREATE TABLE history_series (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    metric      text NOT NULL CHECK (metric <> ''),
    machine     text NOT NULL,
    load        integer NOT NULL REFERENCES history_loads,
    unit        text NOT NULL,
    UNIQUE (metric, machine, load, unit)
);
CREATE INDEX history_series_by_machine ON history_series (machine, load);
CREATE INDEX history_series_by_metric ON history_series (metric text_pattern_ops);

-- Inserted once, never updated. Every column that a series is made of is in the index.
CREATE TABLE boot_summaries (
    series      integer NOT NULL REFERENCES history_series,
    job         bigint NOT NULL,
    block       integer NOT NULL,
    variant     smallint NOT NULL,
    attempt     smallint NOT NULL,
    kernel      integer NOT NULL REFERENCES history_kernels,
    epoch       integer NOT NULL REFERENCES history_epochs,
    n           integer NOT NULL CHECK (n >= 1),    -- measured iterations
    median      double precision NOT NULL CHECK (median > '-Infinity' AND median < 'Infinity'),
    ended_at    timestamptz NOT NULL,
    PRIMARY KEY (series, job, block, variant, attempt) INCLUDE (kernel, epoch, n, median, ended_at)
);
-- Mostly inserts: the map that index-only scans need is kept up by vacuum.
ALTER TABLE boot_summaries SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- How many summaries a kernel has in a series, for lists.
CREATE TABLE history_points (
    series      integer NOT NULL REFERENCES history_series,
    kernel      integer NOT NULL REFERENCES history_kernels,
    epoch       integer NOT NULL REFERENCES history_epochs,
    boots       integer NOT NULL CHECK (boots >= 1),
    newest      timestamptz NOT NULL,
    PRIMARY KEY (series, kernel, epoch)
) WITH (fillfactor = 70);

-- Boots that ended in a finding: they have no number, and are told beside those that have.
CREATE TABLE history_failures (
    machine     text NOT NULL,
    load        integer NOT NULL REFERENCES history_loads,
    kernel      integer NOT NULL REFERENCES history_kernels,
    attempt_id  uuid NOT NULL,
    PRIMARY KEY (machine, load, kernel, attempt_id)
);

-- Whether the series of an ended job have been looked at for what it changed in them.
ALTER TABLE jobs ADD COLUMN watched boolean NOT NULL DEFAULT false;
CREATE INDEX jobs_unwatched ON jobs (id) WHERE NOT watched;

-- A step that somebody should know of. Suspected by numbers of many jobs, confirmed or refuted by one paired job.
CREATE TABLE regressions (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    series      integer NOT NULL REFERENCES history_series,
    good        integer NOT NULL REFERENCES history_kernels,  -- the step is in (good, bad]
    bad         integer NOT NULL REFERENCES history_kernels,
    improvement boolean NOT NULL,
    state       text NOT NULL CHECK (state IN ('suspected', 'confirming', 'confirmed', 'refuted', 'acknowledged', 'fixed',
                    'wont_fix')),
    magnitude   double precision NOT NULL CHECK (magnitude >= 0),  -- may be infinite: from 0
    p           double precision NOT NULL CHECK (p BETWEEN 0 AND 1),
    because     text NOT NULL,
    -- Of the paired job. A request is drawn before the job is submitted, so that it is submitted once.
    confirm_request uuid,
    confirm_job bigint REFERENCES jobs,
    confirm_verdict text NOT NULL DEFAULT '',       -- of statistics; empty: none yet
    confirm_text text NOT NULL DEFAULT '',          -- the verdict with n and interval
    confirm_boots integer NOT NULL DEFAULT 0,       -- that it may take: the budget's
    confirm_at  timestamptz,
    blocked     text NOT NULL DEFAULT '',           -- why no job can confirm it; empty: one may
    confirmed   boolean NOT NULL DEFAULT false,     -- by the farm, whatever people made of it since
    UNIQUE (series, good, bad)
);
CREATE INDEX regressions_open ON regressions (id) WHERE state IN ('suspected', 'confirming');
CREATE INDEX regressions_budget ON regressions (confirm_at);

CREATE TABLE regression_events (
    regression  bigint NOT NULL REFERENCES regressions,
    ordinal     integer NOT NULL CHECK (ordinal >= 1),
    at          timestamptz NOT NULL DEFAULT now(),
    by          text NOT NULL,                      -- a person, or "farm"
    state       text NOT NULL,
    why         text NOT NULL,
    PRIMARY KEY (regression, ordinal)
);
