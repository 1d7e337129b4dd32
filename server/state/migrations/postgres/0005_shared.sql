-- As in SQLite's 0008.
CREATE TABLE workspaces (
  owner   TEXT COLLATE "C" PRIMARY KEY,
  version TEXT NOT NULL,
  data    BYTEA NOT NULL
);
CREATE TABLE conversations (
  owner      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  size       BIGINT NOT NULL,
  holder     TEXT NOT NULL,
  held_until BIGINT NOT NULL,
  PRIMARY KEY (owner, id)
);
CREATE TABLE conversation_parts (
  owner TEXT COLLATE "C" NOT NULL,
  id    TEXT COLLATE "C" NOT NULL,
  at    BIGINT NOT NULL,
  data  BYTEA NOT NULL,
  PRIMARY KEY (owner, id, at),
  FOREIGN KEY (owner, id) REFERENCES conversations(owner, id) ON DELETE CASCADE
);
CREATE TABLE model_costs (
  owner TEXT COLLATE "C" PRIMARY KEY,
  day   TEXT NOT NULL,
  cost  BIGINT NOT NULL
);
