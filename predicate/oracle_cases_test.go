package predicate_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// oracleCase is a line of what `make oracle` reads: a GoogleSQL predicate, and
// how it is printed if it is accepted.
type oracleCase struct {
	Where  string `json:"where"`
	Prints string `json:"prints,omitempty"`
	Kind   string `json:"kind,omitempty"` // of the refusal
}

// TestWriteOracleCases writes the corpus and random predicates for Google's own
// parser, ORACLE_COUNT of them into the file ORACLE_CASES; without these a few,
// to show that it still can.
func TestWriteOracleCases(t *testing.T) {
	path, count := os.Getenv("ORACLE_CASES"), 100
	if path == "" {
		path = filepath.Join(t.TempDir(), "cases.jsonl")
	}
	if n := os.Getenv("ORACLE_COUNT"); n != "" {
		var err error
		if count, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
	}
	s := predicate.CorpusSchema(t, predicate.GoogleSQL)
	texts := append(predicate.Corpus(t, predicate.GoogleSQL), predicate.CorpusOf(t, "rejected.json", predicate.GoogleSQL)...)
	g := predicate.NewGenerator(predicate.GoogleSQL, s, 9)
	for i := range count {
		texts = append(texts, g.Predicate(i%4))
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	accepted := 0
	for _, text := range texts {
		c := oracleCase{Where: text}
		if e, err := predicate.Parse(predicate.GoogleSQL, text, s); err == nil {
			accepted++
			if c.Prints, err = print.SQL(predicate.GoogleSQL, e, predicate.Env{}); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		} else {
			c.Kind = refusalKind(err)
		}
		if err := enc.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if accepted < len(texts)/4 {
		t.Errorf("only %d of %d are accepted", accepted, len(texts))
	}
}
