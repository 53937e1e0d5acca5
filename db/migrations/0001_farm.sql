-- The farm's whole state. Specs, plans and results are kept as the bytes of their protos (exact; jsonb can not
-- hold every string a proto can); beside them stand the columns that queries and constraints need.
-- Rows are locked in this order, so that no two transactions wait for each other in a ring:
-- agents, builds, jobs, blocks, boots, machines.

CREATE TABLE tokens (
    sha256      bytea PRIMARY KEY CHECK (length(sha256) = 32),  -- of the token; the token itself is nowhere
    role        text NOT NULL CHECK (role IN ('user', 'agent')),
    name        text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE kernels (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9.+_-]{0,63}$'),
    spec        bytea NOT NULL,                     -- shakedown.v1.Kernel
    sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    submitter   text,                               -- NULL: brought along by the program
    added_at    timestamptz NOT NULL DEFAULT now()
);

-- Files are the artefact store's; a row says that the whole, verified file is there.
CREATE TABLE artefacts (
    sha256      text PRIMARY KEY CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size        bigint NOT NULL CHECK (size >= 0),
    added_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE builds (
    id          uuid PRIMARY KEY,
    request_key text NOT NULL CHECK (request_key ~ '^[0-9a-f]{64}$'),
    kernel      text NOT NULL,
    resolved    bytea NOT NULL,                     -- shakedown.v1.ResolvedKernel
    floating    boolean NOT NULL,                   -- the same request may mean another source tomorrow
    limit_s     integer NOT NULL CHECK (limit_s > 0),
    state       text NOT NULL CHECK (state IN ('queued', 'running', 'built', 'failed', 'farm_failed', 'cancelled')),
    epoch       bigint NOT NULL DEFAULT 0,          -- grows by one at each lease
    attempts    smallint NOT NULL DEFAULT 0 CHECK (attempts <= 3),
    agent       text,                               -- of the latest lease
    incarnation bigint,                             -- of that agent, when it was leased
    error       text NOT NULL DEFAULT '',           -- of the latest attempt
    build_key   text CHECK (build_key ~ '^[0-9a-f]{64}$'),
    image       text,                               -- digests of artefacts; one that was lost is built again
    initramfs   text,
    result      bytea,                              -- shakedown.v1.BuildResult, as accepted
    result_sha256 text,                             -- tells "again" from "other"
    duration_ms bigint,
    reused      boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now(),
    leased_at   timestamptz,
    ended_at    timestamptz,
    CHECK ((state IN ('queued', 'running')) = (ended_at IS NULL)),
    CHECK (state <> 'running' OR (agent IS NOT NULL AND leased_at IS NOT NULL AND epoch > 0)),
    CHECK (state <> 'built' OR (build_key IS NOT NULL AND image IS NOT NULL AND result IS NOT NULL))
);
-- Two jobs with the same request share one build.
CREATE UNIQUE INDEX builds_one_open ON builds (request_key) WHERE state IN ('queued', 'running');
CREATE INDEX builds_by_request ON builds (request_key, created_at);
CREATE INDEX builds_by_key ON builds (build_key, ended_at) WHERE state = 'built';
CREATE INDEX builds_newest ON builds (created_at);

CREATE TABLE jobs (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id  uuid NOT NULL UNIQUE,               -- makes submitting idempotent
    submitter   text NOT NULL,
    spec        bytea NOT NULL,                     -- shakedown.v1.JobSpec
    plan        bytea NOT NULL,                     -- shakedown.v1.Plan
    machine_names text[] NOT NULL,
    machine_tags  text[] NOT NULL,
    max_attempts smallint NOT NULL CHECK (max_attempts BETWEEN 1 AND 10),
    boot_limit_s integer NOT NULL CHECK (boot_limit_s > 0),
    run_limit_s  integer NOT NULL CHECK (run_limit_s > 0),
    loads       smallint NOT NULL CHECK (loads >= 1),
    loads_sha256 text NOT NULL,                     -- same loads: their durations can be compared
    state       text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'done', 'cancelled')),
    cancel_requested boolean NOT NULL DEFAULT false,
    version     bigint NOT NULL DEFAULT 1,          -- grows with every change a watcher wants to see
    submitted_at timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    CHECK ((state = 'active') = (ended_at IS NULL))
);
CREATE INDEX jobs_active ON jobs (id) WHERE state = 'active';
CREATE INDEX jobs_by_loads ON jobs (loads_sha256);

CREATE TABLE variants (
    job         bigint NOT NULL REFERENCES jobs,
    variant     smallint NOT NULL CHECK (variant BETWEEN 0 AND 25),
    kernel      text NOT NULL,
    build       uuid NOT NULL REFERENCES builds,
    PRIMARY KEY (job, variant)
);
CREATE INDEX variants_by_build ON variants (build);
CREATE INDEX variants_by_kernel ON variants (kernel);

CREATE TABLE blocks (
    job         bigint NOT NULL REFERENCES jobs,
    block       integer NOT NULL CHECK (block BETWEEN 1 AND 1000),
    machine     text,                               -- a block runs on one machine, bound at its first lease
    PRIMARY KEY (job, block)
);
CREATE INDEX blocks_unbound ON blocks (job, block) WHERE machine IS NULL;
CREATE INDEX blocks_by_machine ON blocks (machine, job, block);

-- One attempt at one boot: the queue. A retry is a new row.
CREATE TABLE boots (
    attempt_id  uuid PRIMARY KEY,
    job         bigint NOT NULL,
    block       integer NOT NULL,
    variant     smallint NOT NULL,
    attempt     smallint NOT NULL CHECK (attempt >= 1),
    position    smallint NOT NULL,                  -- in the block's boot order, from 0
    state       text NOT NULL CHECK (state IN ('waiting', 'queued', 'running', 'ended')),
    epoch       bigint,                             -- of the machine's lease
    machine     text,
    agent       text,
    incarnation bigint,                             -- of the agent, when it was leased
    cancel_requested boolean NOT NULL DEFAULT false,
    outcome     text CHECK (outcome IN ('measured', 'build_failed', 'boot_failed', 'panicked', 'hung', 'wrong_kernel',
                    'scheduler_ejected', 'load_failed', 'disturbed', 'farm_failed', 'cancelled')),
    reason      text NOT NULL DEFAULT '',
    leased_at   timestamptz,
    ended_at    timestamptz,
    UNIQUE (job, block, variant, attempt),
    FOREIGN KEY (job, block) REFERENCES blocks,
    FOREIGN KEY (job, variant) REFERENCES variants,
    CHECK ((state = 'ended') = (ended_at IS NOT NULL)),
    CHECK ((state = 'ended') = (outcome IS NOT NULL)),
    CHECK (state <> 'running' OR (machine IS NOT NULL AND agent IS NOT NULL AND epoch IS NOT NULL AND leased_at IS NOT NULL))
);
CREATE INDEX boots_open ON boots (job, block, position) WHERE state <> 'ended';
CREATE INDEX boots_running ON boots (machine) WHERE state = 'running';
-- One attempt at a time of one boot.
CREATE UNIQUE INDEX boots_one_open ON boots (job, block, variant) WHERE state <> 'ended';

-- What an agent reported of an attempt: inserted once, complete, never updated.
CREATE TABLE boot_results (
    attempt_id  uuid PRIMARY KEY REFERENCES boots,
    sha256      text NOT NULL,                      -- of the whole result: tells "again" from "other"
    result      bytea NOT NULL,                     -- shakedown.v1.BootResult without load runs
    console_tail text NOT NULL,
    boot_ms     bigint NOT NULL CHECK (boot_ms >= 0),
    release     text NOT NULL,
    build_id    text NOT NULL,
    fingerprint jsonb NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE load_runs (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id  uuid NOT NULL REFERENCES boots,
    load        smallint NOT NULL CHECK (load >= 0),
    duration_ms bigint NOT NULL CHECK (duration_ms >= 0),
    output      text NOT NULL,
    warnings    text[] NOT NULL,
    UNIQUE (attempt_id, load)
);

CREATE TABLE measurements (
    load_run    bigint NOT NULL REFERENCES load_runs,
    ordinal     integer NOT NULL,                   -- in the order of the result
    metric      text NOT NULL CHECK (metric <> ''),
    iteration   integer NOT NULL CHECK (iteration >= 0),
    warmup      boolean NOT NULL,
    value       double precision NOT NULL
                CHECK (value > '-Infinity' AND value < 'Infinity'),  -- NaN sorts above Infinity
    unit        text NOT NULL,
    PRIMARY KEY (load_run, ordinal)
);
CREATE INDEX measurements_by_metric ON measurements (metric, load_run) INCLUDE (value, iteration, warmup);

CREATE TABLE series (
    load_run    bigint NOT NULL REFERENCES load_runs,
    name        text NOT NULL CHECK (name <> ''),
    unit        text NOT NULL,
    step_ms     integer NOT NULL CHECK (step_ms > 0),
    values      double precision[] NOT NULL,        -- NULL: a gap
    PRIMARY KEY (load_run, name)
);

-- Results that came too late or contradict the accepted one.
CREATE TABLE evidence (
    subject     uuid NOT NULL,                      -- attempt_id or build id
    sha256      text NOT NULL,
    agent       text NOT NULL,
    why         text NOT NULL,
    content     bytea NOT NULL,                     -- shakedown.v1.BootResult or BuildResult
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (subject, sha256)
);

CREATE TABLE agents (
    name        text PRIMARY KEY,
    version     text NOT NULL,
    boot_id     text NOT NULL,
    incarnation bigint NOT NULL,
    first_seen  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE machines (
    name        text PRIMARY KEY,
    agent       text NOT NULL REFERENCES agents,
    tags        text[] NOT NULL,
    facts       jsonb NOT NULL,
    present     boolean NOT NULL DEFAULT true,      -- in the agent's latest word
    epoch       bigint NOT NULL DEFAULT 0,          -- grows by one at each lease
    attempt_id  uuid UNIQUE REFERENCES boots        -- the lease; NULL: none
);
CREATE INDEX machines_by_agent ON machines (agent);

-- Written at every Sync: small, apart from the queue, without other indexes and with room in each page, so that
-- updates stay inside it (HOT).
CREATE TABLE agent_pulse (
    agent       text PRIMARY KEY REFERENCES agents,
    seen_at     timestamptz NOT NULL,
    quiet_until timestamptz NOT NULL                -- seen_at + the longest dark time declared
) WITH (fillfactor = 50);
CREATE TABLE machine_pulse (
    machine     text PRIMARY KEY REFERENCES machines,
    attempt_id  uuid,                               -- what the agent says it has in hand
    phase       text NOT NULL,
    progress    real NOT NULL,
    problem     text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE slot_pulse (
    agent       text NOT NULL REFERENCES agents,
    slot        smallint NOT NULL,
    build       uuid,
    phase       text NOT NULL,
    progress    real NOT NULL,
    problem     text NOT NULL,
    PRIMARY KEY (agent, slot)
) WITH (fillfactor = 50);

-- One log for each lease of a boot or build.
CREATE TABLE logs (
    stream      uuid NOT NULL,
    epoch       bigint NOT NULL,
    size        bigint NOT NULL DEFAULT 0 CHECK (size BETWEEN 0 AND 67108864),
    PRIMARY KEY (stream, epoch)
) WITH (fillfactor = 50);
CREATE TABLE log_chunks (
    stream      uuid NOT NULL,
    epoch       bigint NOT NULL,
    start       bigint NOT NULL CHECK (start >= 0),
    data        bytea NOT NULL CHECK (length(data) > 0),
    PRIMARY KEY (stream, epoch, start),
    FOREIGN KEY (stream, epoch) REFERENCES logs
);
