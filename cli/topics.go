package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/internal/config"
)

// variables are the environment variables that da reads, with what they do, for
// help and man pages.
var variables = variableTable()

func variableTable() [][2]string {
	var all [][2]string
	for _, v := range config.Variables {
		about := v.About
		if v.Default != "" {
			about += " (default " + v.Default + ")"
		}
		all = append(all, [2]string{v.Name, about})
	}
	return all
}

// newTopicCmds are the pages of 'da help' that belong to no command.
func newTopicCmds() []*cobra.Command {
	return []*cobra.Command{
		{Use: topicExitCodes, Short: "What the exit codes mean", Long: exitCodesTopic()},
		{Use: topicOutput, Short: "The formats of output, and answers that fit", Long: outputTopic()},
		{Use: topicEnvironment, Short: "The environment variables that da reads", Long: environmentTopic()},
		{Use: topicPredicates, Short: "What a predicate of --where may call", Long: predicatesTopic()},
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
		fmt.Fprintf(&b, "  %-17s %s\n", v[0], v[1])
	}
	b.WriteString("\nAgents show themselves by one of these; answers are then JSON that fits, without\ncolour and progress, unless a flag says otherwise: see 'da help output'.\n\n ")
	for _, agent := range config.Agents {
		if agent.Model {
			b.WriteString(" " + agent.Variable)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
