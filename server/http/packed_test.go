package httpapi

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestCodingsAreChosen(t *testing.T) {
	for accepted, want := range map[string]string{
		"": "", "identity": "", "br": "", "gzip": "gzip", "GZIP;q=0.5": "gzip", "gzip, zstd": "zstd", "zstd;q=0, gzip": "gzip",
		"gzip; q=0": "", "gzip;q=0.0,br": "", "*": "", "gzip;q=x": "",
	} {
		if got := acceptedCoding([]string{accepted}); got != want {
			t.Errorf("%q: %q, want %q", accepted, got, want)
		}
	}
}

// unpack reads a compressed body.
func unpack(t *testing.T, coding, body string) string {
	t.Helper()
	var from io.Reader
	var err error
	switch coding {
	case "gzip":
		from, err = gzip.NewReader(strings.NewReader(body))
	case "zstd":
		from, err = zstd.NewReader(strings.NewReader(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswersAreCompressedForThoseWhoAccept(t *testing.T) {
	s := bigServer(t)
	token := s.admin()
	_, h, plain := s.ask(http.MethodGet, "/api/v2/sample/big?n=100", token, "", "Accept-Encoding", "identity")
	if h.Get("Content-Encoding") != "" || h.Get("Vary") != "Accept-Encoding" || len(plain) < leastPacked {
		t.Fatalf("%v, %d bytes", h, len(plain))
	}
	for _, coding := range []string{"gzip", "zstd"} {
		status, h, body := s.ask(http.MethodGet, "/api/v2/sample/big?n=100", token, "", "Accept-Encoding", coding)
		if status != http.StatusOK || h.Get("Content-Encoding") != coding || len(body) > len(plain)*3/4 || unpack(t, coding, body) != plain {
			t.Errorf("%s: %d, %v, %d bytes of %d", coding, status, h, len(body), len(plain))
		}
	}
	if _, h, _ := s.ask(http.MethodGet, "/api/v2/schema/big", token, "", "Accept-Encoding", "gzip"); h.Get("Content-Encoding") != "" {
		t.Error("a short answer is compressed")
	}
}

// TestNoSecretIsCompressedWithACallersText asks every route with a long text of
// the caller's: the length of a compressed body would tell what else is in it.
func TestNoSecretIsCompressedWithACallersText(t *testing.T) {
	s := bigServer(t)
	token := s.admin()
	long := strings.Repeat("guess", leastPacked/4)
	quiet := 0
	for _, r := range routes() {
		path := strings.NewReplacer("{id}", long, "{file}", long, "{tag}", long, "{user}", long, "{name}", long, "{$}", "").Replace(r.path)
		for _, body := range []string{"", `{"user":"` + long + `"}`} {
			_, h, answer := s.ask(r.method, path+"?q="+long, token, body, "Accept-Encoding", "gzip, zstd")
			if h.Get("Content-Encoding") != "" && r.path != "/{$}" {
				t.Errorf("%s %s: compressed", r.method, r.path)
			}
			if strings.Contains(answer, long[:40]) {
				quiet++
			}
		}
	}
	if quiet == 0 {
		t.Error("no answer held the text: the test shows nothing")
	}
	for what, c := range map[string][2]string{
		"a new token":           {"/api/admin/tokens", `{"user":"` + long[:60] + `"}`},
		"rows of a statement":   {"/api/page/query", `{"sql":"SELECT '` + long + `' AS guess, name FROM big","limit":100}`},
		"rows of a predicate":   {"/api/page/rows", `{"table_id":"big","where":"name <> '` + long + `'","limit":100}`},
		"an estimate":           {"/api/v2/scan/estimate", `{"table_id":"big","where":"name <> '` + long + `'"}`},
		"a refused predicate":   {"/api/v2/scan", `{"table_id":"big","where":"` + long + ` = 1"}`},
		"an unknown table's id": {"/api/v2/scan", `{"table_id":"` + long + `"}`},
	} {
		if status, h, _ := s.ask(http.MethodPost, c[0], token, c[1], "Accept-Encoding", "gzip, zstd"); h.Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed (%d)", what, status)
		}
	}
	_, h, events := s.ask(http.MethodGet, "/api/admin/audit", token, "", "Accept-Encoding", "gzip, zstd")
	if !strings.Contains(events, long[:40]) || h.Get("Content-Encoding") != "" {
		t.Errorf("the audit holds callers' texts (%t), in the coding %q", strings.Contains(events, long[:40]), h.Get("Content-Encoding"))
	}
}
