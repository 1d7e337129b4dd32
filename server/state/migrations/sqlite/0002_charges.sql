-- Whether a session is charged what was delivered, not what was held.
ALTER TABLE leases ADD COLUMN session_by_result INTEGER NOT NULL DEFAULT 0;

-- What was charged for leases that ran out, in case their holders come back.
CREATE TABLE buried (
  lease        TEXT PRIMARY KEY,
  result_bytes INTEGER NOT NULL,
  at           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
