package googleauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// ReadStorage is the scope in which objects of Cloud Storage are read.
const ReadStorage = "https://www.googleapis.com/auth/devstorage.read_only"

// patience is how long Google may take to return a token.
const patience = 30 * time.Second

// Tokens are the access tokens of one account in one scope. It is used by many
// at a time.
type Tokens struct {
	mu   sync.Mutex
	from oauth2.TokenSource // nil: not found yet
	find func() (oauth2.TokenSource, error)
}

// Open reads the key file of a service account. Without one it uses the
// environment, as Google's tools do (Application Default Credentials), when the
// first token is needed.
func Open(keyFile, scope string) (*Tokens, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Timeout: patience})
	if keyFile == "" {
		return &Tokens{find: func() (oauth2.TokenSource, error) { return environment(ctx, scope) }}, nil
	}
	if fault := KeyFault(keyFile); fault != "" {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("credentials_file: %s %s", keyFile, fault)}
	}
	key, err := kernelfs.ReadFile(keyFile, 1<<20)
	if err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("credentials_file: %s cannot be read", keyFile), Err: err}
	}
	found, err := google.CredentialsFromJSONWithType(ctx, key, google.ServiceAccount, scope)
	if err != nil {
		// The error could quote the key.
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("credentials_file: %s %s", keyFile, notAKey)}
	}
	return &Tokens{from: found.TokenSource}, nil
}

// environment finds the default credentials; nil if there are none.
func environment(ctx context.Context, scope string) (oauth2.TokenSource, error) {
	const variable = "GOOGLE_APPLICATION_CREDENTIALS"
	found, err := google.FindDefaultCredentials(ctx, scope)
	switch {
	case err == nil:
		return found.TokenSource, nil
	case os.Getenv(variable) != "":
		return nil, &api.Error{Code: api.CodeSource, Kind: api.KindCredentials, Message: "Google's credentials cannot be used",
			Hint: "The operator must let " + variable + " name a file with credentials of Google's."}
	}
	return nil, nil
}

// Token returns a token that remains valid for some time; "" without credentials.
func (t *Tokens) Token(ctx context.Context) (string, error) {
	type answer struct {
		token string
		err   error
	}
	done := make(chan answer, 1)
	go func() { // it cannot be called back, but ends in time
		token, err := t.token()
		done <- answer{token, err}
	}()
	select {
	case a := <-done:
		return a.token, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (t *Tokens) token() (string, error) {
	from, err := t.source()
	if err != nil || from == nil {
		return "", err
	}
	token, err := from.Token()
	if err != nil {
		return "", refused(err)
	}
	return token.AccessToken, nil
}

// source finds the credentials once; it tries again if it found none.
func (t *Tokens) source() (oauth2.TokenSource, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from != nil {
		return t.from, nil
	}
	from, err := t.find()
	t.from = from
	return from, err
}

// refused says why there is no token. From an answer it repeats only the fields
// for people.
func refused(err error) error {
	e := &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: "Google gives no access token",
		Hint: api.InServerLog}
	var answer *oauth2.RetrieveError
	switch {
	case !errors.As(err, &answer):
		e.Err = err
	case answer.Response != nil && answer.Response.StatusCode >= http.StatusInternalServerError:
		e.Err = fmt.Errorf("the token server answers %d", answer.Response.StatusCode)
	default:
		e.Kind, e.Message = api.KindCredentials, "Google does not take the server's credentials"
		e.Hint = "The operator must give the source a credentials_file, or default credentials, that are still valid; the clock of the server must be right, too."
		e.Err = fmt.Errorf("the token server says %s: %s", api.Clip(answer.ErrorCode, 100), api.Clip(answer.ErrorDescription, 300))
	}
	return e
}
