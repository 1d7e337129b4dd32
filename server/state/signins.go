package state

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"errors"
	"time"

	"github.com/agnes-data/da/api"
)

const (
	// signInLife is the maximum duration of a sign-in.
	signInLife = 12 * time.Hour
	// maxSignIns limits the sign-ins of one user; the oldest is removed first.
	maxSignIns = 100
	// claimTime is how long the key of a sign-in can be claimed.
	claimTime = time.Minute
)

// SignIn creates a sign-in for the bearer of a token. For an invalid token, it
// returns the error of Authenticate.
func (s *Store) SignIn(ctx context.Context, token, browser string) (*api.CreatedSignIn, Bearer, error) {
	b, err := s.Authenticate(ctx, token)
	if err != nil {
		return nil, Bearer{}, err
	}
	hash := sha256.Sum256([]byte(token))
	made, err := s.signIn(ctx, b, browser, randomSecret(), hash[:])
	return made, b, err
}

// SignInAs creates a sign-in for a user whose identity a provider confirms. Its
// browser gets the cookie at once, and the key when it claims it.
func (s *Store) SignInAs(ctx context.Context, name, browser string) (*api.CreatedSignIn, error) {
	if known, err := personName("user", name); err != nil || known != name {
		return nil, noSuchUser() // of two names that differ in case, each can be somebody else's
	}
	b := Bearer{User: name}
	err := s.asking(ctx).QueryRow("SELECT id, admin FROM users WHERE name = $1", name).Scan(&b.UserID, &b.Admin)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noSuchUser()
	}
	if err != nil {
		return nil, err
	}
	return s.signIn(ctx, b, browser, "", nil)
}

func noSuchUser() error {
	return &api.Error{Code: api.CodeUnauthorized, Kind: api.KindUnknownUser, Message: "there is no user of your name here",
		Hint: "Ask an admin of the server to make one."}
}

// signIn stores a sign-in. Without a key, it authenticates no request until the
// key is claimed. Without the hash of a token, it does not end with a token.
func (s *Store) signIn(ctx context.Context, b Bearer, browser, key string, token []byte) (*api.CreatedSignIn, error) {
	now := s.now().UTC().Truncate(time.Microsecond)
	made := &api.CreatedSignIn{
		SignIn: api.SignIn{ID: randomName()[:12], User: b.User, Browser: browser, CreatedAt: now, ExpiresAt: now.Add(signInLife),
			LastUsedAt: now},
		Key: key, Cookie: randomSecret(),
	}
	err := s.change(ctx, rights, func(tx conn) error {
		if _, err := tx.Exec("DELETE FROM sign_ins WHERE expires_at <= $1", micros(now)); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO sign_ins (id, user_id, token_id, cookie, key, browser, created_at, expires_at, last_used_at)
			VALUES ($1, $2, (SELECT id FROM tokens WHERE hash = $3), $4, $5, $6, $7, $8, $9)`,
			made.ID, b.UserID, token, digest(made.Cookie), digest(key), browser, micros(now), micros(made.ExpiresAt), micros(now))
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM sign_ins WHERE user_id = $1 AND id <> $2 AND id NOT IN
			(SELECT id FROM sign_ins WHERE user_id = $1 AND id <> $2 ORDER BY created_at DESC LIMIT $3)`, b.UserID, made.ID, maxSignIns-1)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// digest is the stored form of a secret; the digest of "" matches nothing.
func digest(secret string) []byte {
	if secret == "" {
		return []byte{}
	}
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}

// ClaimSignIn returns the key of a sign-in that has none yet to the browser with
// its cookie, once and within a minute; otherwise it returns a CodeUnauthorized
// error.
func (s *Store) ClaimSignIn(ctx context.Context, cookie string) (*api.CreatedSignIn, error) {
	made := &api.CreatedSignIn{Key: randomSecret(), Cookie: cookie}
	var created, expires, used int64
	err := s.change(ctx, rights, func(tx conn) error {
		return tx.QueryRow(`UPDATE sign_ins SET key = $1 WHERE cookie = $2 AND length(key) = 0 AND created_at > $3
			RETURNING id, (SELECT name FROM users WHERE id = user_id), browser, created_at, expires_at, last_used_at`,
			digest(made.Key), digest(cookie), micros(s.now().Add(-claimTime))).
			Scan(&made.ID, &made.User, &made.Browser, &created, &expires, &used)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, SignInEnded()
	}
	made.CreatedAt, made.ExpiresAt, made.LastUsedAt = fromMicros(created), fromMicros(expires), fromMicros(used)
	return made, err
}

// SignedIn returns the user who has signed in with this cookie and this key, and
// the id of the sign-in; otherwise a CodeUnauthorized error. Both are required.
func (s *Store) SignedIn(ctx context.Context, cookie, key string) (Bearer, string, error) {
	var b Bearer
	var id string
	var stored []byte
	var expires, used int64
	var revoked, tokenExpires sql.NullInt64
	cookieHash, keyHash := sha256.Sum256([]byte(cookie)), sha256.Sum256([]byte(key))
	err := s.asking(ctx).QueryRow(`SELECT s.id, s.key, s.expires_at, s.last_used_at, t.revoked_at, t.expires_at, u.id, u.name, u.admin, coalesce(u.folder, '')
		FROM sign_ins s JOIN users u ON u.id = s.user_id LEFT JOIN tokens t ON t.id = s.token_id WHERE s.cookie = $1`, cookieHash[:]).
		Scan(&id, &stored, &expires, &used, &revoked, &tokenExpires, &b.UserID, &b.User, &b.Admin, &b.Folder)
	b.Folder = FolderName(b.User, b.Folder)
	now := micros(s.now())
	ended := errors.Is(err, sql.ErrNoRows)
	if err != nil && !ended {
		return Bearer{}, "", err
	}
	if ended || subtle.ConstantTimeCompare(stored, keyHash[:]) != 1 || expires <= now ||
		revoked.Valid || tokenExpires.Valid && tokenExpires.Int64 <= now {
		return Bearer{}, "", SignInEnded()
	}
	if now-used >= usedEvery.Microseconds() {
		// Ignore errors, as for tokens: a full disk must not lock anybody out.
		_ = s.change(ctx, unlocked, func(tx conn) error {
			_, err := tx.Exec("UPDATE sign_ins SET last_used_at = $1 WHERE id = $2", now, id)
			return err
		})
	}
	return b, id, nil
}

// SignInEnded is the error for a browser that is not, or no longer, signed in.
func SignInEnded() error {
	return &api.Error{Code: api.CodeUnauthorized, Kind: api.KindSignInEnded, Message: "this browser is not signed in",
		Hint: "Open the page and sign in again."}
}

// SignIns lists the active sign-ins of a user; an empty user lists those of all.
func (s *Store) SignIns(ctx context.Context, user string) ([]api.SignIn, error) {
	list := []api.SignIn{}
	now := micros(s.now())
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var v api.SignIn
		var created, expires, used int64
		if err := rows.Scan(&v.ID, &v.User, &v.Browser, &created, &expires, &used); err != nil {
			return err
		}
		v.CreatedAt, v.ExpiresAt, v.LastUsedAt = fromMicros(created), fromMicros(expires), fromMicros(used)
		list = append(list, v)
		return nil
	}, `SELECT s.id, u.name, s.browser, s.created_at, s.expires_at, s.last_used_at
		FROM sign_ins s JOIN users u ON u.id = s.user_id LEFT JOIN tokens t ON t.id = s.token_id
		WHERE $1 IN ('', u.name) AND s.expires_at > $2 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2)
		ORDER BY u.name, s.created_at`, user, now)
	return list, err
}

// EndSignIn ends a sign-in of a user, or of any user if user is empty. A sign-in
// that does not exist counts as ended.
func (s *Store) EndSignIn(ctx context.Context, user, id string) error {
	return s.change(ctx, rights, func(tx conn) error {
		_, err := tx.Exec("DELETE FROM sign_ins WHERE id = $1 AND user_id IN (SELECT id FROM users WHERE $2 IN ('', name))", id, user)
		return err
	})
}

// randomSecret returns 256 random bits as text.
func randomSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
