//go:build unix

package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
)

// BenchmarkThePage measures what the questions that the page asks most cost a server
// of 100 tables. The processor's time is reported beside the clock's: other programs
// on the machine do not change it.
func BenchmarkThePage(b *testing.B) {
	dir := b.TempDir()
	text := "sources: { files: { type: lake, root: . } }\ntables:\n"
	for i := range 100 {
		name := fmt.Sprintf("t%d", i)
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte("id,name,value\n1,one,1.5\n2,two,2.5\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		text += fmt.Sprintf("  - { id: %s, source: files, path: %s.csv, description: A table of the benchmark, public: true }\n", name, name)
	}
	c := openCore(b, dir, text)
	h := newHandler(c, slog.New(slog.DiscardHandler))
	admin := c.As(core.LocalAdmin)
	if _, err := admin.CreateUser(b.Context(), api.NewUser{Name: "una"}); err != nil {
		b.Fatal(err)
	}
	token, err := admin.CreateToken(b.Context(), api.NewToken{User: "una"})
	if err != nil {
		b.Fatal(err)
	}
	made, err := c.SignIn(b.Context(), core.Origin{}, token.Secret, "")
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range []struct{ name, path string }{
		{"whoami", "/api/v2/whoami"}, {"catalog", "/api/v2/catalog"}, {"schema", "/api/v2/schema/t7"}, {"search", "/api/v2/catalog/search?q=value"},
		{"sample", "/api/v2/sample/t7?n=100"}, {"quota", "/api/v2/quota"},
	} {
		ask := func() {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://127.0.0.1:80"+q.path, nil)
			r.Header.Set(wire.HeaderPageKey, made.Key)
			r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
			r.AddCookie(&http.Cookie{Name: cookieName(r), Value: made.Cookie})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				b.Fatalf("%s: %d %s", q.path, w.Code, strings.TrimSpace(w.Body.String()))
			}
		}
		b.Run(q.name, func(b *testing.B) {
			ask()
			b.ReportAllocs()
			before := processorTime(b)
			for b.Loop() {
				ask()
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// processorTime is what this process has used of the processors so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
