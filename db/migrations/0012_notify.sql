-- Who is told what. An event is announced once (its key is unique) and becomes one row of the outbox for each subscription
-- that wants it, in one transaction; from there it is delivered at least once.

CREATE TABLE subscriptions (
    owner       text NOT NULL,
    name        text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9.+_-]{0,63}$'),
    events      text[] NOT NULL CHECK (cardinality(events) >= 1),
    webhook     text NOT NULL DEFAULT '',
    email       text NOT NULL DEFAULT '',
    filter      text NOT NULL DEFAULT '',           -- controller/notify/filter.h
    secret      bytea NOT NULL DEFAULT '',          -- signs webhooks; leaves the database in no answer and no log
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name),
    CHECK ((webhook = '') <> (email = ''))
);

CREATE TABLE announced_events (
    key         text PRIMARY KEY,                   -- "job_end:17"
    kind        text NOT NULL,
    at          timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX announced_events_by_age ON announced_events (at);

CREATE TABLE outbox (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id    uuid NOT NULL DEFAULT gen_random_uuid(),  -- the receiver's, to know the same one sent twice
    event_key   text NOT NULL,
    kind        text NOT NULL,
    owner       text NOT NULL,
    subscription text NOT NULL,
    subject     text NOT NULL,                      -- one line
    body        text NOT NULL,                      -- for mail
    details     text NOT NULL,                      -- a JSON object, for webhooks
    created_at  timestamptz NOT NULL DEFAULT now(),
    next_try    timestamptz NOT NULL DEFAULT now(), -- also the lease of who is at it
    tries       integer NOT NULL DEFAULT 0,
    sent_at     timestamptz,
    given_up_at timestamptz,
    last_error  text NOT NULL DEFAULT '',
    UNIQUE (owner, subscription, event_key),
    FOREIGN KEY (owner, subscription) REFERENCES subscriptions ON DELETE CASCADE,
    CHECK (sent_at IS NULL OR given_up_at IS NULL)
);
CREATE INDEX outbox_waiting ON outbox (next_try) WHERE sent_at IS NULL AND given_up_at IS NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);

-- Machines that were found sick, until they are well: told once, and not for a moment's trouble.
CREATE TABLE sick_machines (
    machine     text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('problem', 'needs_hands', 'control_failed')),
    since       timestamptz NOT NULL DEFAULT now(),
    announced   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (machine, kind)
);

-- Jobs that ended before anybody could be told are not told of.
CREATE TABLE notify_start (
    one         boolean PRIMARY KEY DEFAULT true CHECK (one),
    at          timestamptz NOT NULL DEFAULT now()
);
INSERT INTO notify_start DEFAULT VALUES;
CREATE INDEX jobs_by_end ON jobs (ended_at) WHERE ended_at IS NOT NULL;

-- How far retention has come: what ended before this is thinned. Boots and builds are gone through in the order of their ends.
CREATE TABLE retention_progress (
    what        text PRIMARY KEY CHECK (what IN ('telemetry', 'boot_logs', 'build_logs')),
    at          timestamptz NOT NULL DEFAULT '-infinity',
    id          uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
INSERT INTO retention_progress (what) VALUES ('telemetry'), ('boot_logs'), ('build_logs');
CREATE INDEX boots_by_end ON boots (ended_at, attempt_id) WHERE ended_at IS NOT NULL;
CREATE INDEX builds_by_end ON builds (ended_at, id) WHERE ended_at IS NOT NULL;
