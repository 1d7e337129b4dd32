package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/testneed"
	"github.com/agnes-data/da/toolbox"
)

// The most tokens that lists of tools may have: they are paid for with each request.
const (
	mostOfAsk   = 4000 // with the system prompt
	mostAtFirst = 2000 // of da mcp
	mostOfAll   = 9000 // tools of da mcp
)

// tokensPage lists the tools with their tokens. UPDATE_DOCS=1 writes it.
const tokensPage = "../docs/tool-tokens.md"

// tokensOf counts those of a value's JSON, or of a text.
func tokensOf(t *testing.T, values ...any) (sum int) {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		text, is := v.(string)
		if !is {
			text = string(jsonOf(t, v))
		}
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestTokensOfTools holds what models pay for before their first call, and the page
// that lists it.
func TestTokensOfTools(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python3") // which is one of the tools
	p := newPlace(t)
	model := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "Hello."}))
	p = p.withModel(model, provider.Anthropic)
	var answer agent.Answer
	mustJSON(t, p.ok("ask", "Hello?", "--json"), &answer)
	asked := model.Requests()[0]
	list := func(args ...string) []json.RawMessage { // as they are sent
		var message struct {
			Result struct{ Tools []json.RawMessage }
		}
		mustJSON(t, p.mcp(args...).listed, &message)
		return message.Result.Tools
	}
	sets := strings.Join(toolbox.Sets(), ",")
	first, all := list(), list("--tools", sets)

	var page strings.Builder
	page.WriteString("# What tools weigh\n\n<!-- Written by `UPDATE_DOCS=1 go test ./cli -run TokensOfTools`, which also holds the bounds. -->\n\n" +
		"Each request to a model begins with the system prompt and the tools that it may call. They are counted in tokens of o200k_base.\n\n" +
		"| list | tools | tokens | bound |\n|---|---|---|---|\n")
	for _, row := range []struct {
		name          string
		tools, tokens int
		most          int
	}{
		{"`da ask`, with the system prompt", len(asked.Tools), tokensOf(t, asked.System, asked.Tools), mostOfAsk},
		{"`da mcp`", len(first), tokensOf(t, first), mostAtFirst},
		{"`da mcp --tools " + sets + "`", len(all), tokensOf(t, all), mostOfAll},
	} {
		t.Logf("%s: %d tools, %d tokens", row.name, row.tools, row.tokens)
		fmt.Fprintf(&page, "| %s | %d | %d | %d |\n", row.name, row.tools, row.tokens, row.most)
		if row.tokens > row.most {
			t.Errorf("%s has %d tokens, over %d", row.name, row.tokens, row.most)
		}
	}
	// What a first request may cost is said before it is sent: by this many tokens.
	var held conversation.Record
	for _, line := range strings.Split(p.ok("conversations", "export", answer.Conversation), "\n") {
		if strings.Contains(line, `"type":"model_call"`) {
			mustJSON(t, line, &held)
		}
	}
	counted := tokensOf(t, asked.System, asked.Tools, asked.Messages)
	t.Logf("a first request of %d tokens is estimated at %d", counted, held.Tokens-asked.MaxTokens)
	if estimated := int(held.Tokens - asked.MaxTokens); estimated < counted || estimated > 2*counted {
		t.Errorf("a request of %d tokens is estimated at %d", counted, estimated)
	}
	if len(asked.Tools) > 15 {
		t.Errorf("da ask begins with %d tools", len(asked.Tools))
	}

	page.WriteString("\n`open_tools` adds the set of a tool; a call of a tool by its name opens its set, too. A conversation has the tools whole, and the list of all is [short](mcp.md#resources-and-prompts).\n\n" +
		"| tool | opened with | `da ask` | list of all |\n|---|---|---|---|\n")
	begun := map[string]int{}
	for _, tool := range asked.Tools {
		begun[tool.Name] = tokensOf(t, tool)
	}
	row := func(name, set string, short int) {
		whole := ""
		if n := begun[name]; n > 0 {
			whole, set = fmt.Sprint(n), ""
		}
		delete(begun, name)
		fmt.Fprintf(&page, "| `%s` | %s | %s | %d |\n", name, set, whole, short)
	}
	for _, text := range all {
		var tool mcp.Tool
		mustJSON(t, string(text), &tool)
		row(tool.Name, toolbox.SetOf(tool.Name), tokensOf(t, text))
	}
	for _, tool := range asked.Tools {
		if begun[tool.Name] > 0 {
			fmt.Fprintf(&page, "| `%s` | | %d | |\n", tool.Name, begun[tool.Name])
		}
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(tokensPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(tokensPage); err != nil || string(old) != page.String() {
		t.Errorf("docs/tool-tokens.md is not what the tools weigh: UPDATE_DOCS=1 writes it (%v)", err)
	}
}

// TestEstimateOfAQuestion holds the size of a question before it is asked: as the provider
// counts it, or else within a factor of two of what a tokenizer makes of the request.
func TestEstimateOfAQuestion(t *testing.T) {
	t.Parallel()
	for _, kind := range provider.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			model := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "Hello."}))
			p := newPlace(t).withModel(model, kind, "input_price: 2", "output_price: 10")
			question := []string{"ask", "Which airport of New York has the most late flights in each month?", "--json"}
			var e agent.Estimate
			mustJSON(t, p.ok(append(question, "--estimate")...), &e)
			if n := len(model.Requests()); n != 0 {
				t.Errorf("the model was asked %d times", n)
			}
			if got := p.ok("conversations", "list", "--json"); !strings.Contains(got, `"conversations":[]`) {
				t.Errorf("it left a conversation: %s", got)
			}
			if kind != provider.Compatible {
				if e.Tokens != providertest.TokensCounted || e.Estimated || *e.Cost != 0.008642 {
					t.Errorf("got %+v", e)
				}
				return
			}
			p.ok(question...)
			var req map[string]any
			mustJSON(t, string(model.Requests()[0].Raw), &req)
			real := int64(tokensOf(t, req["messages"], req["tools"]))
			if e.Tokens < real/2 || e.Tokens > real*2 || !e.Estimated {
				t.Errorf("estimated %+v, real %d", e, real)
			}
		})
	}
}
