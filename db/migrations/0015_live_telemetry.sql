-- The samples of the load that runs on a machine, as its agent last told them: for people who look on. The load run that
-- comes at its end has all of them, so a crash of the database may lose these: UNLOGGED.

CREATE UNLOGGED TABLE machine_live (
    machine     text PRIMARY KEY REFERENCES machines,
    attempt_id  uuid NOT NULL,                      -- of the boot that they are of
    telemetry   bytea NOT NULL CHECK (length(telemetry) <= 65536)  -- LiveTelemetry
) WITH (fillfactor = 50);
