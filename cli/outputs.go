package cli

import (
	"maps"

	"github.com/agnes-data/da/cli/admin"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/cli/catalog"
	"github.com/agnes-data/da/cli/jobs"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/cli/setup"
	"github.com/agnes-data/da/cli/snapshots"
	"github.com/agnes-data/da/cli/tables"
	"github.com/agnes-data/da/cli/workfiles"
)

// outputs says for each command what it prints with --json. The schemas in help
// are made from these types; a test compares them with the real output. A command
// that is missing here prints no JSON.
func outputs() output.Printed {
	all := output.Printed{
		"da config list":  {{Value: settingList{}}},
		"da config get":   {{Value: setting{}}},
		"da config set":   {{Value: setting{}}},
		"da config unset": {{Value: setting{}}},
		"da config path":  {{Value: configPath{}}},
		"da help":         {{Value: reference.Document{}}},
	}
	for _, part := range []output.Printed{catalog.Outputs(), query.Outputs(), snapshots.Outputs(), tables.Outputs(), setup.Outputs(),
		ask.Outputs(), admin.Outputs(), workfiles.Outputs(), jobs.Outputs()} {
		maps.Copy(all, part)
	}
	return all
}
