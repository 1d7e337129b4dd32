package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

const (
	// deviceLife is how long a machine waits for a person.
	deviceLife = 15 * time.Minute
	// pollEvery is how often it may ask whether the person has answered.
	pollEvery = 2 * time.Second
	// deviceTokenLife is how long its token is valid.
	deviceTokenLife = 90 * 24 * time.Hour
	// maxDevices limits the machines that wait; maxFromAddress those of one address.
	maxDevices, maxFromAddress = 1000, 50
	// codeLetters look like no others, and make no words. Eight of them are 34 bits.
	codeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	codeLength  = 8
	// devicePage is where people type the code.
	devicePage = "/#/device"
)

// BeginDevice makes the codes with which a machine can be signed in.
func (s *Store) BeginDevice(ctx context.Context, name, address string) (*api.DeviceCodes, error) {
	now := s.now()
	code := userCode()
	made := &api.DeviceCodes{DeviceCode: randomSecret(), UserCode: code[:4] + "-" + code[4:], VerificationURI: devicePage,
		ExpiresIn: int64(deviceLife.Seconds()), Interval: int64(pollEvery.Seconds())}
	err := s.change(ctx, rights, func(tx conn) error {
		if _, err := tx.Exec("DELETE FROM devices WHERE created_at <= $1", micros(now.Add(-deviceLife))); err != nil {
			return err
		}
		var all, here int
		err := tx.QueryRow("SELECT count(*), count(*) FILTER (WHERE address = $1) FROM devices", address).Scan(&all, &here)
		if err != nil {
			return err
		}
		if all >= maxDevices || here >= maxFromAddress {
			return &api.Error{Code: api.CodeUnauthorized, Kind: api.KindTooManyFailures, Message: "too many machines wait to be signed in",
				Hint: "Try again in some minutes, or log in with a token."}
		}
		_, err = tx.Exec("INSERT INTO devices (code, user_code, name, address, created_at, polled_at) VALUES ($1, $2, $3, $4, $5, 0)",
			digest(made.DeviceCode), digest(code), name, address, micros(now))
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// userCode returns random letters.
func userCode() string {
	var code []byte
	for len(code) < codeLength {
		var b [1]byte
		_, _ = rand.Read(b[:])       // never fails
		if i := int(b[0]); i < 240 { // each letter for twelve of them
			code = append(code, codeLetters[i%len(codeLetters)])
		}
	}
	return string(code)
}

// typed returns the stored form of a code as a person types it: small letters, dashes
// and spaces do not matter.
func typed(code string) []byte {
	code = strings.NewReplacer("-", "", " ", "").Replace(strings.ToUpper(code))
	if len(code) != codeLength {
		return digest("")
	}
	return digest(code)
}

// Device returns the machine that waits with a code, for the sign-in of a browser.
func (s *Store) Device(ctx context.Context, userCode, signIn string) (*api.Device, error) {
	d := &api.Device{}
	var asked int64
	var token sql.NullString
	err := s.asking(ctx).QueryRow(`SELECT name, address, created_at, (SELECT token_id FROM sign_ins WHERE id = $1) FROM devices
		WHERE user_code = $2 AND user_id IS NULL AND created_at > $3`, signIn, typed(userCode), micros(s.now().Add(-deviceLife))).
		Scan(&d.Name, &d.Address, &asked, &token)
	if err != nil {
		return nil, unknownCode(err)
	}
	d.AskedAt = fromMicros(asked)
	d.TokenEndsAt, err = s.deviceTokenEnds(s.asking(ctx), token)
	return d, err
}

func unknownCode(err error) error {
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	e := bad(api.KindUnknownCode, "no machine waits with this code")
	e.Hint = "Type it as the machine shows it. It works once, within 15 minutes."
	return e
}

// deviceTokenEnds returns when a machine's token ends: with the token that approves it,
// if that is earlier. A revoked token approves nothing.
func (s *Store) deviceTokenEnds(tx conn, parent sql.NullString) (time.Time, error) {
	ends := s.now().UTC().Add(deviceTokenLife)
	if !parent.Valid {
		return ends, nil
	}
	var expires, revoked sql.NullInt64
	if err := tx.QueryRow("SELECT expires_at, revoked_at FROM tokens WHERE id = $1", parent.String).Scan(&expires, &revoked); err != nil {
		return ends, err
	}
	if revoked.Valid {
		return ends, unauthorized(api.KindTokenRevoked, "the token that approved this machine was revoked")
	}
	if at := optionalTime(expires); at != nil && at.Before(ends) {
		ends = *at
	}
	return ends, nil
}

// AnswerDevice has the user of a browser's sign-in approve or refuse the machine that
// waits with a code, and returns its name.
func (s *Store) AnswerDevice(ctx context.Context, a api.DeviceAnswer, user int64, signIn string) (name string, err error) {
	err = s.change(ctx, rights, func(tx conn) error {
		return unknownCode(tx.QueryRow(`UPDATE devices SET user_id = $1, refused = $2, token_id = (SELECT token_id FROM sign_ins WHERE id = $3)
			WHERE user_code = $4 AND user_id IS NULL AND created_at > $5 RETURNING name`,
			user, !a.Approve, signIn, typed(a.UserCode), micros(s.now().Add(-deviceLife))).Scan(&name))
	})
	return name, err
}

// PollDevice returns the token of a machine that a person has approved, once. Until
// then, and if they refuse, it returns an error whose kind is that of RFC 8628.
func (s *Store) PollDevice(ctx context.Context, code string) (*api.CreatedToken, error) {
	hash, now := digest(code), s.now()
	var created, polled int64
	var user sql.NullInt64
	var refused bool
	err := s.asking(ctx).QueryRow("SELECT created_at, polled_at, user_id, refused <> 0 FROM devices WHERE code = $1", hash).
		Scan(&created, &polled, &user, &refused)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && fromMicros(created).Add(deviceLife).Compare(now) <= 0:
		return nil, deviceExpired()
	case err != nil:
		return nil, err
	case fromMicros(polled).Add(pollEvery).After(now):
		return nil, bad(api.KindSlowDown, "the machine asks more often than every %d seconds", int(pollEvery.Seconds()))
	case refused:
		return nil, &api.Error{Code: api.CodeForbidden, Kind: api.KindAccessDenied, Message: "the sign-in was refused in the browser"}
	case !user.Valid:
		if err := s.change(ctx, unlocked, func(tx conn) error {
			_, err := tx.Exec("UPDATE devices SET polled_at = $1 WHERE code = $2", micros(now), hash)
			return err
		}); err != nil {
			return nil, err
		}
		return nil, bad(api.KindAuthorizationPending, "nobody has approved this machine yet")
	}
	out := &api.CreatedToken{Secret: newSecret()}
	err = s.change(ctx, rights, func(tx conn) error {
		var name string
		var parent sql.NullString
		err := tx.QueryRow("DELETE FROM devices WHERE code = $1 RETURNING name, token_id", hash).Scan(&name, &parent)
		if errors.Is(err, sql.ErrNoRows) {
			return deviceExpired()
		}
		if err != nil {
			return err
		}
		ends, err := s.deviceTokenEnds(tx, parent)
		if err != nil {
			return err
		}
		out.Token, err = s.insertToken(tx, user.Int64, out.Secret,
			api.NewToken{Note: "da on " + name, ExpiresSeconds: max(1, int64(ends.Sub(now).Seconds()))})
		if err == nil && parent.Valid {
			_, err = tx.Exec("UPDATE tokens SET parent = $1 WHERE id = $2", parent.String, out.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func deviceExpired() error {
	return &api.Error{Code: api.CodeUnauthorized, Kind: api.KindExpiredToken, Message: "the code was used, or nobody approved it within 15 minutes",
		Hint: "Begin again: log in once more.", Next: []api.Step{api.Do(api.ActionLogin, "begin again")}}
}
