package state

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"time"

	"github.com/agnes-data/da/api"
)

const (
	// tokenPrefix makes tokens recognisable to people and to secret scanners.
	tokenPrefix = "da_"
	// shownPrefix is how many characters of a secret lists show.
	shownPrefix = len(tokenPrefix) + 6
	// usedEvery is how often the last use of a token is recorded.
	usedEvery = time.Minute
)

// newSecret returns a token with 256 random bits.
func newSecret() string { return tokenPrefix + randomSecret() }

// Bootstrap creates an admin with a token if the state has no tokens at all, and
// returns the secret, to be shown once; otherwise it returns "".
func (s *Store) Bootstrap(ctx context.Context) (secret string, err error) {
	err = s.change(ctx, rights, func(tx conn) error {
		var tokens int
		if err := tx.QueryRow("SELECT count(*) FROM tokens").Scan(&tokens); err != nil || tokens > 0 {
			return err
		}
		at := micros(s.now())
		if _, err := tx.Exec("INSERT INTO users (name, admin, created_at, folder) VALUES ('admin', 1, $1, $2) ON CONFLICT (name) DO UPDATE SET admin = 1", at, randomName()); err != nil {
			return err
		}
		id, err := lookup(tx, "users", "user", "admin")
		if err != nil {
			return err
		}
		secret = newSecret()
		_, err = s.insertToken(tx, id, secret, api.NewToken{User: "admin", Note: "made at the first start"})
		return err
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// CreateToken makes a token for a user.
func (s *Store) CreateToken(ctx context.Context, t api.NewToken) (*api.CreatedToken, error) {
	if t.ExpiresSeconds < 0 || t.ExpiresSeconds > 100*365*24*3600 {
		return nil, bad(api.KindBadExpiry, "a token expires within 100 years, or never")
	}
	if len(t.Note) > 200 {
		return nil, bad(api.KindBadNote, "a note has up to 200 bytes")
	}
	out := &api.CreatedToken{Secret: newSecret()}
	err := s.change(ctx, rights, func(tx conn) error {
		user, err := lookup(tx, "users", "user", t.User)
		if err != nil {
			return err
		}
		out.Token, err = s.insertToken(tx, user, out.Secret, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Store) insertToken(tx conn, user int64, secret string, t api.NewToken) (api.Token, error) {
	now := s.now().UTC().Truncate(time.Microsecond)
	out := api.Token{ID: randomName()[:12], Prefix: secret[:shownPrefix], Note: t.Note, CreatedAt: now}
	var expires sql.NullInt64
	if t.ExpiresSeconds > 0 {
		at := now.Add(time.Duration(t.ExpiresSeconds) * time.Second)
		out.ExpiresAt, expires = &at, sql.NullInt64{Int64: micros(at), Valid: true}
	}
	hash := sha256.Sum256([]byte(secret))
	_, err := tx.Exec("INSERT INTO tokens (id, user_id, hash, prefix, note, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		out.ID, user, hash[:], out.Prefix, out.Note, micros(now), expires)
	if err != nil {
		return out, err
	}
	return out, tx.QueryRow("SELECT name FROM users WHERE id = $1", user).Scan(&out.User)
}

// RevokeToken ends a token, and those of machines that were approved with it. It is
// idempotent.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	return s.change(ctx, rights, func(tx conn) error {
		n, err := tx.Exec(`WITH RECURSIVE made (id) AS (SELECT id FROM tokens WHERE id = $2
			UNION SELECT t.id FROM tokens t JOIN made m ON t.parent = m.id)
			UPDATE tokens SET revoked_at = coalesce(revoked_at, $1) WHERE id IN (SELECT id FROM made)`, micros(s.now()), id)
		if err != nil || n > 0 {
			return err
		}
		e := bad(api.KindUnknownToken, "there is no token with the id '%s'", api.Clip(id, 40))
		e.Next = []api.Step{api.Do(api.ActionListAdmin, "see the ids", "what", "token")}
		return e
	})
}

// Tokens lists the tokens of a user; an empty user lists all.
func (s *Store) Tokens(ctx context.Context, user string) ([]api.Token, error) {
	list := []api.Token{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var t api.Token
		var created int64
		var expires, revoked, used sql.NullInt64
		if err := rows.Scan(&t.ID, &t.User, &t.Prefix, &t.Note, &created, &expires, &revoked, &used); err != nil {
			return err
		}
		t.CreatedAt, t.ExpiresAt, t.RevokedAt, t.LastUsedAt = fromMicros(created), optionalTime(expires), optionalTime(revoked),
			optionalTime(used)
		list = append(list, t)
		return nil
	}, `SELECT t.id, u.name, t.prefix, t.note, t.created_at, t.expires_at, t.revoked_at, t.last_used_at
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE $1 IN ('', u.name) ORDER BY u.name, t.created_at`, user)
	return list, err
}

// Bearer is the owner of a valid token.
type Bearer struct {
	UserID int64
	User   string
	Admin  bool
	// Folder is the name of the folder of their conversations; see UserFolder.
	Folder string
}

// Authenticate returns the owner of the token, or a CodeUnauthorized error. Its
// kind says whether the token is unknown, revoked or expired; only somebody who
// has the token can learn the latter two.
func (s *Store) Authenticate(ctx context.Context, secret string) (Bearer, error) {
	var b Bearer
	var stored []byte
	var id string
	var expires, revoked, used sql.NullInt64
	hash := sha256.Sum256([]byte(secret))
	// Look it up by hash, so that the time this takes reveals nothing about the
	// secret.
	err := s.asking(ctx).QueryRow(`SELECT t.id, t.hash, t.expires_at, t.revoked_at, t.last_used_at, u.id, u.name, u.admin, coalesce(u.folder, '')
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1`, hash[:]).
		Scan(&id, &stored, &expires, &revoked, &used, &b.UserID, &b.User, &b.Admin, &b.Folder)
	b.Folder = FolderName(b.User, b.Folder)
	now := micros(s.now())
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && subtle.ConstantTimeCompare(stored, hash[:]) != 1:
		return Bearer{}, unauthorized(api.KindTokenUnknown, "the token is not valid")
	case err != nil:
		return Bearer{}, err
	case revoked.Valid:
		return Bearer{}, unauthorized(api.KindTokenRevoked, "the token was revoked")
	case expires.Valid && expires.Int64 <= now:
		return Bearer{}, unauthorized(api.KindTokenExpired, "the token has expired")
	}
	if !used.Valid || now-used.Int64 >= usedEvery.Microseconds() {
		// Another process may have written a time meanwhile; a later time does no
		// harm. Ignore errors: a full disk must not lock anybody out, and
		// requests that must write report it themselves.
		_ = s.change(ctx, unlocked, func(tx conn) error {
			_, err := tx.Exec("UPDATE tokens SET last_used_at = $1 WHERE id = $2", now, id)
			return err
		})
	}
	return b, nil
}

func unauthorized(kind, message string) error {
	return &api.Error{Code: api.CodeUnauthorized, Kind: kind, Message: message,
		Hint: "Log in with a valid token, or set DA_TOKEN to it. The server's operator issues tokens.",
		Next: []api.Step{api.Do(api.ActionLogin, "store a token")}}
}
