package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/state"
)

func newStateCmd(a *app.App) *cobra.Command {
	move := &cobra.Command{
		Use:   "move",
		Short: "Move the state of this machine's instance to PostgreSQL",
		Long: `Move copies users, groups, tokens, grants, registered tables, usage and audit
from state.db in server.state_dir to the empty database that server.state names
(or the variable of server.state_env), and compares every row. Then state.db
becomes state.db.moved. Stop all servers before: while one uses the state,
nothing is moved. A move that was cut off has changed nothing; begin it again.`,
		Example: "  da admin state move",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runStateMove(cmd.Context(), a)
		},
	}
	return group("state <command>", "Move the state to PostgreSQL", move)
}

func runStateMove(ctx context.Context, a *app.App) error {
	inst, err := localInstance(a)
	if err != nil {
		return err
	}
	dsn, err := a.Places().StateDSN(inst.Server)
	if err != nil {
		return err
	}
	if dsn == "" {
		return &api.Error{Code: api.CodeUsage, Message: "the instance " + inst.File + " does not say where to move its state",
			Hint: "Add server.state_env to it, which names the variable with the address of an empty PostgreSQL database."}
	}
	moved, err := state.Move(ctx, inst.Server.StateDir, dsn)
	if err != nil {
		return err
	}
	if moved.Replaced > 0 {
		a.Warn([]string{fmt.Sprintf("%s held bytes that PostgreSQL cannot store; they are replacement characters now",
			humanize.Plural(moved.Replaced, "text", "texts"))})
	}
	list := output.List{Columns: []string{"table", "rows", "same at both places"}}
	for _, t := range moved.Tables {
		list.Rows = append(list.Rows, []any{t.Table, t.Rows, t.Hash[:16]})
	}
	return report(a, moved, list, moved.Tables)
}
