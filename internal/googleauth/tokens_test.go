package googleauth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/agnes-data/da/api"
)

// TestTheMachinesOwnAccount is that of a machine of Google's, which asks a
// server that only it can reach.
func TestTheMachinesOwnAccount(t *testing.T) {
	metadata := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata-Flavor") != "Google" || !strings.HasSuffix(r.URL.Path, "/service-accounts/default/token") || r.URL.Query().Get("scopes") != ReadStorage {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token": "of-the-machine", "token_type": "Bearer", "expires_in": 3600}`))
	}))
	t.Cleanup(metadata.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(metadata.URL, "http://"))
	tokens, err := Open("", ReadStorage)
	if err != nil {
		t.Fatal(err)
	}
	if token, err := tokens.Token(t.Context()); err != nil || token != "of-the-machine" {
		t.Errorf("%q, %v", token, err)
	}
}

// TestCredentialsAreLookedForAgain holds that none is an answer, but not for
// ever.
func TestCredentialsAreLookedForAgain(t *testing.T) {
	var found oauth2.TokenSource
	var failed error
	looked := 0
	tokens := &Tokens{find: func() (oauth2.TokenSource, error) { looked++; return found, failed }}
	ask := func(want string, wantErr error) {
		t.Helper()
		if token, err := tokens.Token(t.Context()); token != want || !errors.Is(err, wantErr) {
			t.Errorf("%q, %v; want %q, %v", token, err, want, wantErr)
		}
	}
	ask("", nil)
	failed = errors.New("a broken file")
	ask("", failed)
	found, failed = oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "one"}), nil
	ask("one", nil)
	ask("one", nil)
	if looked != 3 {
		t.Errorf("looked %d times", looked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tokens = &Tokens{from: never{t.Context()}}
	if _, err := tokens.Token(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("who does not wait: %v", err)
	}
}

// never gives no token as long as the test runs.
type never struct{ ctx context.Context }

// Token waits.
func (n never) Token() (*oauth2.Token, error) { <-n.ctx.Done(); return nil, n.ctx.Err() }

func TestWhatIsNoKey(t *testing.T) {
	if _, err := Open(t.TempDir(), ReadStorage); !api.CodeConfig.Is(err) {
		t.Errorf("a folder: %v", err)
	}
}
