package config

// Names of the environment variables that da reads. Every one is in Variables,
// which help and documentation are made of.
const (
	// Places.
	EnvHome     = "DA_HOME"
	EnvConfig   = "DA_CONFIG"
	EnvInstance = "DA_INSTANCE"
	EnvToken    = "DA_TOKEN"
	EnvServer   = "DA_SERVER"
	EnvRoot     = "DA_ROOT"

	// What a run may cost, and which conversation it belongs to.
	EnvMaxScanBytes  = "DA_MAX_SCAN_BYTES"
	EnvSession       = "DA_SESSION"
	EnvSessionBudget = "DA_SESSION_BUDGET"
	EnvAgent         = "DA_AGENT"

	// How it answers.
	EnvMaxTokens = "DA_MAX_TOKENS"
	EnvPager     = "DA_PAGER"
	EnvAllowHTTP = "DA_ALLOW_HTTP"
)

// Variable is an environment variable that da reads.
type Variable struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Default string `json:"default,omitempty"`
	// Flag is the flag that overrides it, without dashes.
	Flag string `json:"flag,omitempty"`
}

// Variables are all of them but those by which agents say that they are there,
// which Agents lists.
var Variables = []Variable{
	{Name: EnvServer, About: "URL of the server, or the name of a login; unset: embedded mode", Flag: "server"},
	{Name: EnvToken, About: "token for that server; overrides the token file"},
	{Name: EnvInstance, About: "instance file of embedded mode and of the server", Default: "./instance.yaml, then ~/.agnes/instance.yaml",
		Flag: "instance"},
	{Name: EnvHome, About: "folder of snapshots, results and caches", Default: "~/agnes-data/user"},
	{Name: EnvConfig, About: "client config", Default: "~/.agnes/config"},
	{Name: EnvAllowHTTP, About: "1: send the token over plain HTTP to other machines too"},
	{Name: "SSL_CERT_FILE", About: "CA certificates to trust instead of the system's, such as a private CA's"},
	{Name: "SSL_CERT_DIR", About: "folders of such files, separated by colons"},
	{Name: "HTTPS_PROXY", About: "proxy to servers and warehouses; HTTP_PROXY for plain HTTP"},
	{Name: "NO_PROXY", About: "hosts that are reached without that proxy"},
	{Name: "SSH_CONNECTION", About: "any value: no browser is opened, since nobody sits at this machine"},
	{Name: "DBUS_SESSION_BUS_ADDRESS", About: "where the system's keyring is on Linux; unset: tokens are in a file"},
	{Name: EnvMaxScanBytes, About: "refuse requests that would read more than this at the source, such as 5GB", Flag: "max-scan-bytes"},
	{Name: EnvSessionBudget, About: "bytes that all requests of one session may read together; without DA_SESSION those of this one run"},
	{Name: EnvSession, About: "name of that session; with a name, each command adds a line to its journal"},
	{Name: EnvAgent, About: "name of the program that runs da, for the server's record"},
	{Name: EnvMaxTokens, About: "most tokens of a JSON answer, at 4 bytes each; 0: no limit", Default: "4000 where an agent runs da",
		Flag: "max-tokens"},
	{Name: EnvRoot, About: "folder that the commands for files may not leave", Flag: "root"},
	{Name: EnvPager, About: "pager for long results on a terminal; overrides PAGER; cat for none", Default: "less -FRX"},
	{Name: "VISUAL", About: `editor of \e in da shell; overrides EDITOR`},
	{Name: "EDITOR", About: `editor of \e in da shell`, Default: "vi"},
	{Name: "PAGER", About: "pager if DA_PAGER is not set; LESS and LESSCHARSET are passed on to it"},
	{Name: "NO_COLOR", About: "any value: no colour; overrides CLICOLOR_FORCE"},
	{Name: "CLICOLOR_FORCE", About: "1: colour even without a terminal"},
	{Name: "CLICOLOR", About: "0: no colour"},
	{Name: "TERM", About: "dumb: no colour and no pager"},
	{Name: "COLUMNS", About: "width of a terminal that does not report its own"},
	{Name: "LC_ALL", About: "with LC_CTYPE and LANG: whether the terminal can show UTF-8"},
}

// Agent is a program that says by a variable that it runs da.
type Agent struct {
	Variable string `json:"variable"`
	Name     string `json:"name,omitempty"` // for the server's record; empty: the variable's value
	// Model says that a model reads da's output: answers are JSON within a
	// budget, unless a flag says otherwise.
	Model bool `json:"model"`
}

// Agents are those programs. The first that is there counts.
var Agents = []Agent{
	{Variable: "CLAUDECODE", Name: "claude-code", Model: true},
	{Variable: "CLAUDE_CODE", Name: "claude-code", Model: true},
	{Variable: "CURSOR_AGENT", Name: "cursor", Model: true},
	{Variable: "CODEX_SANDBOX", Name: "codex", Model: true},
	{Variable: "CODEX_SANDBOX_NETWORK_DISABLED", Name: "codex", Model: true},
	{Variable: "CODEX_THREAD_ID", Name: "codex", Model: true},
	{Variable: "CODEX_CI", Name: "codex", Model: true},
	{Variable: "GEMINI_CLI", Name: "gemini-cli", Model: true},
	{Variable: "OPENCODE", Name: "opencode", Model: true},
	{Variable: "AUGMENT_AGENT", Name: "augment", Model: true},
	{Variable: "ANTIGRAVITY_AGENT", Name: "antigravity", Model: true},
	{Variable: "AI_AGENT", Model: true},
	{Variable: "GITHUB_ACTIONS", Name: "github-actions"},
	{Variable: "GITLAB_CI", Name: "gitlab-ci"},
	{Variable: "CI", Name: "ci"},
}

// AgentIn returns the agent that the environment shows.
func AgentIn(getenv func(string) string) (Agent, bool) {
	for _, a := range Agents {
		value := getenv(a.Variable)
		if value == "" || value == "0" || value == "false" {
			continue
		}
		if a.Name == "" {
			a.Name = value
		}
		return a, true
	}
	return Agent{}, false
}
