package core

import (
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// checkCaps rejects a result that is known to exceed a cap.
func (s *Session) checkCaps(est *api.Estimate) error {
	limit := est.CutBy
	if limit == nil || !limit.Certain {
		return nil
	}
	least := "at least "
	if est.ResultRows != nil {
		least = ""
	}
	raise := "The operator can raise " + limit.Key + " in the instance file."
	if s.who.Local {
		raise = "You can raise " + limit.Key + " in " + s.core.file + "."
	}
	return &api.Error{Code: api.CodeBudget, Kind: api.KindWouldBeCut,
		Message: fmt.Sprintf("this has %s%s, and one request returns at most %s (%s)", least, humanize.Plural(*est.RowsLow, "row", "rows"),
			humanize.Grouped(limit.Limit), limit.Key),
		Hint: "Nothing was read. " + raise,
		Next: []api.Step{api.Set(api.OptionWhere, "ask for fewer rows"), api.Set(api.OptionLimit, "take a part"),
			api.Set(api.OptionAllowCut, "take a part")},
		Details: map[string]any{"rows_low": *est.RowsLow, "limit": limit.Limit, "key": limit.Key}}
}
