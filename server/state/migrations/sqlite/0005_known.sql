-- What people keep about their data. The core reads and writes data, which is JSON.
CREATE TABLE known (
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  owner TEXT NOT NULL,
  data  TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;
