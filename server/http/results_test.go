package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/resultset"
)

// TestKeptResultsAreTheirOwners: a result is looked at by windows, taken as a file,
// and gone for others and as soon as its owner may read something else.
func TestKeptResultsAreTheirOwners(t *testing.T) {
	s := newStaffServer(t, "{}")
	h := newHandler(s.core, slog.New(slog.DiscardHandler))
	h.results = resultset.New(t.TempDir(), resultset.Usual)
	h.writeRows = countRows
	t.Cleanup(h.results.Close)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	ann, ben := s.user("ann"), s.user("ben")
	s.grant(api.NewGrant{TableID: "staff", User: "ann"})
	var kept api.KeptResult
	keep := func(body string) {
		t.Helper()
		status, _, text := s.ask("POST", "/api/page/results", ann, body)
		if err := json.Unmarshal([]byte(text), &kept); status != 200 || err != nil || kept.ID == "" {
			t.Fatalf("%d %v %s", status, err, text)
		}
	}
	keep(`{"sql":"SELECT id, team FROM staff"}`)
	all := int64(len(makeStaff()))
	if kept.Rows != all || len(kept.Columns) != 2 || kept.Bytes == 0 || kept.Until.IsZero() {
		t.Errorf("%+v", kept)
	}
	at := "/api/page/results/" + kept.ID
	rows := func(token, body string) (int, string, api.ResultRows) {
		t.Helper()
		var out api.ResultRows
		status, _, text := s.ask("POST", at+"/rows", token, body)
		_ = json.Unmarshal([]byte(text), &out) // errors have another form
		return status, text, out
	}
	if status, text, got := rows(ann, `{"from":1,"limit":2,"part":{"order":{"at":0,"down":true}}}`); status != 200 || got.Found != all || got.Shown != 2 || !got.More {
		t.Errorf("%d %s", status, text)
	}
	if status, text, got := rows(ann, `{"from":0,"limit":2000,"part":{"where":[{"at":1,"is":"a"}]}}`); status != 200 || got.Found == 0 || got.Found == all || strings.Contains(string(got.Rows), `"b"`) || got.More {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := s.ask("POST", at+"/groups", ann, `{"x":0,"by":-1,"y":-1,"how":"count"}`); status != 200 || !strings.Contains(text, `"found":`) || !strings.Contains(text, `"more":`) {
		t.Errorf("groups: %d %s", status, text)
	}
	if status, _, text := s.ask("POST", at+"/summaries", ann, `{"columns":[0,1]}`); status != 200 || !strings.Contains(text, `"distinct"`) {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := s.ask("POST", "/api/page/file", ann, `{"format":"csv","result":"`+kept.ID+`","part":{"where":[{"at":1,"null":true}]}}`); status != 200 || text == "" {
		t.Errorf("%d %s", status, text)
	}
	for _, body := range []string{`{"from":-1,"limit":2}`, `{"from":0,"limit":0}`, `{"from":0,"limit":99999}`, `{"from":0,"limit":1,"part":{"where":[{"at":7,"null":true}]}}`} {
		if status, text, _ := rows(ann, body); status != 400 {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if status, text, _ := rows(ben, `{"from":0,"limit":1}`); status != 412 || errorOf(t, text).Kind != api.KindChanged {
		t.Errorf("Ben: %d %s", status, text)
	}
	if status, _, text := s.ask("POST", "/api/page/file", ben, `{"format":"csv","result":"`+kept.ID+`"}`); status != 412 {
		t.Errorf("Ben's file: %d %s", status, text)
	}
	s.ask("DELETE", at, ben, "")
	if status, text, _ := rows(ann, `{"from":0,"limit":1}`); status != 200 {
		t.Errorf("after Ben's DELETE: %d %s", status, text)
	}
	grants, err := s.core.As(core.LocalAdmin).Grants(t.Context(), "")
	if err != nil || len(grants) != 1 {
		t.Fatal(err, grants)
	}
	if err := s.core.As(core.LocalAdmin).RevokeGrant(t.Context(), grants[0].ID); err != nil {
		t.Fatal(err)
	}
	if status, text, _ := rows(ann, `{"from":0,"limit":1}`); status != 412 || errorOf(t, text).Kind != api.KindChanged {
		t.Errorf("without the grant: %d %s", status, text)
	}
	if status, _, _ := s.ask("POST", "/api/page/results", ann, `{"sql":"SELECT id FROM staff"}`); status != 403 {
		t.Errorf("a new one without the grant: %d", status)
	}
	keep(`{"scan":{"table_id":"open"}}`)
	at = "/api/page/results/" + kept.ID
	if status, _, _ := s.ask("DELETE", at, ann, ""); status != 204 {
		t.Error(status)
	}
	if status, _, _ := rows(ann, `{"from":0,"limit":1}`); status != 412 {
		t.Error(status)
	}
}
