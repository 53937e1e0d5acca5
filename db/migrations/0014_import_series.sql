-- Which series the values of imports are of: so that they can be listed without a look at every value, of which one
-- text may have 400,000.

-- What is never pooled: metric, machine, what the text says beside them, unit. A name without points is no series.
CREATE TABLE import_series (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    metric      text NOT NULL,
    machine     text NOT NULL,
    detail      text NOT NULL,
    unit        text NOT NULL
);
-- Digests, because a key of three long texts is longer than an index takes.
CREATE UNIQUE INDEX import_series_key ON import_series (metric, machine, md5(detail), md5(unit));
CREATE INDEX import_series_by_metric ON import_series (metric text_pattern_ops, machine);

CREATE TABLE import_points (
    series      integer NOT NULL REFERENCES import_series,
    import      bigint NOT NULL,
    variant     smallint NOT NULL,
    PRIMARY KEY (series, import, variant),
    FOREIGN KEY (import, variant) REFERENCES import_variants ON DELETE CASCADE
);
CREATE INDEX import_points_by_import ON import_points (import, variant);  -- for imports that go

INSERT INTO import_series (metric, machine, detail, unit)
    SELECT DISTINCT v.metric, i.machine, v.detail, v.unit
    FROM import_values v JOIN imports i ON i.id = v.import WHERE NOT v.warmup ORDER BY 1, 2, 3, 4;
INSERT INTO import_points (series, import, variant)
    SELECT DISTINCT s.id, v.import, v.variant
    FROM import_values v JOIN imports i ON i.id = v.import
    JOIN import_series s ON s.metric = v.metric AND s.machine = i.machine AND s.detail = v.detail
        AND s.unit = v.unit
    WHERE NOT v.warmup;
