-- Machines that take a whole block and run it without the farm, people who hold machines, power that an agent switches
-- for another machine, and who vouches for a kernel.

ALTER TABLE builds
    ADD COLUMN modules text,                        -- digest of an artefact; NULL: the kernel has none
    ADD COLUMN recipe  integer NOT NULL DEFAULT 1 CHECK (recipe >= 0);  -- of resolved; from 2 on modules are kept

ALTER TABLE machines
    ADD COLUMN takes_blocks boolean NOT NULL DEFAULT false,
    ADD COLUMN held_by     text,                    -- NULL: not held; else it gets no orders
    ADD COLUMN held_reason text NOT NULL DEFAULT '',
    ADD COLUMN held_at     timestamptz,
    ADD COLUMN drained     boolean NOT NULL DEFAULT false,  -- what is queued for it goes to others that fit
    ADD CHECK ((held_by IS NULL) = (held_at IS NULL)),
    ADD CHECK (held_by IS NOT NULL OR NOT drained);

-- What a machine said before it went away on purpose.
ALTER TABLE machine_pulse
    ADD COLUMN dark_until  timestamptz,             -- NULL: it did not
    ADD COLUMN dark_reason text NOT NULL DEFAULT '',
    ADD COLUMN hands       text NOT NULL DEFAULT ''; -- what a person presses when it does not come back

-- Whose power an agent can switch, as its latest Sync says. The machine may never have been here.
CREATE TABLE power_switches (
    agent       text NOT NULL REFERENCES agents,
    machine     text NOT NULL,
    PRIMARY KEY (agent, machine)
);
CREATE INDEX power_switches_by_machine ON power_switches (machine);

-- Each is done once, by the agent that stands here.
CREATE TABLE power_orders (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine     text NOT NULL REFERENCES machines,
    agent       text NOT NULL REFERENCES agents,
    ordered_by  text,                               -- NULL: the farm itself, for a machine that needs hands
    reason      text NOT NULL,
    ordered_at  timestamptz NOT NULL DEFAULT now(),
    given_at    timestamptz,                        -- first told to the agent
    state       text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'failed', 'withdrawn')),
    error       text NOT NULL DEFAULT '',
    ended_at    timestamptz,
    CHECK ((state = 'open') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX power_orders_one_open ON power_orders (machine) WHERE state = 'open';
CREATE INDEX power_orders_by_agent ON power_orders (agent) WHERE state = 'open';
CREATE INDEX power_orders_by_machine ON power_orders (machine, ordered_at);

-- Verified before they are stored. By what was signed, not by build: the same files made again are as good.
CREATE TABLE kernel_signatures (
    kernel      text NOT NULL CHECK (kernel ~ '^[0-9a-f]{64}$'),  -- SHA-256 of the text of proto/wire/kernel_signature.h
    key         text NOT NULL CHECK (key ~ '^[0-9a-f]{64}$'),     -- public
    signature   bytea NOT NULL CHECK (length(signature) = 64),
    sender      text NOT NULL,
    added_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kernel, key)
);
