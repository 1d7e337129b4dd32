package trinotest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
)

// Tape has the pages of conversations, by their statements.
type Tape struct {
	mu    sync.Mutex
	pages map[string][]map[string]json.RawMessage
}

// kept are the fields of a page that are recorded: those that say nothing of time and
// place, so that a new recording shows what has changed.
var kept = []string{"columns", "data", "error"}

// Open reads a tape.
func Open(path string) (*Tape, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &Tape{pages: map[string][]map[string]json.RawMessage{}}
	r, err := gzip.NewReader(file)
	if err == nil {
		err = json.NewDecoder(r).Decode(&t.pages)
	}
	return t, err
}

// Save writes the tape.
func (t *Tape) Save(path string) error {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(w).Encode(t.pages), w.Close()); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// Recorder stands before a server, and records what goes through. Statements with one of
// the words are not recorded.
func Recorder(server string, except ...string) (*Tape, http.Handler) {
	t := &Tape{pages: map[string][]map[string]json.RawMessage{}}
	asked := map[string]*recording{}  // by the path of its next page
	statements := map[string]string{} // by the path of what is told of them
	return t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		statement, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+server+r.URL.RequestURI(), bytes.NewReader(statement))
		if err != nil {
			return
		}
		req.Header = r.Header.Clone()
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		var page map[string]json.RawMessage
		if err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(body, &page) == nil {
			t.mu.Lock()
			of := asked[r.URL.RequestURI()]
			if r.Method == http.MethodPost {
				of = &recording{statement: string(statement)}
				var id string
				_ = json.Unmarshal(page["id"], &id)
				statements[told+id] = of.statement
			} else if s, ok := statements[r.URL.Path]; ok {
				t.pages[told+s] = []map[string]json.RawMessage{{tables: page[tables]}}
			}
			if of != nil && !slices.ContainsFunc(except, func(word string) bool { return strings.Contains(of.statement, word) }) {
				t.keep(of, page, asked)
			}
			t.mu.Unlock()
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = w.Write(body)
	})
}

// recording is a conversation that has not ended.
type recording struct {
	statement string
	pages     []map[string]json.RawMessage
}

func (t *Tape) keep(of *recording, page map[string]json.RawMessage, asked map[string]*recording) {
	out := map[string]json.RawMessage{}
	for _, field := range kept {
		if v, ok := page[field]; ok {
			out[field] = v
		}
	}
	var next string
	if json.Unmarshal(page["nextUri"], &next) == nil && next != "" {
		if u, err := url.Parse(next); err == nil {
			asked[u.RequestURI()] = of
		}
		if len(out) == 0 && len(of.pages) > 1 {
			return // it only says that there is nothing yet
		}
		out[more] = json.RawMessage("true")
	}
	of.pages = append(of.pages, out)
	// A statement that was stopped has no last page; one that was not is preferred.
	before := t.pages[of.statement]
	if out[more] == nil || len(before) == 0 || before[len(before)-1][more] != nil && len(before) <= len(of.pages) {
		t.pages[of.statement] = slices.Clone(of.pages)
	}
}

// told is where a server tells of a statement, and tables what is kept of that.
const told, tables = "/v1/query/", "referencedTables"

// more is the field of a page that another follows.
const more = "more"

// Player answers as the server did. A statement that is not on the tape is an error of
// HTTP that names it.
func (t *Tape) Player() http.Handler {
	var playing []string // the statements asked, by their numbers
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var number, at int
		t.mu.Lock()
		defer t.mu.Unlock()
		switch r.Method {
		case http.MethodPost:
			statement, _ := io.ReadAll(r.Body)
			number = len(playing)
			playing = append(playing, string(statement))
		case http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
			return
		default:
			if _, err := fmt.Sscanf(r.URL.Path, told+"%d", &number); err == nil && number < len(playing) {
				_ = json.NewEncoder(w).Encode(slices.Concat(t.pages[told+playing[number]], []map[string]json.RawMessage{nil})[0])
				return
			}
			if _, err := fmt.Sscanf(r.URL.Path, "/v1/statement/%d/%d", &number, &at); err != nil || number >= len(playing) {
				w.WriteHeader(http.StatusGone)
				return
			}
		}
		pages := t.pages[playing[number]]
		if at >= len(pages) {
			w.WriteHeader(http.StatusNotImplemented)
			fmt.Fprintf(w, "not on the tape: %s", playing[number])
			return
		}
		page := map[string]any{"id": fmt.Sprint(number), "infoUri": "http://recorded/", "stats": map[string]any{"state": "RUNNING", "nodes": 1}, "warnings": []any{}}
		for field, v := range pages[at] {
			page[field] = v
		}
		if delete(page, more); pages[at][more] != nil {
			page["nextUri"] = fmt.Sprintf("http://recorded/v1/statement/%d/%d", number, at+1)
		}
		_ = json.NewEncoder(w).Encode(page)
	})
}
