package jobs

import "github.com/agnes-data/da/cli/output"

// Outputs says for each of these commands what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da run": {{When: "a line for each step", Value: outcome{}}},
	}
}
