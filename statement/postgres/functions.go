package postgres

import (
	_ "embed" // the list of functions
	"strings"
	"sync"

	"github.com/agnes-data/da/internal/words/wordset"
)

//go:embed allowed.txt
var allowedText string

// functions maps the allowed functions to whether they are allowed in FROM.
var functions = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	group := ""
	for line := range strings.Lines(allowedText) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			group = strings.Trim(line, "[]")
		default:
			for name := range strings.FieldsSeq(line) {
				out[name] = group == inFrom
			}
		}
	}
	return out
})

// operators are the allowed operators. For PostgreSQL's own types they only
// compute with their operands.
var operators = wordset.New("= <> != < > <= >= + - * / % ^ |/ ||/ @ & | # ~ << >> || ~* !~ !~* ~~ ~~* !~~ !~~* ^@ -> ->> #> #>> @> <@ ? ?| ?& && @? @@ #-")

// castTypes are the allowed target types of casts. They read only the value,
// unlike types that look up names, such as regclass.
var castTypes = wordset.New(`bool int2 int4 int8 float4 float8 numeric text varchar bpchar date time timetz timestamp timestamptz
	interval uuid json jsonb bytea`)

// ofRows are the functions that can be called after a dot and reveal what is in a
// row: for the engine, t.f means f(t) if the table t has no column f. Functions
// that return the same for any row, such as count, are not listed.
var ofRows = wordset.New("array_agg concat hash_record json_agg json_build_array jsonb_agg jsonb_build_array " +
	"quote_literal quote_nullable row_to_json to_json to_jsonb")

// madeNames are names that the engine gives to unnamed columns, besides the names
// of functions and types.
var madeNames = wordset.New("?column? case coalesce greatest least nullif exists array row grouping xmlelement key value ordinality " +
	"current_date current_timestamp localtimestamp current_time localtime")
