package spark

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source"
)

// Estimate returns the limit and, where the server's plan says how large the tables
// are that it reads, that. Spark rounds sizes to three digits or so.
func (s *Spark) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := s.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	w, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	e := &api.Estimate{RowsUpperBound: scan.Limit}
	const cost = 4
	answer, err := s.analyze(ctx, func(*session) []byte { return within(5, within(1, within(1, w.root)), number(2, cost)) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, failure(ctx, err, w.seesAll)
		}
		return e, nil // an engine that has no costs; what else is wrong the scan will say
	}
	explained, err := at(answer, 3, 1)
	if err != nil {
		return nil, err
	}
	e.ScanBytes = scanned(string(explained))
	return e, nil
}

// leaf is a line of a plan for a table that it reads, with its size.
var leaf = lazyregexp.New(`^[ :+-]*(?:Logical|Hive|File|InMemory)?\w*Relation\w*\b.*, Statistics\(sizeInBytes=([0-9.]+) ([KMGTPE]?i?)B`)

// scanned adds up the sizes of the tables in a plan; nil if one is not known.
func scanned(plan string) *int64 {
	_, plan, _ = strings.Cut(plan, "== Optimized Logical Plan ==\n")
	plan, _, _ = strings.Cut(plan, "\n\n")
	total, found := 0.0, false
	for _, line := range strings.Split(plan, "\n") {
		if m := leaf().FindStringSubmatch(line); m != nil {
			n, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return nil
			}
			power := strings.Index("_KMGTPE", strings.TrimSuffix(m[2], "i")) // 0 for bytes
			total, found = total+math.Ldexp(n, 10*power), true
		}
	}
	if !found || total >= math.Ldexp(1, 62) { // Spark's own figure for what it does not know is 8 EiB
		return nil
	}
	size := int64(total)
	return &size
}
