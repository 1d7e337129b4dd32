-- What the servers that share this index know of each other; empty otherwise.
-- The latest changes, by ids that are given once; the last is the version of the index.
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id  TEXT NOT NULL
) STRICT;
-- The version that was last published or taken over.
CREATE TABLE published (version TEXT NOT NULL) STRICT;
-- 1: the content is where all servers find it.
ALTER TABLE contents ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
