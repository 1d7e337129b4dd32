package client

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// repeated is JSON of n times the same between two texts, made as it is read.
func repeated(before, item, after string, n int) io.Reader {
	return io.MultiReader(strings.NewReader(before), io.LimitReader(&again{text: item + ","}, int64(n*(len(item)+1))), strings.NewReader(item+after))
}

type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = a.text[a.at]
		a.at = (a.at + 1) % len(a.text)
	}
	return len(p), nil
}

// TestSmallAnswersTakeNoMuchMemory sends what is small as JSON and would be
// large in memory: it is refused before anything is made of it.
func TestSmallAnswersTakeNoMuchMemory(t *testing.T) {
	for what, x := range map[string]struct {
		op   func(c *Client) error
		body func() io.Reader
	}{
		"tables with ids": {
			func(c *Client) error { _, err := c.Tables(t.Context()); return err },
			func() io.Reader { return repeated(`{"tables":[`, `{"id":"t1"}`, `]}`, 1_000_000) },
		},
		"examples": {
			func(c *Client) error { _, err := c.Tables(t.Context()); return err },
			func() io.Reader { return repeated(`{"tables":[{"id":"t","where_examples":[`, `""`, `]}]}`, 22_000_000) },
		},
		"columns": {
			func(c *Client) error { _, err := c.Schema(t.Context(), "t"); return err },
			func() io.Reader {
				return repeated(`{"table_id":"t","sql_flavor":"duckdb","columns":[`, `{}`, `]}`, 22_000_000)
			},
		},
		"depth": {
			func(c *Client) error { _, err := c.Sample(t.Context(), "t", 5); return err },
			func() io.Reader { return io.LimitReader(&again{text: "["}, 1<<30) },
		},
		"a text without an end": {
			func(c *Client) error { _, err := c.Tables(t.Context()); return err },
			func() io.Reader { return io.MultiReader(strings.NewReader(`{"tables":["`), &again{text: `\"a`}) },
		},
		"users": {
			func(c *Client) error { _, err := c.Users(t.Context()); return err },
			func() io.Reader { return repeated(`[`, `{}`, `]`, 22_000_000) },
		},
		"files": {
			func(c *Client) error { _, err := c.Manifest(t.Context()); return err },
			func() io.Reader { return repeated(`{"tables":[`, `{}`, `]}`, 22_000_000) },
		},
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.Copy(w, x.body())
		})
		c, _ := newTest(t, s.URL)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := x.op(c)
		runtime.ReadMemStats(&after)
		if e := codeOf(t, err); e.Kind != "not_agnes" || !strings.Contains(e.Message, "larger than any") {
			t.Errorf("%s: %v", what, err)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 450 { // counts garbage too, such as outgrown buffers
			t.Errorf("%s: %d MB", what, mb)
		}
	}
}

// TestALargeCatalogIsTaken: the bounds are beyond what a server of ours sends.
func TestALargeCatalogIsTaken(t *testing.T) {
	table := `{"id":"a_table","name":"A \"table\"","description":"{[,\\","source_type":"lake","query_mode":"remote","sql_flavor":"duckdb",
		"where_examples":["a = 1","b > 2"],"fetch_via":"da fetch","rough_size_hint":null,"row_count":1,"size_bytes":2}`
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, repeated(`{"tables":[`, table, `]}`, 99_999))
	})
	c, _ := newTest(t, s.URL)
	if list, err := c.Tables(t.Context()); err != nil || len(list.Tables) != 100_000 || list.Tables[99_999].Description != `{[,\` {
		t.Errorf("%v", err)
	}
}

func TestManifestsThatNoServerSends(t *testing.T) {
	const file = `{"table_id":"t","rows":1,"bytes":%d,"xxh3":"0123456789abcdef0123456789abcdef"}`
	for _, tables := range []string{
		fmt.Sprintf(file, int64(1<<63-1)), fmt.Sprintf(file, int64(maxFile+1)), fmt.Sprintf(file, 0), fmt.Sprintf(file, -1),
		fmt.Sprintf(file+","+file, 5, 5), // pulled by two at once
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"tables":[%s],"failed":[]}`, tables)
		})
		c, _ := newTest(t, s.URL)
		if _, err := c.Manifest(t.Context()); codeOf(t, err).Kind != "not_agnes" {
			t.Errorf("%s: %v", tables, err)
		}
	}
}

// TestCatalogsThatNoServerSends: a table without an id that could be asked for is
// none of ours.
func TestCatalogsThatNoServerSends(t *testing.T) {
	for _, tables := range []string{"null", "[null]", `[{"id":""}]`, `[{"id":"../../etc"}]`, `[{"id":"flights"},{"id":"a b"}]`} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"tables":%s}`, tables)
		})
		c, _ := newTest(t, s.URL)
		if _, err := c.Tables(t.Context()); codeOf(t, err).Kind != "not_agnes" {
			t.Errorf("%s: %v", tables, err)
		}
	}
}

// TestSchemasThatNoServerSends: a table has columns, and each of them a name and a
// type.
func TestSchemasThatNoServerSends(t *testing.T) {
	for columns, sound := range map[string]bool{
		`[{"name":"n","type":"INTEGER"}]`: true, `null`: false, `[]`: false, `[{}]`: false, `[{"name":"n"}]`: false, `[{"name":"n","type":"INTEGER"},{"type":"DATE"}]`: false,
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"table_id":"t","sql_flavor":"duckdb","columns":%s}`, columns)
		})
		c, _ := newTest(t, s.URL)
		_, err := c.Schema(t.Context(), "t")
		if sound && err != nil {
			t.Errorf("%s: %v", columns, err)
		}
		if !sound && codeOf(t, err).Kind != "not_agnes" {
			t.Errorf("%s: %v", columns, err)
		}
	}
}

// TestEstimatesThatNoServerSends: what would be cut is said as the server words
// it, and counts rows that the server must know.
func TestEstimatesThatNoServerSends(t *testing.T) {
	for limit, sound := range map[string]bool{
		`{"key":"api.scan.max_limit","limit":5,"unit":"rows","certain":true}, "rows_low":7`:  true,
		`{"key":"api.scan.max_result_bytes","limit":5,"unit":"bytes","certain":false}`:       true,
		`{"key":"api.scan.max_limit","limit":5,"unit":"rows","certain":true}`:                false, // of how many rows?
		`{"key":"api.scan.max_limit","limit":-1,"unit":"rows","certain":false}`:              false,
		`{"key":"\u001b[31mmax","limit":5,"unit":"rows","certain":false}`:                    false,
		`{"key":"` + strings.Repeat("k", 100) + `","limit":5,"unit":"rows","certain":false}`: false,
		`{"key":"api.scan.max_limit","limit":5,"unit":"\u001b[31mrows","certain":false}`:     false,
		`{}`: false,
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"table_id":"t","cut_by":%s}`, limit)
		})
		c, _ := newTest(t, s.URL)
		_, err := c.Estimate(t.Context(), api.ScanRequest{TableID: "t"})
		if sound && err != nil {
			t.Errorf("%s: %v", limit, err)
		}
		if !sound && codeOf(t, err).Kind != "not_agnes" {
			t.Errorf("%s: %v", limit, err)
		}
	}
}

// TestAnswersThatNeverEndAreLeft hears something all the time: no silence ends
// these answers.
func TestAnswersThatNeverEndAreLeft(t *testing.T) {
	const limit = 100 * time.Millisecond
	for what, respond := range map[string]func(conn *net.TCPConn) error{
		"bytes of JSON": func(conn *net.TCPConn) error {
			_, err := fmt.Fprint(conn, " ")
			return err
		},
		"signs of life": func(conn *net.TCPConn) error {
			_, err := fmt.Fprint(conn, "HTTP/1.1 102 Processing\r\n\r\n")
			return err
		},
	} {
		url := rawServer(t, func(conn *net.TCPConn) {
			if what == "bytes of JSON" {
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
			}
			for respond(conn) == nil {
				<-time.After(limit / 20)
			}
		})
		c, p := newTest(t, url, func(o *Options) { o.StallTimeout = limit })
		_, err := c.Tables(t.Context())
		if e := codeOf(t, err); e.Code != api.CodeStalled || e.Kind != "slow" || len(p.take()) > 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	url := rawServer(t, func(conn *net.TCPConn) {
		for {
			if _, err := fmt.Fprint(conn, strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 100)); err != nil {
				return
			}
		}
	})
	c, _ := newTest(t, url)
	if _, err := scanAll(t.Context(), c); codeOf(t, err).Kind != "not_agnes" {
		t.Errorf("a flood of signs: %v", err)
	}
}

// TestAnAnswerToSomethingElseIsNone gets a whole and sound stream of the columns
// n and s with 15 rows, whatever it asks for.
func TestAnAnswerToSomethingElseIsNone(t *testing.T) {
	body := resultBody(t, 5)
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		resultHeader(w.Header())
		_, _ = w.Write(body)
	})
	c, _ := newTest(t, s.URL)
	rows := func(n int64) *int64 { return &n }
	for _, x := range []struct {
		req   api.ScanRequest
		sound bool
	}{
		{api.ScanRequest{}, true},
		{api.ScanRequest{Select: []string{"n", "s"}, Limit: rows(15)}, true},
		{api.ScanRequest{Select: []string{` "N" `, "`s`"}}, true},
		{api.ScanRequest{Select: []string{"s", "n"}}, false},
		{api.ScanRequest{Select: []string{"n"}}, false},
		{api.ScanRequest{Select: []string{"n", "s", "x"}}, false},
		{api.ScanRequest{Select: []string{"delay", "origin"}}, false},
		{api.ScanRequest{Limit: rows(14)}, false},
		{api.ScanRequest{Limit: rows(0)}, false},
	} {
		x.req.TableID = "t"
		stream, err := c.Scan(t.Context(), x.req)
		if err == nil {
			for stream.Batches.Next() {
			}
			err = stream.Batches.Err()
			stream.Close()
		}
		if x.sound && err != nil {
			t.Errorf("%+v: %v", x.req, err)
		}
		if !x.sound {
			if e := codeOf(t, err); e.Code != api.CodeStreamCut || e.Kind != "not_asked" || e.RequestID == "" {
				t.Errorf("%+v: %#v", x.req, e)
			}
		}
	}
	stream, err := c.Query(t.Context(), api.QueryRequest{SQL: "SELECT 1 FROM t", Limit: rows(14)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for stream.Batches.Next() {
	}
	if codeOf(t, stream.Batches.Err()).Kind != "not_asked" {
		t.Errorf("a statement: %v", stream.Batches.Err())
	}
}

// envClient makes the test binary ask the server of that URL for its tables.
const envClient = "CLIENT_TEST_URL"

func TestMain(m *testing.M) {
	url := os.Getenv(envClient)
	if url == "" {
		m.Run()
		return
	}
	c, err := New(Options{URL: url, StallTimeout: stopped / 2})
	if err == nil {
		_, err = c.Tables(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // a child is a process of its own
	}
}

// stopped is how long a client is stopped: twice as long as it waits.
const stopped = 2 * time.Second

// TestAClientThatWasStoppedDoesNotBlameTheServer stops a process while it waits
// for an answer.
func TestAClientThatWasStoppedDoesNotBlameTheServer(t *testing.T) {
	asked, goOn := make(chan struct{}), make(chan struct{})
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-goOn
		sendJSON(w, http.StatusOK, anyAnswer(r))
	})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envClient+"="+s.URL)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	<-time.After(stopped)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
}
