package jobs

import "github.com/agnes-data/da/cli/output"

// Outputs says for each of these commands what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da run":             {{When: "a line for each step", Value: outcome{}}},
		"da session list":    {{Value: sessions{}}},
		"da session show":    {{Value: sessionShown{}}},
		"da schedule add":    {{Value: written{}}},
		"da schedule list":   {{Value: schedules{}}},
		"da schedule remove": {{Value: unscheduled{}}},
	}
}
