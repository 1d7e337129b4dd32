package worker

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

const (
	// shortText is the length up to which a text is parsed in this process. The time
	// grows with the square of the length for GROUP BY, time and memory for ROLLUP: at
	// 2 KiB they take less than 0.1 s, at 200 KiB more than 10 s and several GB. To
	// start a process takes some 20 ms.
	shortText = 2 << 10
	// parseTime and parseMemory bound the parsing of a longer text.
	parseTime   = 10 * time.Second
	parseMemory = 512 << 20
	// maxParsers is how many longer texts are parsed at the same time.
	maxParsers = 2
	// parseWait is how long a text waits until it is parsed.
	parseWait = 30 * time.Second
)

// parsers are the processes of all Parsers.
var parsers = sync.OnceValues(func() (*Pool, error) { return NewPool(maxParsers) })

// Parser asks the engine about texts that others have written, such as what they
// parse to. Nothing interrupts the engine's parser and no limit counts its memory, so
// that longer texts go to processes of their own.
type Parser struct{ Conn *duckdb.Conn }

// QueryRow is that of Conn for a query of one argument, the text, which has no NUL.
// An error that is context.DeadlineExceeded, while ctx goes on, says that a text takes
// too long. An *api.Error says that it was not parsed, as others' texts were.
func (p Parser) QueryRow(ctx context.Context, sql string, args []any, dest ...any) error {
	text, ok := args[0].(string)
	if !ok || len(args) != 1 {
		return fmt.Errorf("%d arguments are not one text", len(args))
	}
	if len(text) <= shortText {
		return p.Conn.QueryRow(ctx, sql, args, dest...)
	}
	pool, err := parsers()
	if err != nil {
		return err
	}
	// The text is a row of a table: as a constant, the engine would parse it each time
	// that it plans the query.
	r, err := pool.Run(ctx, Job{
		Engine: duckdb.Options{Threads: 1}, Memory: parseMemory, Wait: parseWait, Time: parseTime,
		Setup: []string{"CREATE TABLE asked AS SELECT " + duckdb.Literal(text) + " AS text"},
		SQL:   strings.ReplaceAll(sql, "$1", "(SELECT text FROM asked)"),
	})
	if err != nil {
		return err
	}
	defer r.Release()
	return duckdb.ReadRow(r, dest...)
}
