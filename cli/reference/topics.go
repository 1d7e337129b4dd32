package reference

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/config"
)

// Variables lists the environment variables of da with descriptions, for help and
// man pages.
var Variables = variableTable()

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

// TopicCmds are the pages of 'da help' that do not describe a command. LongText
// returns their texts.
func TopicCmds() []*cobra.Command {
	return []*cobra.Command{
		{Use: topicExitCodes, Short: "What the exit codes mean"},
		{Use: topicErrors, Short: "The codes and kinds of errors, and what to do"},
		{Use: topicOutput, Short: "The formats of output, and answers that fit"},
		{Use: topicEnvironment, Short: "The environment variables that da reads"},
		{Use: topicPredicates, Short: "What a predicate of --where may call"},
	}
}

// topicTexts are generated only when a page is read, so that other commands do
// not pay for them.
var topicTexts = map[string]func() string{
	topicExitCodes: exitCodesTopic, topicErrors: errorsTopic, topicOutput: outputTopic, topicEnvironment: environmentTopic,
	topicPredicates: predicatesTopic,
}

// LongText returns the long help of a command or topic.
func LongText(cmd *cobra.Command) string {
	if text := topicTexts[cmd.Name()]; text != nil && cmd.IsAdditionalHelpTopicCommand() {
		return text()
	}
	return cmd.Long
}

// configTopic describes the client config.
const configTopic = `The client config, ~/.agnes/config, is YAML; every key may be left out:

  server: https://data.example.com   the server to ask (default none: embedded)
  snapshot_quota_gb: 10              warn when snapshots take more GB
  snapshot_stale_warn_days: 7        warn in queries of older ones (0: never)
  fetch_default_estimate: true       show an estimate before each fetch
  query: { fetch: off }              auto: queries fetch what is not here, up to
                                     fetch_max_bytes (1000000000) of the section
  parts_quota_gb: 5                  room for what queries have fetched
  agent:                             the model that answers 'da ask'
    provider: anthropic              or openai, or compatible: Chat Completions
    model: NAME                      as the provider calls it
    base_url: URL                    of another server, such as one of your own
    api_key_env: VARIABLE            that holds the key; or api_key_file: FILE
    input_price: 3                   of a million tokens, with output_price,
                                     cache_read_price and cache_write_price
    budget: 0.50                     most that a conversation may cost
    apply: reports/**                files that it may change with no person
                                     applying the draft
    max_tokens: 2000000              tokens of a conversation; max_reply_tokens
                                     8192, max_tool_calls of a turn 50,
                                     max_turns 50, tool_timeout_seconds 30,
                                     turn_timeout_seconds 1200,
                                     compact_tokens 100000
`

// pageWidth is the maximum width of a text page.
const pageWidth = 80

// hanging wraps text after a head, and indents the following lines by the head's
// width.
func hanging(head, text string) string {
	var b strings.Builder
	line, indent := head, strings.Repeat(" ", len(head))
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0 || line == indent:
		case len(line)+1+len(word) > pageWidth:
			b.WriteString(line + "\n")
			line = indent
		default:
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

func exitCodesTopic() string {
	var b strings.Builder
	b.WriteString("Every command ends with one of these codes. A code that is not here counts as a\nfailure. With --json, stderr has one line of JSON with the same code in it.\n\n")
	for _, m := range exit.Meanings {
		b.WriteString(hanging(fmt.Sprintf("  %3d  ", m.Code), m.Meaning))
		if m.Next != "" {
			b.WriteString(hanging("       next: ", m.Next))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func environmentTopic() string {
	var b strings.Builder
	b.WriteString("Flags override these variables, which override configuration files.\n\n")
	for _, v := range Variables {
		b.WriteString(hanging(fmt.Sprintf("  %-17s ", v[0]), v[1]))
	}
	b.WriteString("\nWhere one of these is set, an agent runs da: answers are JSON that fits, without\ncolour or progress, unless a flag says otherwise; see 'da help output'.\n\n")
	var agents []string
	for _, agent := range config.Agents {
		if agent.Model {
			agents = append(agents, agent.Variable)
		}
	}
	b.WriteString(hanging("  ", strings.Join(agents, " ")))
	b.WriteString("\n")
	b.WriteString(configTopic)
	return strings.TrimSuffix(b.String(), "\n")
}
