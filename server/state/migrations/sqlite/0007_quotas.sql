-- What a user, or each member of a group, may use in place of what the instance allows
-- everybody. NULL: what it allows.
CREATE TABLE quotas (
  user_id     INTEGER UNIQUE REFERENCES users(id) ON DELETE CASCADE,
  group_id    INTEGER UNIQUE REFERENCES groups(id) ON DELETE CASCADE,
  daily_bytes INTEGER,
  running     INTEGER,
  CHECK ((user_id IS NULL) <> (group_id IS NULL))
) STRICT;
