-- The state of commit 1a82bc7c (version 4), as sqlite3 dumps it: written by that server, which was
-- killed while it sent a result to ann. Its tokens are known to no server that runs.
PRAGMA user_version = 4;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
INSERT INTO settings VALUES('hash_key',X'1c898f68562639943aef5c3a32a447e8734d9d33d5f7c5e191a03e79159e84a9');
CREATE TABLE users (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  admin      INTEGER NOT NULL,
  created_at INTEGER NOT NULL
, folder TEXT) STRICT;
INSERT INTO users VALUES(1,'admin',1,1795984646822522,'335f1ae4d0b5693e1fe51646');
INSERT INTO users VALUES(2,'ann@example.com',0,1795984647155691,'73af8905a59059e68c6e66cd');
INSERT INTO users VALUES(3,'bob',0,1795984647262362,'b190af2a403c6a8dd3b1d130');
CREATE TABLE groups (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO "groups" VALUES(1,'analysts',1795984647525449);
INSERT INTO "groups" VALUES(2,'idle',1795984647626796);
CREATE TABLE members (
  group_id INTEGER NOT NULL REFERENCES groups(id) ON DELETE CASCADE,
  user_id  INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, group_id)
) STRICT, WITHOUT ROWID;
INSERT INTO members VALUES(1,3);
CREATE TABLE tokens (
  id           TEXT PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  hash         BLOB NOT NULL UNIQUE, -- SHA-256 of the secret
  prefix       TEXT NOT NULL,
  note         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER
) STRICT;
INSERT INTO tokens VALUES('95b1a1dece55',1,X'35bf2cafc59eac8c43e61d809363865ce3768213b519026867674c55e946f34f','da_So4vtR','made at the first start',1795984646822610,NULL,NULL,1795984647151412);
INSERT INTO tokens VALUES('2636def26fc3',2,X'a685a83dc7750f77c7c299cb54e754de6e44114fa08fb9d40e0998a1332c4095','da_M_4TdD','laptop',1795984648384651,NULL,NULL,1795984649434080);
INSERT INTO tokens VALUES('a9456a841185',3,X'0562581f77ebaba790f1c51efde254bd97fe5aa8326544d7a02ca89aced02158','da_KtWstr','',1795984648595900,2111344648595900,NULL,1795984650243825);
INSERT INTO tokens VALUES('3c5a60d2bd89',3,X'34e7d78fb94924e29b14d2580bbe8f435919707a2d599457d1e77e35c0c9afd3','da_8t4iiw','lost',1795984648774649,NULL,1795984649030149,NULL);
CREATE TABLE grants (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER REFERENCES users(id) ON DELETE CASCADE,
  group_id   INTEGER REFERENCES groups(id) ON DELETE CASCADE,
  table_id   TEXT NOT NULL,
  columns    TEXT, -- a JSON list; NULL: all
  rows       TEXT, -- a predicate; NULL: all
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  CHECK ((user_id IS NULL) <> (group_id IS NULL))
) STRICT;
INSERT INTO grants VALUES(1,2,NULL,'orders','["country","id"]','country = ''CZ''',1795984647963492,'admin');
INSERT INTO grants VALUES(2,NULL,1,'orders',NULL,NULL,1795984648064196,'admin');
CREATE TABLE registered (
  id          TEXT PRIMARY KEY,
  source      TEXT NOT NULL,
  relation    TEXT NOT NULL,
  query_mode  TEXT NOT NULL,
  description TEXT NOT NULL,
  public      INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  TEXT NOT NULL
) STRICT;
INSERT INTO registered VALUES('more','files','users.csv','remote','',1,1795984664152267,'admin');
CREATE TABLE usage (
  subject      TEXT NOT NULL, -- the user's name
  day          TEXT NOT NULL,
  result_bytes INTEGER NOT NULL,
  scan_bytes   INTEGER NOT NULL,
  PRIMARY KEY (subject, day)
) STRICT, WITHOUT ROWID;
INSERT INTO usage VALUES('ann@example.com','2026-11-29',1412,0);
INSERT INTO usage VALUES('bob','2026-11-29',40,0);
CREATE TABLE leases (
  id            TEXT PRIMARY KEY,
  holder        TEXT NOT NULL,
  subject       TEXT NOT NULL,
  slot          INTEGER NOT NULL, -- 1: counts as running
  result_bytes  INTEGER NOT NULL,
  scan_bytes    INTEGER NOT NULL,
  session       TEXT,
  session_bytes INTEGER NOT NULL,
  done_bytes    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  event         TEXT NOT NULL -- the audit row if nobody comes back
, session_by_result INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO leases VALUES('92e63bdf68b981a47e89d50c','34d3b2c8bd4d64767a3841c2','ann@example.com',1,16777216,0,NULL,27088898,11796520,1795984714767405,'{"id":0,"at":"0001-01-01T00:00:00Z","request_id":"048a397abe9caef9d2d73b1c4f9ca1e5","event_type":"fetch_scan","user_email":"ann@example.com","table_id":"big","event_data":{"select":["id","text"],"where_hash":null,"limit":null,"estimated_scan_bytes":27088898,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"","error_kind":null}}',0);
CREATE TABLE sessions (
  subject    TEXT NOT NULL,
  name       TEXT NOT NULL,
  used_bytes INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;
INSERT INTO sessions VALUES('ann@example.com','talk',20708,1795984650121790);
CREATE TABLE audit (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  user_email TEXT NOT NULL,
  table_id   TEXT NOT NULL,
  event_data TEXT NOT NULL
) STRICT;
INSERT INTO audit VALUES(1,1795984647161255,'78ac5643be774a9f9a79cdf8caf47228','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":8,"status":"ok","error_kind":null,"action":"user_create","subject":"ann@example.com"}');
INSERT INTO audit VALUES(2,1795984647262589,'2fb9600418a9a9a3ff9ef56ca06a48de','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"user_create","subject":"bob"}');
INSERT INTO audit VALUES(3,1795984647400379,'d925c5522b197a947027516c21022698','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"user_create","subject":"gone"}');
INSERT INTO audit VALUES(4,1795984647525687,'f844867cc30700ef1d4d0a509665ebe1','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"group_create","subject":"analysts"}');
INSERT INTO audit VALUES(5,1795984647626971,'036c2ca9c391962ed1d1d1212a2d7605','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"group_create","subject":"idle"}');
INSERT INTO audit VALUES(6,1795984647744645,'dd9cbffd1f9c1d5e22911575c4da95ec','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"group_add","subject":"analysts bob"}');
INSERT INTO audit VALUES(7,1795984647833782,'ac8a059dd4e5513b49d9728cac130ded','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"user_delete","subject":"gone"}');
INSERT INTO audit VALUES(8,1795984647963792,'52cd5a11e66869dc22f5f9306d002a03','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":51,"status":"ok","error_kind":null,"action":"grant_create","subject":"orders: ann@example.com"}');
INSERT INTO audit VALUES(9,1795984648064390,'b9156c8b167f34a8dc005fa021b84fc2','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"grant_create","subject":"orders: analysts"}');
INSERT INTO audit VALUES(10,1795984648173610,'d9bb92e2e274804998685237c78e770d','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":25,"status":"ok","error_kind":null,"action":"grant_create","subject":"users: bob"}');
INSERT INTO audit VALUES(11,1795984648296408,'46b2074ca695041c046812985e5da6ea','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"grant_revoke","subject":"3"}');
INSERT INTO audit VALUES(12,1795984648384779,'7aac152d12612540430ae7ab8f482f1d','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"token_create","subject":"ann@example.com"}');
INSERT INTO audit VALUES(13,1795984648596039,'93c4be0971ea12fbcf4ad5d8d6c48a4e','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"token_create","subject":"bob"}');
INSERT INTO audit VALUES(14,1795984648774764,'f5e467df80a537226159a983ecb82e5c','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"token_create","subject":"bob"}');
INSERT INTO audit VALUES(15,1795984649030293,'375e75ada223d07bbe5ff125b36c6a61','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"token_revoke","subject":"3c5a60d2bd89"}');
INSERT INTO audit VALUES(16,1795984649445584,'80ae6a814cb5a1b7aeb93f440fd283a7','fetch_estimate','ann@example.com','orders','{"select":["id","country"],"where_hash":null,"limit":100,"estimated_scan_bytes":20708,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":10,"status":"ok","error_kind":null}');
INSERT INTO audit VALUES(17,1795984649585026,'c8c248c186a73ed8936016d4a2e195ce','fetch_scan','ann@example.com','orders','{"select":["id","country"],"where_hash":null,"limit":100,"estimated_scan_bytes":20708,"actual_result_rows":100,"actual_result_bytes":1404,"actual_scan_bytes":null,"latency_ms":137,"status":"ok","error_kind":null}');
INSERT INTO audit VALUES(18,1795984650121835,'d7a89ecaba354bd2ef49060468552367','remote_query','ann@example.com','users','{"where_hash":null,"statement_hash":"ecb5843574896587d848954178dfb9ac","limit":null,"estimated_scan_bytes":20708,"actual_result_rows":1,"actual_result_bytes":8,"actual_scan_bytes":null,"latency_ms":281,"status":"ok","error_kind":null,"session":"talk"}');
INSERT INTO audit VALUES(19,1795984650244252,'3d56a5ed2d73dc67b75f867156e98560','fetch_estimate','bob','orders','{"select":["amount"],"where_hash":null,"limit":5,"estimated_scan_bytes":20708,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null}');
INSERT INTO audit VALUES(20,1795984650263862,'6a3c0e63e9ba962027f1653593694c7f','fetch_scan','bob','orders','{"select":["amount"],"where_hash":null,"limit":5,"estimated_scan_bytes":20708,"actual_result_rows":5,"actual_result_bytes":40,"actual_scan_bytes":null,"latency_ms":18,"status":"ok","error_kind":null}');
INSERT INTO audit VALUES(21,1795984650523230,'0464e65e431cb14e3827489ba5016f06','fetch_estimate','ann@example.com','orders','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"rejected","error_kind":"validator","error_code":"validator_rejected"}');
INSERT INTO audit VALUES(22,1795984664152460,'dcd3917e70869dda869d9eaec8107dd3','admin_change','admin','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"action":"table_register","subject":"more"}');
INSERT INTO audit VALUES(23,1795984664223770,'be9888a3cac0751842b10971fdd232ce','sign_in','ann@example.com','','{"where_hash":null,"limit":null,"estimated_scan_bytes":null,"actual_result_rows":null,"actual_result_bytes":null,"actual_scan_bytes":null,"latency_ms":0,"status":"ok","error_kind":null,"client_agent":"page","action":"token","subject":"e63b60f7f2d5"}');
CREATE TABLE buried (
  lease        TEXT PRIMARY KEY,
  result_bytes INTEGER NOT NULL,
  at           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sign_ins (
  id           TEXT PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  token_id     TEXT REFERENCES tokens(id) ON DELETE CASCADE, -- NULL: by another way than a token
  cookie       BLOB NOT NULL UNIQUE, -- SHA-256 of the secret
  key          BLOB NOT NULL,        -- SHA-256 of the secret
  browser      TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;
INSERT INTO sign_ins VALUES('e63b60f7f2d5',2,'2636def26fc3',X'deb144f917786d15d248698a267925e21b703d3b1fe7cbabb55a437be10efb6b',X'33d61f611b1b31df2f8d85f2a026b3d9e9c177034576126f49af9fc2f9fc4120','',1795984664223415,1796027864223415,1795984664223415);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('users',4);
INSERT INTO sqlite_sequence VALUES('audit',23);
INSERT INTO sqlite_sequence VALUES('groups',2);
INSERT INTO sqlite_sequence VALUES('grants',3);
CREATE INDEX grants_by_user ON grants(user_id);
CREATE INDEX grants_by_group ON grants(group_id);
CREATE INDEX leases_by_subject ON leases(subject);
CREATE INDEX audit_by_time ON audit(at);
CREATE INDEX audit_by_user ON audit(user_email, at);
CREATE INDEX audit_by_table ON audit(table_id, at);
CREATE INDEX sign_ins_by_user ON sign_ins(user_id);
COMMIT;
