-- Users who were deleted, and what is still named after them: files by the id, conversations by
-- the folder.
CREATE TABLE deleted_users (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL,
  folder TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT;
