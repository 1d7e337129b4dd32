package cli

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/cli/serve"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/workspace/filehttp"
)

// registryEntry is build/packaging/server.json, with the fields of the MCP registry's schema
// that ours uses.
type registryEntry struct {
	Schema      string `json:"$schema"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
	Repository  struct {
		URL    string `json:"url"`
		Source string `json:"source"`
	} `json:"repository"`
	Remotes []struct {
		Type      string                   `json:"type"`
		URL       string                   `json:"url"`
		Variables map[string]registryInput `json:"variables"`
		Headers   []registryInput          `json:"headers"`
	} `json:"remotes"`
	Meta map[string]struct {
		Command     string   `json:"command"`
		Args        []string `json:"args"`
		Environment []string `json:"environment"`
	} `json:"_meta"`
}

type registryInput struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	IsRequired  bool   `json:"isRequired"`
	IsSecret    bool   `json:"isSecret"`
}

// TestRegistryEntry holds build/packaging/server.json against the registry's rules, and against
// what the program really has.
func TestRegistryEntry(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../build/packaging/server.json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	var e registryEntry
	if err := dec.Decode(&e); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$`).MatchString(e.Schema) {
		t.Errorf("$schema: %s", e.Schema)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(e.Name) || len(e.Name) > 200 || len(e.Description) > 100 || e.Description == "" || len(e.Title) > 100 {
		t.Errorf("name, title or description: %+v", e)
	}
	if e.Repository.URL != "https://github.com/agnes-data/da" || e.Repository.Source != "github" || e.Name != "io.github.agnes-data/da" {
		t.Errorf("repository: %+v", e.Repository)
	}
	changelog, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	latest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(changelog)
	if latest == nil || e.Version != string(latest[1]) {
		t.Errorf("version is %s, the changelog's latest %s", e.Version, latest)
	}
	if len(e.Remotes) != 1 || e.Remotes[0].Type != "streamable-http" {
		t.Fatalf("remotes: %+v", e.Remotes)
	}
	remote := e.Remotes[0]
	path, ok := strings.CutPrefix(remote.URL, "https://{host}")
	if !ok || !remote.Variables["host"].IsRequired || !slices.ContainsFunc(httpapi.Endpoints(serve.Doors(slog.New(slog.DiscardHandler), agenthttp.New(agenthttp.Config{}), filehttp.New(filehttp.Config{}))...), func(r httpapi.Endpoint) bool { return r.Method == "POST" && r.Path == path && r.Access == "user" }) {
		t.Errorf("the server has no such route: %s", remote.URL)
	}
	if h := remote.Headers; len(h) != 1 || h[0].Name != "Authorization" || !h[0].IsSecret || !h[0].IsRequired {
		t.Errorf("headers: %+v", h)
	}
	local := e.Meta["io.modelcontextprotocol.registry/publisher-provided"]
	cmd, rest, err := referenceRoot(t).Find(local.Args)
	if err != nil || local.Command != "da" || cmd.CommandPath() != "da mcp" || len(rest) > 0 {
		t.Errorf("command: %v %v", local, err)
	}
	page, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range local.Environment {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("there is no variable %s", name)
		}
	}
}
