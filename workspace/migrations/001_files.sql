-- Times are ISO 8601 in UTC with six decimals, so that they sort as text.

-- The contents that lie in data/, each once.
CREATE TABLE contents (
  disk_path TEXT PRIMARY KEY,
  size      INTEGER NOT NULL,
  sha256    TEXT NOT NULL,
  mime_type TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The files of the workspace (draft = '') and what drafts put in their place.
CREATE TABLE agent_files (
  _id               TEXT NOT NULL,
  draft             TEXT NOT NULL,
  name              TEXT NOT NULL,
  name_key          TEXT NOT NULL, -- the name without regard to case
  mime_type         TEXT NOT NULL,
  size              INTEGER NOT NULL,
  disk_path         TEXT NOT NULL REFERENCES contents(disk_path),
  source            TEXT NOT NULL CHECK (source IN ('upload', 'created', 'derived')),
  source_session_id TEXT,
  created_on        TEXT NOT NULL,
  modified_on       TEXT NOT NULL,
  sha256            TEXT NOT NULL,
  version           INTEGER NOT NULL,
  base_version      INTEGER, -- of a draft: the version that it was made from; NULL: a new file
  deleted_on        TEXT,
  PRIMARY KEY (draft, _id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX agent_files_name ON agent_files(draft, name_key) WHERE deleted_on IS NULL;
CREATE INDEX agent_files_path ON agent_files(disk_path);

CREATE TABLE file_versions (
  file_id     TEXT NOT NULL,
  version     INTEGER NOT NULL,
  action      TEXT NOT NULL,
  name        TEXT NOT NULL,
  mime_type   TEXT NOT NULL,
  size        INTEGER NOT NULL,
  sha256      TEXT NOT NULL,
  disk_path   TEXT NOT NULL REFERENCES contents(disk_path),
  session_id  TEXT,
  modified_on TEXT NOT NULL,
  PRIMARY KEY (file_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_versions_path ON file_versions(disk_path);
CREATE INDEX file_versions_age ON file_versions(modified_on);

CREATE TABLE drafts (
  name       TEXT PRIMARY KEY,
  session_id TEXT,
  created_on TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  event   TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT;
