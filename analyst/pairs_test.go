package analyst_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/toolbox/fit"
)

// TestAQueryOfManyPairs plans what takes the engine minutes as it comes.
func TestAQueryOfManyPairs(t *testing.T) {
	var pairs []string
	for i := range 2000 {
		pairs = append(pairs, fmt.Sprintf("(id = %d AND n = %d)", i, 2*i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := answerQuery(ctx, workplace(t), "SELECT count(*) FROM (SELECT range AS id, 2 * range AS n FROM range(9000)) WHERE "+strings.Join(pairs, " OR "), fit.Options{})
	if err != nil || string(answer.Rows[0][0]) != "2000" {
		t.Errorf("%+v, %v", answer, err)
	}
}
