package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/internal/config"
)

// variables are the environment variables that da itself reads, for help and
// man pages.
var variables = [][2]string{
	{config.EnvServer, "URL of the server to ask; none means embedded mode"},
	{config.EnvToken, "token for that server; beats the token file"},
	{config.EnvInstance, "instance file of embedded mode and of 'da serve'"},
	{config.EnvHome, "folder of snapshots and caches (default ~/agnes-data/user)"},
	{config.EnvConfig, "client config (default ~/.agnes/config)"},
	{"DA_ALLOW_HTTP", "1 sends the token over plain HTTP to other machines too"},
	{envMaxScanBytes, "refuse what would read more than these bytes at the source, as in 5GB"},
	{envSessionBudget, "bytes that all requests of one session may read together"},
	{envSession, "name of that session"},
	{envAgent, "name of the program that runs da, for the server's record"},
	{"DA_ROOT", "folder that the 'da table' commands may not leave"},
	{envPager, "pager of long results at a terminal; beats PAGER; cat: none (default less -FRX)"},
	{"NO_COLOR", "anything: no colour; CLICOLOR_FORCE=1: colour without a terminal too"},
}

// newTopicCmds are the pages of 'da help' that belong to no command.
func newTopicCmds() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesTopic()},
		{Use: "environment", Short: "The environment variables that da reads", Long: environmentTopic()},
	}
}

func exitCodesTopic() string {
	var b strings.Builder
	b.WriteString("Every command ends with one of these codes. A code that is not here counts as a\nfailure. With --json, stderr has one line of JSON with the same code in it.\n\n")
	for _, m := range exitMeanings {
		fmt.Fprintf(&b, "  %3d  %s\n", m.code, m.meaning)
		if m.next != "" {
			fmt.Fprintf(&b, "       next: %s\n", m.next)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func environmentTopic() string {
	var b strings.Builder
	b.WriteString("Flags beat these variables, and they beat files.\n\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "  %-15s %s\n", v[0], v[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}
