package bigquery

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Caps come before everything else.
const maxStatement = 64 << 10

// reaching are names by which a statement reads what BigQuery's dry run does
// not list among its tables, or does what no SELECT should.
var reaching = map[string]string{
	"external_query": "another database", "information_schema": "the catalog of the project", "__tables__": "the catalog of the project",
	"session_user": "who the server is", "current_user": "who the server is", "ml": "models", "ai": "models", "vector_search": "indexes",
	"appends": "the history of a table", "changes": "the history of a table", "net": "the network", "keys": "keys", "aead": "keys",
	"load": "files", "export": "files", "call": "procedures", "execute": "made-up statements", "gap_fill": "functions of tables", "graph_table": "graphs",
	"external_object_transform": "files",
}

// statement is a SELECT whose words were looked at. What it reads is known when
// BigQuery has been asked.
type statement struct {
	sql    string
	tokens []token
	// tables are the names that stand where a table stands, each once.
	tables []string
}

// inspect looks at the words of a statement.
func inspect(sql string) (*statement, error) {
	if len(sql) > maxStatement {
		return nil, rejected("too_long", fmt.Sprintf("the statement is longer than %d bytes", maxStatement))
	}
	list, err := tokens(sql)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || !list[0].word("SELECT") && !list[0].word("WITH") && !list[0].sign("(") {
		return nil, rejected("not_select", "only a SELECT is run for others")
	}
	s := &statement{sql: strings.TrimRight(strings.TrimSpace(sql), "; \t\r\n"), tokens: list}
	for i, t := range list {
		if t.sign("@") {
			return nil, rejected("parameter", "parameters and system variables are not part of a statement")
		}
		if why := s.reaches(i); why != "" {
			return nil, &api.Error{Code: api.CodeStatement, Kind: "forbidden_function", Message: why + ", which is not run for others"}
		}
		// As a function, before a dot or behind one they reach; as the name of
		// a column they don't.
		called := i+1 < len(list) && (list[i+1].sign("(") || list[i+1].sign(".")) || i > 0 && list[i-1].sign(".")
		for _, part := range strings.Split(strings.ToLower(t.text), ".") {
			if what, ok := reaching[part]; ok && (t.kind == nameToken || t.kind == quotedToken) && (called || strings.Contains(t.text, ".")) {
				return nil, &api.Error{Code: api.CodeStatement, Kind: "forbidden_function",
					Message: fmt.Sprintf("%s reaches %s, which is not run for others", strings.ToUpper(part), what)}
			}
		}
	}
	p := &places{tokens: list, defined: map[string]bool{}}
	if err := p.walk(); err != nil {
		return nil, err
	}
	s.tables = p.tables
	return s, nil
}

// spaces are what BigQuery's own functions stand behind a dot of.
var spaces = map[string]bool{"safe": true, "hll_count": true, "kll_quantiles": true}

// reaches says in which way a token that is no name of ours reaches further
// than the tables: a function of a dataset runs whatever its owner has written
// into it, outside of BigQuery too, and the past of a table holds rows that have
// been deleted.
func (s *statement) reaches(i int) string {
	t, next := s.tokens[i], token{kind: literalToken}
	if i+1 < len(s.tokens) {
		next = s.tokens[i+1]
	}
	behindDot := i > 0 && s.tokens[i-1].sign(".")
	switch {
	case t.word("FOR") && next.word("SYSTEM_TIME"), t.word("FOR") && next.word("SYSTEM"):
		return "FOR SYSTEM_TIME reaches the history of a table"
	case !next.sign("("):
	case t.kind == quotedToken, t.kind == nameToken && behindDot && (i < 2 || !spaces[strings.ToLower(s.tokens[i-2].text)] || i > 2 && s.tokens[i-3].sign(".")):
		return "a function of a dataset reaches what its owner has written"
	}
	return ""
}

// bound puts before the statement what its tables are, each a query under its
// name, so that it may name them as the catalog does.
func (s *statement) bound(tables map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		list = append(list, quote(name)+" AS ("+tables[name]+")")
	}
	prefix := "WITH " + strings.Join(list, ", ")
	if first := s.tokens[0]; first.word("WITH") {
		rest := s.sql[first.at-s.skipped()+len("WITH"):]
		if len(s.tokens) > 1 && s.tokens[1].word("RECURSIVE") {
			return "WITH RECURSIVE " + strings.TrimPrefix(prefix, "WITH ") + ", " + s.sql[s.tokens[1].at-s.skipped()+len("RECURSIVE"):]
		}
		return prefix + "," + rest
	}
	return prefix + " " + s.sql
}

// skipped is how much of the text was before the statement.
func (s *statement) skipped() int { return s.tokens[0].at }
