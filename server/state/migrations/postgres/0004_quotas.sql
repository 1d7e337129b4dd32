-- As in SQLite's 0007.
CREATE TABLE quotas (
  user_id     BIGINT UNIQUE REFERENCES users(id) ON DELETE CASCADE,
  group_id    BIGINT UNIQUE REFERENCES groups(id) ON DELETE CASCADE,
  daily_bytes BIGINT,
  running     BIGINT,
  CHECK ((user_id IS NULL) <> (group_id IS NULL))
);
