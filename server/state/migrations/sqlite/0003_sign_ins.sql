-- Browsers that are signed in to the page. A sign-in ends with its token.
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
CREATE INDEX sign_ins_by_user ON sign_ins(user_id);
