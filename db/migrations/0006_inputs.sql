-- Archives that loads read, by name, and attempts that an agent gave back unasked.

-- A row is inserted once and never changed or removed: jobs pin what a name meant when they were submitted.
CREATE TABLE inputs (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9.+_-]{0,63}$'),
    sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size        bigint NOT NULL CHECK (size > 0),
    submitter   text NOT NULL,
    added_at    timestamptz NOT NULL DEFAULT now()
);

-- An agent that is stopped in good order, or whose machine is not fit, gives its boot back: nothing was tried, so it
-- does not count against jobs.max_attempts.
ALTER TABLE boots ADD COLUMN handed_back boolean NOT NULL DEFAULT false;
