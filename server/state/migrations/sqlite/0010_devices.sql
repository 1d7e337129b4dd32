-- Machines that wait until a person lets them sign in, by the hashes of their codes.
CREATE TABLE devices (
  code       BLOB PRIMARY KEY,
  user_code  BLOB NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  address    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  polled_at  INTEGER NOT NULL,
  user_id    INTEGER REFERENCES users(id) ON DELETE CASCADE, -- who has answered
  token_id   TEXT, -- that their browser has signed in with
  refused    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
-- The token that one was made with, and ends with.
ALTER TABLE tokens ADD COLUMN parent TEXT;
