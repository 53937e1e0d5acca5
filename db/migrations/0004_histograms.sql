-- Every latency of one iteration of a load run, in buckets (shakedown.v1.LatencyHistogram). Inserted with the load run,
-- never updated.
CREATE TABLE histograms (
    load_run    bigint NOT NULL REFERENCES load_runs,
    ordinal     integer NOT NULL,                   -- in the order of the result
    metric      text NOT NULL CHECK (metric <> ''),
    unit        text NOT NULL CHECK (unit <> ''),
    iteration   integer NOT NULL CHECK (iteration >= 0),
    warmup      boolean NOT NULL,
    smallest    bigint[] NOT NULL,                  -- of each bucket with values, ascending
    count       bigint[] NOT NULL,
    max         bigint NOT NULL CHECK (max >= 0),
    duration_ms bigint NOT NULL CHECK (duration_ms >= 0),
    from_intended_start boolean NOT NULL,
    PRIMARY KEY (load_run, ordinal),
    UNIQUE (load_run, metric, iteration),
    CHECK (cardinality(smallest) = cardinality(count))
);
