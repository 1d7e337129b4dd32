package config

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/agnes-data/da/api"
)

const (
	// keyringService is the name under which the system's keyring lists our tokens.
	keyringService = "da"
	// keyringPatience is how long a keyring may take: one that is locked asks the user,
	// who may not be there.
	keyringPatience = 5 * time.Second
)

// The places of a login's token.
const (
	InKeyring = "keyring" // that of the system: Secret Service, Keychain or Credential Manager
	InFile    = "file"    // that of the logins, which the user alone can read
)

// account is the name of a login's token in the keyring.
func (l Login) account() string { return l.Name + " " + l.URL }

// Keep moves the token of a new login into the keyring, and returns where it is now. If
// that is the file, err says why; it is nil where there is no keyring at all.
func (p Places) Keep(l *Login) (where string, err error) {
	if p.withoutKeyring() != "" {
		return InFile, nil
	}
	if err := atKeyring(func() error { return keyring.Set(keyringService, l.account(), l.Token) }); err != nil {
		return InFile, err
	}
	l.Token, l.Keyring = "", true
	return InKeyring, nil
}

// TokenOf returns the token of a login, from where it lies.
func (p Places) TokenOf(l Login) (token string, err error) {
	if !l.Keyring {
		return l.Token, nil
	}
	err = p.inKeyring(l, func() error {
		got, err := keyring.Get(keyringService, l.account())
		if err == nil {
			token, err = checkToken(got, "the keyring")
		}
		return err
	})
	return token, err
}

// Forget removes the token of a login from the keyring. It is no error if the token is not
// there.
func (p Places) Forget(l Login) error {
	if !l.Keyring {
		return nil
	}
	return p.inKeyring(l, func() error {
		if err := keyring.Delete(keyringService, l.account()); !errors.Is(err, keyring.ErrNotFound) {
			return err
		}
		return nil
	})
}

// inKeyring asks the keyring for the token of a login, and says what to do if it fails.
func (p Places) inKeyring(l Login, do func() error) error {
	why := p.withoutKeyring()
	if why == "" {
		err := atKeyring(do)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, keyring.ErrNotFound):
			why = "it is not there"
		default:
			why = err.Error()
		}
	}
	return &api.Error{Code: api.CodeConfig, Kind: api.KindKeyring,
		Message: fmt.Sprintf("the token for '%s' cannot be read from the system's keyring: %s", l.Name, why),
		Hint:    "Unlock the keyring, or set " + EnvToken + "; a new login can keep its token in a file.",
		Next:    []api.Step{api.Do(api.ActionLogin, "keep a token in a file", "server", l.URL, "in_file", true)}}
}

// withoutKeyring says why this session has no keyring; "" if it may have one. Without
// this look the library would start a D-Bus of its own.
func (p Places) withoutKeyring() string {
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" && p.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return "this session cannot reach it, since DBUS_SESSION_BUS_ADDRESS is not set"
	}
	return ""
}

// atKeyring does what may wait for a user, but not for long. What goes on ends with the
// process.
func atKeyring(do func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil { // of the library, at an answer that it does not expect
				done <- fmt.Errorf("its answer is not understood: %v", v)
			}
		}()
		done <- do()
	}()
	select {
	case err := <-done:
		if err != nil && strings.HasPrefix(err.Error(), "failed to unlock") { // of the library
			return errors.New("it is locked, and was not unlocked")
		}
		return err
	case <-time.After(keyringPatience):
		return fmt.Errorf("it is locked, or does not answer within %s", keyringPatience)
	}
}
