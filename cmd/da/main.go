// Command da finds data, tells what a part of it would cost, fetches that part
// as a local snapshot and queries it. Everything is in package cli; this file
// only joins it to the process and is the one place that exits.
package main

import (
	"os"

	"github.com/agnes-data/da/cli"
	_ "github.com/agnes-data/da/internal/latecollect" // before anything allocates
)

func main() {
	ctx, stop := cli.Signals()
	defer stop()
	os.Exit(cli.Main(ctx, os.Args[1:], cli.System()))
}
