package opentables

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// REST is an Iceberg REST catalog over a folder of tables, as its specification has it:
// all are in the namespace a.b, and lists come by pages of two. Who asks is a client of
// OAuth2, whose tokens are good for one answer.
type REST struct {
	URL string
	// Signs makes the catalog say that files are read with its signatures alone.
	Signs bool
	// Restricts is what the catalog says of rows and columns that may not be read.
	Restricts map[string]any
	// At, if set, is where the folder's tables are said to lie, as in s3://bucket/lake.
	At string
	// Lends, if set, makes the settings with keys for the files of a table.
	Lends func() map[string]string
	// Plans makes the catalog say that it alone plans scans.
	Plans bool
	// Elsewhere, if set, is the address at which it says that it is to be asked.
	Elsewhere string

	dir    string
	mu     sync.Mutex
	tokens int
	good   string
}

// The client of OAuth2 that a REST gives tokens.
const (
	RESTClient = "reader"
	RESTSecret = "a secret of the test"
)

// NewREST starts a catalog that ends with the test.
func NewREST(t testing.TB, dir string) *REST {
	t.Helper()
	c := &REST{dir: dir}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/oauth/tokens", c.token)
	mux.HandleFunc("GET /v1/config", c.asked(func(r *http.Request) any {
		if r.FormValue("warehouse") != "tests" {
			return nil
		}
		return object{"defaults": object{"prefix": "unused"}, "overrides": object{"prefix": "ware/house 1", "uri": c.Elsewhere}}
	}))
	const prefix = "GET /v1/ware/house%201/namespaces"
	mux.HandleFunc(prefix, c.asked(func(r *http.Request) any {
		below := map[string][]any{"": {[]string{"a"}, []string{"empty"}, []string{"more"}}, "a": {[]string{"a", "b"}}}
		return page(r, "namespaces", below[r.FormValue("parent")])
	}))
	mux.HandleFunc(prefix+"/{space}/tables", c.asked(func(r *http.Request) any {
		var names []any
		if r.PathValue("space") == "a\x1fb" {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				names = append(names, object{"namespace": []string{"a", "b"}, "name": e.Name()})
			}
		}
		return page(r, "identifiers", names)
	}))
	mux.HandleFunc(prefix+"/{space}/tables/{table}", c.asked(func(r *http.Request) any {
		file, text := Newest(dir, r.PathValue("table"))
		if file == "" || r.PathValue("space") != "a\x1fb" {
			return nil
		}
		if c.At != "" {
			file = c.At + strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(dir))
		}
		config := object{"s3.remote-signing-enabled": fmt.Sprint(c.Signs)}
		if c.Plans {
			config["scan-planning-mode"] = "server"
		}
		answer := object{"metadata-location": file, "metadata": text, "config": config}
		if c.Restricts != nil {
			answer["read-restrictions"] = c.Restricts
		}
		return c.lent(r, file, answer)
	}))
	mux.HandleFunc(prefix+"/{space}/tables/{table}/credentials", c.asked(func(r *http.Request) any {
		file, _ := Newest(dir, r.PathValue("table"))
		if c.Lends == nil {
			return nil
		}
		return c.lent(r, c.At+strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(dir)), object{})
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.URL = server.URL + "/"
	return c
}

// lent adds keys to an answer for who asks for them.
func (c *REST) lent(r *http.Request, file string, answer object) object {
	if c.Lends != nil && r.Header.Get("X-Iceberg-Access-Delegation") == "vended-credentials" {
		folder, _, _ := strings.Cut(file, "/metadata/")
		answer["storage-credentials"] = []object{
			{"prefix": "s3://tables", "config": object{"s3.access-key-id": "of nothing", "s3.secret-access-key": "no secret"}},
			{"prefix": folder, "config": c.Lends()},
		}
	}
	return answer
}

// Tokens is how many tokens were given.
func (c *REST) Tokens() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens
}

func (c *REST) token(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("grant_type") != "client_credentials" || r.FormValue("client_id") != RESTClient || r.FormValue("client_secret") != RESTSecret || r.FormValue("scope") != "catalog" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(object{"error": "invalid_client", "error_description": r.FormValue("client_secret")})
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	c.good = fmt.Sprintf("token %d", c.tokens)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"access_token": c.good, "token_type": "bearer", "expires_in": 1})
}

// asked answers who has the token; nil: there is no such thing.
func (c *REST) asked(answer func(*http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		good := r.Header.Get("Authorization") == "Bearer "+c.good
		c.mu.Unlock()
		code, said := http.StatusOK, answer(r)
		switch {
		case !good:
			code, said = http.StatusUnauthorized, object{"error": object{"code": 401}}
		case said == nil:
			code, said = http.StatusNotFound, object{"error": object{"code": 404}}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(said)
	}
}

// page is a part of a list, if the request asks for pages.
func page(r *http.Request, key string, all []any) any {
	if !r.URL.Query().Has("pageToken") {
		return object{key: all}
	}
	from, _ := strconv.Atoi(r.FormValue("pageToken"))
	to := min(from+2, len(all))
	out := object{key: all[from:to]}
	if to < len(all) {
		out["next-page-token"] = strconv.Itoa(to)
	}
	return out
}

var metadataNumber = regexp.MustCompile(`^v?(\d+)`)

// Newest reads the newest metadata file of an Iceberg table. It returns "" if there is no
// such file.
func Newest(dir, table string) (file string, text json.RawMessage) {
	found, _ := filepath.Glob(filepath.Join(dir, table, "metadata", "*metadata.json*"))
	if len(found) == 0 {
		return "", nil
	}
	number := func(file string) int {
		n, _ := strconv.Atoi(metadataNumber.FindStringSubmatch(filepath.Base(file))[1])
		return n
	}
	file = slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	raw, err := os.ReadFile(file)
	if z, plain := gzip.NewReader(bytes.NewReader(raw)); err == nil && plain == nil {
		raw, err = io.ReadAll(z)
	}
	if err != nil || strings.TrimSpace(string(raw)) == "" {
		return "", nil
	}
	return file, raw
}
