package trino

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/klauspost/compress/zstd"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// cluster answers with pages: the columns of a table, and what is asked of it.
type cluster struct {
	pages   []string // of a scan; each but the last has a next one
	busy    int      // how many requests are refused at first
	started []string // errors of the first statements, by name
	deleted atomic.Int32
	foreign string // the host that next pages are said to be on
	hangs   bool   // behind the last page
}

const columnsPage = `{"id":"q","columns":[{"name":"column_name","type":"varchar"},{"name":"data_type","type":"varchar"},{"name":"is_nullable","type":"varchar"},` +
	`{"name":"comment","type":"varchar"}],"data":[["n","bigint","YES",null],["v","varchar","YES",null]],"stats":{"state":"FINISHED"}}`

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.busy > 0 {
		c.busy--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	at := 0
	switch r.Method {
	case http.MethodDelete:
		c.deleted.Add(1)
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPost:
		statement, _ := io.ReadAll(r.Body)
		if len(c.started) > 0 {
			name := c.started[0]
			c.started = c.started[1:]
			fmt.Fprintf(w, `{"id":"q","error":{"message":"Nope","errorName":%q,"errorType":"INTERNAL_ERROR"},"stats":{}}`, name)
			return
		}
		if strings.Contains(string(statement), "information_schema") {
			fmt.Fprint(w, columnsPage)
			return
		}
	default:
		_, _ = fmt.Sscanf(r.URL.Path, "/next/%d", &at)
	}
	if at >= len(c.pages) {
		<-r.Context().Done()
		return
	}
	page := c.pages[at]
	if page == refusal {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if at+1 < len(c.pages) || c.hangs {
		page = strings.Replace(page, "{", fmt.Sprintf(`{"nextUri":"%s/next/%d",`, c.foreign, at+1), 1)
	}
	fmt.Fprint(w, page)
}

const scanColumns = `"columns":[{"name":"da_0","type":"bigint"},{"name":"da_1","type":"varchar"}],`

// scan reads both columns, and returns how many rows came.
func (c *cluster) scan(ctx context.Context, t *testing.T) (rows int64, err error) {
	t.Helper()
	server := httptest.NewServer(c)
	defer server.Close()
	if c.foreign == "" {
		c.foreign = server.URL
	}
	src := open(t, "http://da:"+"secret@"+server.Listener.Addr().String()+"/memory/shop")
	defer src.Close()
	var r array.RecordReader
	if r, err = src.Scan(ctx, source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"n", "v"}}); err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	return rows, r.Err()
}

// refusal is a page that is not given to who asks any more.
const refusal = "401"

const queued, twoRows = `{"id":"q","stats":{"state":"QUEUED"}}`, `{"id":"q",` + scanColumns + `"data":[[1,"a"],[2,null]],"stats":{}}`

func TestConversation(t *testing.T) {
	for what, c := range map[string]struct {
		cluster *cluster
		rows    int64
		code    api.Code // empty: no error
		says    string
	}{
		"as it should be":              {cluster: &cluster{pages: []string{queued, twoRows, `{"id":"q","data":[[3,"\u00e9\ud83d\ude80\n"]],"stats":{}}`, queued}}, rows: 3},
		"busy at first":                {cluster: &cluster{busy: 2, pages: []string{twoRows}}, rows: 2},
		"starting up":                  {cluster: &cluster{started: []string{"SERVER_STARTING_UP", "NO_NODES_AVAILABLE"}, pages: []string{twoRows}}, rows: 2},
		"the next page elsewhere":      {cluster: &cluster{foreign: "http://127.0.0.1:1", pages: []string{twoRows, twoRows}}, rows: 4},
		"an error after rows":          {cluster: &cluster{pages: []string{twoRows, `{"id":"q","error":{"message":"Division by zero","errorCode":8,"errorName":"DIVISION_BY_ZERO","errorType":"USER_ERROR"},"stats":{}}`}}, rows: 2, code: api.CodeQueryFailed, says: "Division by zero"},
		"too slow, after rows":         {cluster: &cluster{pages: []string{twoRows, `{"id":"q","error":{"message":"Query exceeded maximum time limit","errorName":"EXCEEDED_TIME_LIMIT","errorType":"INSUFFICIENT_RESOURCES"},"stats":{}}`}}, rows: 2, code: api.CodeTimeout},
		"credentials that ran out":     {cluster: &cluster{pages: []string{twoRows, refusal}}, rows: 2, code: api.CodeSource, says: "refuses the server's credentials"},
		"a row that is short":          {cluster: &cluster{pages: []string{twoRows, `{"id":"q","data":[[3]],"stats":{}}`}}, rows: 2, code: api.CodeSource},
		"a number that is none":        {cluster: &cluster{pages: []string{`{"id":"q",` + scanColumns + `"data":[["x","a"]],"stats":{}}`}}, code: api.CodeQueryFailed, says: "'n'"},
		"other columns":                {cluster: &cluster{pages: []string{`{"id":"q","columns":[{"name":"da_0","type":"bigint"},{"name":"da_1","type":"bigint"}],"stats":{}}`}}, code: api.CodeQueryFailed, says: "'v'"},
		"something that is not a page": {cluster: &cluster{pages: []string{twoRows, `<html>`}}, rows: 2, code: api.CodeSource, says: "broke off"},
		"text that is not UTF-8":       {cluster: &cluster{pages: []string{"{\"id\":\"q\"," + scanColumns + "\"data\":[[1,\"\xff\"]]}"}}, code: api.CodeSource},
	} {
		rows, err := c.cluster.scan(t.Context(), t)
		if rows != c.rows || c.code == "" && err != nil || c.code != "" && !c.code.Is(err) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d rows, %v", what, rows, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error holds the secret", what)
		}
	}
}

// TestStopped holds that a statement is ended in the engine when nobody waits for it, and
// not when it has ended by itself.
func TestStopped(t *testing.T) {
	whole := &cluster{pages: []string{twoRows, twoRows}}
	if _, err := whole.scan(t.Context(), t); err != nil || whole.deleted.Load() != 0 {
		t.Errorf("%v, %d statements were stopped", err, whole.deleted.Load())
	}
	c := &cluster{pages: []string{twoRows}, hangs: true}
	server := httptest.NewServer(c)
	defer server.Close()
	c.foreign = server.URL
	src := open(t, server.URL[:7]+"da@"+server.URL[7:]+"/memory/shop")
	for what, stop := range map[string]func(r array.RecordReader, cancel func()){
		"cancelled": func(r array.RecordReader, cancel func()) {
			cancel()
			if r.Next() || !errors.Is(r.Err(), context.Canceled) {
				t.Errorf("cancelled: %v", r.Err())
			}
			r.Release()
		},
		"released": func(r array.RecordReader, _ func()) { r.Release() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		before := c.deleted.Load()
		r, err := src.Scan(ctx, source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"n", "v"}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		stop(r, cancel)
		if got := c.deleted.Load() - before; got != 1 {
			t.Errorf("%s: %d statements were stopped", what, got)
		}
		cancel()
	}
}

// store keeps a segment, and has a link to it that needs a header.
func store(t *testing.T, segments map[string][]byte) (uri string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Trino-User") != "" || r.Header.Get("Referer") != "" || r.Header.Get("X-Given") != "yes" {
			t.Errorf("the store is sent %v", r.Header)
		}
		switch data := segments[r.URL.Path]; {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/1?signed=secret", http.StatusTemporaryRedirect)
		case data == nil:
			w.WriteHeader(http.StatusForbidden)
		default:
			_, _ = w.Write(data)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestSegments reads rows that lie in a store, which gets the headers of its links and no
// credentials, and takes no part of them for all.
func TestSegments(t *testing.T) {
	const first, second = `[[1,"a"],[2,null]]`, `[[3,"\u00e9"]]`
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := packer.EncodeAll([]byte(first), nil)
	sized := fmt.Sprintf(`"rowsCount":2,"segmentSize":%d,"uncompressedSize":%d`, len(packed), len(first))
	for what, c := range map[string]struct {
		path, meta string // of the first segment
		inline     string // the second
		rows       int64
		says       string // empty: no error
	}{
		"as it should be":        {"/1", sized, second, 3, ""},
		"moved":                  {"/moved", sized, second, 3, ""},
		"expired":                {"/2", sized, second, 0, "403"},
		"cut":                    {"/cut", sized, second, 0, "bytes"},
		"too short":              {"/1", sized + "0", second, 0, "unpacked"},
		"fewer rows":             {"/1", strings.Replace(sized, `"rowsCount":2`, `"rowsCount":3`, 1), second, 0, "as many as it says"},
		"a part that is missing": {"/1", sized, "", 2, "is missing"},
		"more behind":            {"/1", sized, second + "[]", 2, "as many as it says"},
		"no link":                {":", sized, second, 0, "not valid"},
	} {
		var acked atomic.Int32
		at := store(t, map[string][]byte{"/1": packed, "/cut": packed[:len(packed)-1]})
		segments := fmt.Sprintf(`{"type":"spooled","uri":%q,"ackUri":"http://elsewhere/v1/spooled/ack/1","headers":{"x-given":["yes"]},"metadata":{"rowOffset":0,%s}}`, at+c.path, c.meta)
		if c.path == ":" {
			segments = strings.Replace(segments, at+":", ":", 1)
		}
		offset := 2
		if c.inline == "" {
			offset = 3
		}
		segments += fmt.Sprintf(`,{"type":"inline","data":%q,"metadata":{"rowOffset":%d,"rowsCount":1,"segmentSize":%d}}`,
			base64.StdEncoding.EncodeToString([]byte(c.inline)), offset, len(c.inline))
		trino := &cluster{pages: []string{`{"id":"q",` + scanColumns + `"data":{"encoding":"json+zstd","segments":[` + segments + `]},"stats":{}}`, queued}}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			statement, _ := io.ReadAll(r.Body)
			switch asked := r.Header.Get("X-Trino-Query-Data-Encoding"); {
			case r.URL.Path == "/v1/spooled/ack/1":
				acked.Add(1)
				if r.Header.Get("Authorization") != "" {
					t.Error("a segment is removed with credentials")
				}
				return
			case r.Method == http.MethodPost && (asked == "json+zstd") == strings.Contains(string(statement), "information_schema"):
				t.Errorf("%s is asked for as %q", statement, asked)
			}
			r.Body = io.NopCloser(bytes.NewReader(statement))
			trino.ServeHTTP(w, r)
		}))
		trino.foreign = server.URL
		src := open(t, "http://da:"+"secret@"+server.Listener.Addr().String()+"/memory/shop?encoding=json+zstd")
		r, err := src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"n", "v"}})
		if err != nil {
			t.Fatal(err)
		}
		rows := int64(0)
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		said := fmt.Sprint(r.Err(), errors.Unwrap(r.Err()))
		if rows != c.rows || (r.Err() == nil) != (c.says == "") || !strings.Contains(said, c.says) || strings.Contains(said, at) {
			t.Errorf("%s: %d rows, %s", what, rows, said)
		}
		if c.says == "" && acked.Load() != 1 {
			t.Errorf("%s: %d segments are removed", what, acked.Load())
		}
		r.Release()
		server.Close()
	}
	if _, err := Open(Options{DSN: "http://da@127.0.0.1:1/a/b?encoding=arrow"}); !api.CodeConfig.Is(err) {
		t.Errorf("another encoding: %v", err)
	}
}

// TestOtherTables holds that a statement does not run if the engine says that it reads
// another table, or does not say what it reads.
func TestOtherTables(t *testing.T) {
	const mine, other = `{"catalog":"memory","schema":"shop","table":"t"}`, `{"catalog":"memory","schema":"shop","table":"secret","directlyReferenced":`
	for told, kind := range map[string]string{
		`{"referencedTables":[` + mine + `]}`: "", `{"referencedTables":[` + mine + "," + other + `false}]}`: "", `{"referencedTables":[]}`: "",
		`{"referencedTables":[` + mine + "," + other + `true}]}`: api.KindOtherTable, `{}`: api.KindUnsupportedServer, `<html>`: api.KindUnsupportedServer,
	} {
		c := &cluster{pages: []string{twoRows}}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/query/q" {
				fmt.Fprint(w, told)
				return
			}
			c.ServeHTTP(w, r)
		}))
		src := open(t, "http://da@"+server.Listener.Addr().String()+"/memory/shop")
		r, err := src.Query(t.Context(), "SELECT n, v FROM t", map[string]source.Relation{"t": {Name: "t"}})
		var e *api.Error
		if kind == "" && err != nil || kind != "" && (!errors.As(err, &e) || e.Kind != kind) {
			t.Errorf("%s: %v", told, err)
		}
		if err == nil {
			r.Release()
		}
		server.Close()
	}
}

// TestCutPages holds that a page which ends anywhere but at its end is an error.
func TestCutPages(t *testing.T) {
	whole := `{"id":"q","nextUri":"http:\/\/x\/y","columns":[{"name":"a\"\\","type":"varchar","typeSignature":{"rawType":"varchar","arguments":[]}}],"data":[["\u00e9",-1.5e3,null,[true,{}]]],"stats":{"x":"\\\""},"error":null}`
	p, err := readPage([]byte(whole), nil)
	if err != nil || p.next != "http://x/y" || len(p.columns) != 1 || p.columns[0].name != `a"\` || p.rows == nil || p.failed != nil {
		t.Fatalf("%+v, %v", p, err)
	}
	for i := range whole {
		if _, err := readPage([]byte(whole[:i]), nil); err == nil {
			t.Errorf("%q is a page", whole[:i])
		}
		_, _ = readPage([]byte(whole[:i]), func(s *scanner) error { return s.skip() })
	}
	if _, err := readPage([]byte(whole+"x"), nil); err == nil {
		t.Error("something follows a page")
	}
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(columnsPage))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := readPage(append([]byte{}, body...), nil)
		if err == nil {
			_, _ = texts(nil, p)
		}
	})
}
