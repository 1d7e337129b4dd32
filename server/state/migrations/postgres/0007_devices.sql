-- As in SQLite's 0010.
CREATE TABLE devices (
  code       BYTEA PRIMARY KEY,
  user_code  BYTEA NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  address    TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  polled_at  BIGINT NOT NULL,
  user_id    BIGINT REFERENCES users(id) ON DELETE CASCADE,
  token_id   TEXT COLLATE "C",
  refused    BIGINT NOT NULL DEFAULT 0
);
ALTER TABLE tokens ADD COLUMN parent TEXT COLLATE "C";
