package plan

import (
	"context"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Brief says in two lines what a statement needs of tables that are not here, and how
// much that reads. It is for a statement that is refused anyway, so it takes briefTime
// at most.
func Brief(ctx context.Context, a *analyst.Analyst, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, briefTime)
	defer cancel()
	p, err := Make(ctx, a, sql, false)
	if err != nil {
		return "", err
	}
	var needs []string
	for _, t := range p.Tables {
		if t.From != FromHere {
			needs = append(needs, t.String())
		}
	}
	reads := "an unknown number of bytes"
	if p.ScanBytes != nil {
		reads = humanize.Bytes(*p.ScanBytes)
	}
	return "The statement needs " + api.Clip(strings.Join(needs, "; "), longestBrief) + ".\nTo fetch that reads " + reads + " at the source.",
		nil
}

const (
	briefTime = 20 * time.Second
	// longestBrief is the length at which a brief cuts the list of needs, in
	// characters.
	longestBrief = 600
)
