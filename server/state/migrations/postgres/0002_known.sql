-- What people keep about their data. The core reads and writes data, which is JSON.
CREATE TABLE known (
  kind  TEXT COLLATE "C" NOT NULL,
  name  TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  data  TEXT NOT NULL,
  PRIMARY KEY (kind, name)
);
