package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestNamesOfFilesAreNotShown has files whose names hold values of their rows,
// one of them broken: whoever may see a part of the table learns that it cannot
// be read, and no more.
func TestNamesOfFilesAreNotShown(t *testing.T) {
	core, dir := testCore(t, "{}")
	folder := filepath.Join(dir, "data", "parts")
	for team, rows := range map[string]string{"a": "id\n1\n", "hidden9": "id\nn12\n"} {
		if err := os.MkdirAll(filepath.Join(folder, "team="+team), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "team="+team, "part.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	admin, ann := core.As(LocalAdmin), userOf(t, core, "ann")
	register := func(id, pattern string) {
		if _, err := admin.RegisterTable(t.Context(), api.RegisteredTable{ID: id, Source: "files", Relation: pattern}); err != nil {
			t.Fatal(err)
		}
		if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: id, Rows: "team = 'a'"}); err != nil {
			t.Fatal(err)
		}
	}
	register("parts", "parts/*/*.csv")
	// Broken after it was registered: a field too many.
	if err := os.WriteFile(filepath.Join(folder, "team=hidden9", "part.csv"), []byte("id,x,y\n7,8\n9\n\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	requests := map[string]func(s *Session) error{
		"schema": func(s *Session) error { _, err := s.Schema(t.Context(), "parts"); return err },
		"sample": func(s *Session) error { _, err := s.Sample(t.Context(), "parts", 5); return err },
		"scan": func(s *Session) error {
			return drained(s.Scan(t.Context(), api.ScanRequest{TableID: "parts", Select: []string{"id"}}))
		},
		"estimate": func(s *Session) error {
			_, err := s.Estimate(t.Context(), api.ScanRequest{TableID: "parts"})
			return err
		},
		"query": func(s *Session) error {
			return drained(s.Query(t.Context(), api.QueryRequest{SQL: "SELECT count(id) FROM words, parts"}))
		},
	}
	named := 0
	for what, ask := range requests {
		known := new(api.Error)
		if err := ask(admin); err != nil && errors.As(err, &known) && strings.Contains(fmt.Sprint(known.Body()), "hidden9") {
			named++
		}
		if err := ask(ann); err == nil || !errors.As(err, &known) || strings.Contains(fmt.Sprint(known.Body()), "hidden9") {
			t.Errorf("%s: %v", what, err)
		} else {
			body, _ := json.Marshal(known.Body())
			t.Logf("%s: %s", what, body)
		}
	}
	value := &api.Error{Code: api.CodeQueryFailed, Message: "team=hidden9/part.csv line 7", Details: map[string]any{"file": "team=hidden9/part.csv"}}
	if body := (&table{partial: true}).withoutNames(value).(*api.Error).Body(); strings.Contains(fmt.Sprint(body), "hidden9") {
		t.Errorf("%+v", body)
	}
	if named < len(requests) {
		t.Errorf("an admin is told the file by %d of %d", named, len(requests))
	}
}

// drained is the error with which a result begins or ends.
func drained(s *api.Stream, err error) error {
	if err != nil {
		return err
	}
	defer s.Close()
	for s.Batches.Next() {
	}
	return s.Batches.Err()
}
