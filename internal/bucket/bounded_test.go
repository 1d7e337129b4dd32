package bucket

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestPagesHaveAnEnd has a store whose answers never end, to what is asked of
// the bucket and in what it refuses.
func TestPagesHaveAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		begin, more string
		status      int
	}{
		"one key":    {"<ListBucketResult><Contents><Key>", "kkkkkkkkkkkkkkkk", http.StatusOK},
		"nothing":    {"", "                ", http.StatusOK},
		"a refusal":  {"<Error><Code>AccessDenied</Code><Message>", "nnnnnnnnnnnnnnnn", http.StatusForbidden},
		"an apology": {"", "Sorry. ", http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.begin)
				for more := strings.Repeat(c.more, 5000); ; {
					if _, err := io.WriteString(w, more); err != nil {
						return // the client has read enough
					}
				}
			}))
			t.Cleanup(server.Close)
			b, err := Open(Options{URL: "s3://company", Endpoint: server.URL, Region: "r", AccessKey: "k", SecretKey: "s"})
			if err != nil {
				t.Fatal(err)
			}
			var e *api.Error
			if err := b.List(t.Context(), "", func(Object) error { return nil }); !errors.As(err, &e) || e.Code != api.CodeSource {
				t.Errorf("%v", err)
			}
		})
	}
}
