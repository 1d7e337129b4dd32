package config

import (
	"errors"
	"io/fs"
	"math"
	"net/url"
	"os"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Client is the user's own config, ~/.agnes/config.
type Client struct {
	// Server is the base URL of the server; empty: embedded mode.
	Server string
	// SnapshotQuotaGB is a soft cap in GB of 10^9 bytes.
	SnapshotQuotaGB float64
	// SnapshotStaleWarnDays is the age from which a query warns.
	SnapshotStaleWarnDays float64
	// FetchDefaultEstimate says whether fetch shows an estimate first.
	FetchDefaultEstimate bool
	// QueryFetch is "auto" if queries fetch what they need of tables that are not
	// here, otherwise "off". QueryFetchMaxBytes limits what one query may read at
	// the source.
	QueryFetch         string
	QueryFetchMaxBytes int64
	// PartsQuotaGB limits what queries have fetched, in GB of 10^9 bytes.
	PartsQuotaGB float64
	// SearchVectors is a file of word vectors for searches on this machine.
	SearchVectors string
	// Agent is the model that answers questions.
	Agent Model
	// Files bounds the workspace.
	Files Files
	// Alias maps the user's own commands to what they stand for.
	Alias map[string]string
}

// Files bounds a workspace, in MB of 10^6 bytes.
type Files struct {
	MaxFileMB, MaxTotalMB float64
	// DownloadHosts are the hosts that files may be downloaded from, separated by
	// commas.
	DownloadHosts string
	// Inbox is a folder of a server, of whose files all users may take copies.
	Inbox string
}

// Hosts are the hosts that files may be downloaded from.
func (f Files) Hosts() []string {
	return strings.FieldsFunc(f.DownloadHosts, func(r rune) bool { return r == ',' || r == ' ' })
}

// DefaultFiles returns the default limits.
func DefaultFiles() Files { return Files{MaxFileMB: 50, MaxTotalMB: 1000} }

// files reads a section files.
func (r *reader) files(f *Files, more ...field) func(ast.Node) {
	return r.section("files", append(more, field{"max_file_mb", r.number(&f.MaxFileMB)}, field{"max_total_mb", r.number(&f.MaxTotalMB)},
		field{"download_hosts", r.text(&f.DownloadHosts)}))
}

// DefaultClient is a config that says nothing.
func DefaultClient() Client {
	return Client{SnapshotQuotaGB: 10, SnapshotStaleWarnDays: 7, FetchDefaultEstimate: true,
		QueryFetch: "off", QueryFetchMaxBytes: 1_000_000_000, PartsQuotaGB: 5, Files: DefaultFiles()}
}

// LoadClient reads the client config that p names. A file that is not there
// says nothing, unless DA_CONFIG names it.
func LoadClient(p Places) (Client, error) {
	file, named, err := p.clientFile()
	if err != nil {
		return Client{}, err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !named {
		return DefaultClient(), nil
	}
	data, err := readFile(file, "client config")
	if err != nil {
		return Client{}, err
	}
	return ParseClient(file, data)
}

// ParseClient is LoadClient for a file that has been read.
func ParseClient(file string, data []byte) (Client, error) {
	c := DefaultClient()
	r := &reader{file: file}
	r.mapping(r.parse(data), "the file", []field{
		{"server", r.text(&c.Server, CheckServer)},
		{"snapshot_quota_gb", r.number(&c.SnapshotQuotaGB)},
		{"snapshot_stale_warn_days", r.number(&c.SnapshotStaleWarnDays)},
		{"fetch_default_estimate", r.boolean(&c.FetchDefaultEstimate)},
		{"query", r.section("query", []field{
			{"fetch", r.text(&c.QueryFetch, oneOf([]string{"auto", "off"}))},
			{"fetch_max_bytes", r.integer(&c.QueryFetchMaxBytes, 0, math.MaxInt64)},
		})},
		{"parts_quota_gb", r.number(&c.PartsQuotaGB)},
		{"search", r.section("search", []field{{"vectors", r.text(&c.SearchVectors)}})},
		{"agent", r.model(&c.Agent)},
		{"files", r.files(&c.Files)},
		{"alias", r.aliases(&c.Alias)},
	})
	if err := r.err(); err != nil {
		return Client{}, err
	}
	return c, nil
}

// aliases reads the section alias.
func (r *reader) aliases(dst *map[string]string) func(ast.Node) {
	return func(n ast.Node) {
		all := map[string]string{}
		for _, e := range r.entries(n, "alias") {
			text := ""
			if right := CheckAlias(e.key); right != "" {
				r.faultAt(e.keyAt, "%s", right)
			} else if r.plain(e.value) {
				r.text(&text, notEmpty)(e.value)
			}
			all[e.key] = text
		}
		*dst = all
	}
}

// CheckAlias says what is wrong with the name of an alias, or "".
func CheckAlias(name string) string {
	if len(name) > 40 || !aliasName().MatchString(name) {
		return "the name of an alias is up to 40 lower case letters, digits and dashes, and begins with a letter"
	}
	return ""
}

var aliasName = lazyregexp.New(`^[a-z][a-z0-9-]*$`)

// CheckServer says what is wrong with the URL of a server, or "".
func CheckServer(s string) string {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return ""
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return "a server is a URL as in https://data.example.com"
	case u.User != nil:
		return "the URL of a server must not hold a password; the token has its own file"
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "the URL of a server has no query and no fragment"
	}
	return ""
}
