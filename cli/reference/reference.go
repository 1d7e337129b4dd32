// Package reference explains the commands by what they themselves declare: help,
// topics and completion scripts. The pages that are made of these are written by
// build/tools/reference. It knows no command by name.
package reference

import (
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
)

//go:generate go run ../../build/tools/reference -dir ../../docs docs
//go:generate go run ../../build/tools/reference -dir ../../skills skill
//go:generate go run ../../build/tools/reference -dir ../.. llms

// Manual is what help and the reference pages need in addition to the commands.
type Manual struct {
	App *app.App
	// Printed says what the commands print with --json.
	Printed func() output.Printed
	// Aliases describes the user's own commands, which are not in the tree; may
	// be nil.
	Aliases func(root *cobra.Command) string
}
