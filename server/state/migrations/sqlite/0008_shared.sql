-- What servers with a folder each have in common.
-- The index of a user's files, as the workspace writes it.
CREATE TABLE workspaces (
  owner   TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  data    BLOB NOT NULL
) STRICT, WITHOUT ROWID;
-- Conversations, and who may add to one until when. Their logs are all parts in the order of at.
CREATE TABLE conversations (
  owner      TEXT NOT NULL,
  id         TEXT NOT NULL,
  size       INTEGER NOT NULL,
  holder     TEXT NOT NULL,
  held_until INTEGER NOT NULL,
  PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE conversation_parts (
  owner TEXT NOT NULL,
  id    TEXT NOT NULL,
  at    INTEGER NOT NULL, -- bytes of the log before it
  data  BLOB NOT NULL,
  PRIMARY KEY (owner, id, at),
  FOREIGN KEY (owner, id) REFERENCES conversations(owner, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
-- What the model has cost a user on a day.
CREATE TABLE model_costs (
  owner TEXT PRIMARY KEY,
  day   TEXT NOT NULL,
  cost  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
