-- Results that other tools made elsewhere, and what people saw. Never in the tables of the farm's own measurements.

-- One text, byte for byte, inserted once and never changed. Those that came with the program are replaced with it.
CREATE TABLE imports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    identity    text NOT NULL UNIQUE CHECK (identity ~ '^[0-9a-f]{64}$'),  -- of bytes, machine and kernels together
    file        text NOT NULL,                      -- its name, for people
    sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),           -- of raw
    raw         bytea NOT NULL CHECK (length(raw) BETWEEN 1 AND 16777216),
    format      text NOT NULL CHECK (format <> ''), -- tools, "interbench", "latt, time"
    machine     text NOT NULL CHECK (machine ~ '^[a-z0-9][a-z0-9.+_-]{0,63}$'),
    source      text NOT NULL,                      -- a URL, a message id; empty: not said
    submitter   text NOT NULL,
    facts       jsonb NOT NULL,                     -- text → text
    measured_at timestamptz,                        -- NULL: not known
    refused     integer NOT NULL CHECK (refused >= 0),  -- lines that could not be read
    value_count integer NOT NULL CHECK (value_count > 0),
    shipped     boolean NOT NULL,
    added_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX imports_by_machine ON imports (machine, id);

-- Whom the text's values are of: one row for each name in the text, or one with an empty name.
CREATE TABLE import_variants (
    import      bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
    variant     smallint NOT NULL CHECK (variant >= 0),
    name        text NOT NULL,                      -- in the text: "BFS"
    kernel      text NOT NULL CHECK (kernel ~ '^[a-z0-9][a-z0-9.+_-]{0,63}$'),
    tunables    text NOT NULL,                      -- "rr_interval=6"; what differs here is another column
    PRIMARY KEY (import, variant),
    UNIQUE (import, name)
);
CREATE INDEX import_variants_by_kernel ON import_variants (kernel, import);

CREATE TABLE import_values (
    import      bigint NOT NULL,
    ordinal     integer NOT NULL,                   -- in the order of the text
    variant     smallint NOT NULL,
    metric      text NOT NULL CHECK (metric <> ''),
    detail      text NOT NULL,                      -- what sets it apart from others of that metric
    unit        text NOT NULL,                      -- empty: nothing says it
    unit_said   boolean NOT NULL,
    direction   text NOT NULL CHECK (direction IN ('', 'lower', 'higher')),
    run         integer NOT NULL CHECK (run >= 1),
    iteration   integer NOT NULL CHECK (iteration >= 1),
    warmup      boolean NOT NULL,
    starred     boolean NOT NULL,                   -- somebody's asterisk
    marks       text NOT NULL,                      -- of all kinds, parted by bars; a bar in one is \p
    line        integer NOT NULL CHECK (line >= 1),
    value       double precision NOT NULL CHECK (value > '-Infinity' AND value < 'Infinity'),
    PRIMARY KEY (import, ordinal),
    FOREIGN KEY (import, variant) REFERENCES import_variants ON DELETE CASCADE
);
-- History of one metric, also by the beginning of its name.
CREATE INDEX import_values_by_metric ON import_values (metric text_pattern_ops, import, variant) INCLUDE (value, unit);

-- What a person saw. Inserted once, never changed.
CREATE TABLE notes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject     text NOT NULL CHECK (subject ~ '^[0-9]|^kernel:.|^machine:.'),
    job         bigint REFERENCES jobs,             -- of "17" and "17.3B"
    kind        text NOT NULL CHECK (kind IN ('freeze', 'audio', 'video', 'launch', 'browse', 'other')),
    text        text NOT NULL CHECK (octet_length(text) BETWEEN 1 AND 4096),
    author      text NOT NULL,
    source      text NOT NULL,
    shipped     boolean NOT NULL,
    added_at    timestamptz NOT NULL DEFAULT now(),
    CHECK ((subject ~ '^[0-9]') = (job IS NOT NULL))
);
CREATE UNIQUE INDEX notes_shipped ON notes (subject, kind, md5(text)) WHERE shipped;
CREATE INDEX notes_by_subject ON notes (subject, id);
CREATE INDEX notes_by_job ON notes (job, id) WHERE job IS NOT NULL;
