// Command da finds data, estimates what a part of it would cost, fetches that
// part as a local snapshot, and queries it. Everything else is in package cli;
// this file only connects it to the process and calls os.Exit.
package main

import (
	"os"

	"github.com/agnes-data/da/cli"
)

func main() {
	ctx, stop := cli.Signals()
	defer stop()
	os.Exit(cli.Main(ctx, os.Args[1:], cli.System()))
}
