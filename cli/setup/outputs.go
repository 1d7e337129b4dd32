// Package setup has the commands that set da up and say what is set: one file per
// command. They read no data.
package setup

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/build"
)

// Outputs says for each command that sets da up what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da login":          {{When: "first, without a token", Value: approval{}}, {When: "once you are signed in", Value: loggedIn{}}},
		"da logout":         {{Value: loggedOut{}}},
		"da whoami":         {{Value: loggedIn{}}},
		"da quota":          {{Value: api.QuotaStatus{}}},
		"da init":           {{Value: initResult{}}},
		"da source add":     {{Value: sourceAdded{}}},
		"da model import":   {{Value: modelImported{}}},
		"da version":        {{Value: build.Info{}}},
		"da skills install": {{Value: skillsResult{}}},
		"da skills list":    {{Value: skillList{}}},
		"da doctor":         {{Value: Diagnosis{}}},
		"da admin doctor":   {{Value: Diagnosis{}}},
	}
}
