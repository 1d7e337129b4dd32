-- Times are microseconds since 1970, UTC. Days are YYYY-MM-DD, UTC.

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE users (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  admin      INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE groups (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
  group_id INTEGER NOT NULL REFERENCES groups(id) ON DELETE CASCADE,
  user_id  INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id           TEXT PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  hash         BLOB NOT NULL UNIQUE, -- SHA-256 of the secret
  prefix       TEXT NOT NULL,
  note         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE TABLE grants (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER REFERENCES users(id) ON DELETE CASCADE,
  group_id   INTEGER REFERENCES groups(id) ON DELETE CASCADE,
  table_id   TEXT NOT NULL,
  columns    TEXT, -- a JSON list; NULL: all
  rows       TEXT, -- a predicate; NULL: all
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  CHECK ((user_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE INDEX grants_by_user ON grants(user_id);
CREATE INDEX grants_by_group ON grants(group_id);

CREATE TABLE registered (
  id          TEXT PRIMARY KEY,
  source      TEXT NOT NULL,
  relation    TEXT NOT NULL,
  query_mode  TEXT NOT NULL,
  description TEXT NOT NULL,
  public      INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  TEXT NOT NULL
) STRICT;

-- What was used, by the audit's rows of that day.
CREATE TABLE usage (
  subject      TEXT NOT NULL, -- the user's name
  day          TEXT NOT NULL,
  result_bytes INTEGER NOT NULL,
  scan_bytes   INTEGER NOT NULL,
  PRIMARY KEY (subject, day)
) STRICT, WITHOUT ROWID;

-- What running requests hold. A lease that is not renewed belongs to a process
-- that died: what it had delivered is charged, the rest is free again.
CREATE TABLE leases (
  id            TEXT PRIMARY KEY,
  holder        TEXT NOT NULL,
  subject       TEXT NOT NULL,
  slot          INTEGER NOT NULL, -- 1: counts as running
  result_bytes  INTEGER NOT NULL,
  scan_bytes    INTEGER NOT NULL,
  session       TEXT,
  session_bytes INTEGER NOT NULL,
  done_bytes    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  event         TEXT NOT NULL -- the audit row if nobody comes back
) STRICT;
CREATE INDEX leases_by_subject ON leases(subject);

CREATE TABLE sessions (
  subject    TEXT NOT NULL,
  name       TEXT NOT NULL,
  used_bytes INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  user_email TEXT NOT NULL,
  table_id   TEXT NOT NULL,
  event_data TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit(at);
CREATE INDEX audit_by_user ON audit(user_email, at);
CREATE INDEX audit_by_table ON audit(table_id, at);
