-- As in SQLite's 0009.
CREATE TABLE deleted_users (
  id     BIGINT PRIMARY KEY,
  name   TEXT NOT NULL,
  folder TEXT COLLATE "C" NOT NULL,
  at     BIGINT NOT NULL
);
