package iceberg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/telemetry"
	"github.com/agnes-data/da/source/listed"
)

// Catalog says where an Iceberg REST catalog is, and who asks it: by a token, or as a
// client of OAuth2, or by neither.
type Catalog struct {
	URI, Warehouse   string
	Token            string
	Client, Secret   string
	TokenURI, Scopes string // default: the catalog's own, and "catalog"
}

// catalog asks a REST catalog. It only reads.
type catalog struct {
	Catalog
	client *http.Client
	// borrows says that the catalog is asked for keys, since the source has none.
	borrows bool

	mu     sync.Mutex
	prefix string // of the paths; known is set with it
	mode   string // who plans scans
	known  bool
}

// patience is how long a catalog may take for an answer.
const patience = 30 * time.Second

func (c Catalog) open() (*catalog, error) {
	at, err := url.Parse(c.URI)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || at.User != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: "uri must be the address of an Iceberg REST catalog, as in https://catalog.example.com/", Err: err}
	}
	if c.Secret != "" && c.Token != "" || (c.Client == "") != (c.Secret == "") {
		return nil, &api.Error{Code: api.CodeConfig, Message: "a catalog is asked by a token, or by client_id with client_secret"}
	}
	c.URI = strings.TrimSuffix(c.URI, "/")
	if c.TokenURI == "" {
		c.TokenURI = c.URI + "/v1/oauth/tokens"
	}
	if c.Scopes == "" {
		c.Scopes = "catalog"
	}
	for _, address := range []string{c.URI, c.TokenURI} {
		if c.Token+c.Secret != "" && !private(address) {
			return nil, &api.Error{Code: api.CodeConfig, Message: "the secrets of a catalog go to https:// alone, or to this machine"}
		}
	}
	plain := &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ctx, client := context.WithValue(context.Background(), oauth2.HTTPClient, plain), plain
	switch {
	case c.Token != "":
		client = oauth2.NewClient(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: c.Token}))
	case c.Secret != "":
		config := clientcredentials.Config{ClientID: c.Client, ClientSecret: c.Secret, TokenURL: c.TokenURI, Scopes: strings.Fields(c.Scopes),
			AuthStyle: oauth2.AuthStyleInParams}
		client = config.Client(ctx)
	}
	client.Timeout, client.CheckRedirect = plain.Timeout, plain.CheckRedirect
	return &catalog{Catalog: c, client: client}, nil
}

// private reports whether nobody on the way reads what is sent to an address.
func private(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(at.Hostname())
	return at.Scheme == "https" || at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// maxAnswer bounds an answer, which can be the metadata of a table.
const maxAnswer = 512 << 20

// get asks for a path below the prefix; what is not there is named so.
func (c *catalog) get(ctx context.Context, what string, query url.Values, into any, path ...string) error {
	return c.call(ctx, http.MethodGet, what, query, nil, into, path...)
}

// call is get with a method, and a body that is sent if it is not nil.
func (c *catalog) call(ctx context.Context, method, what string, query url.Values, body, into any, path ...string) error {
	prefix, err := c.begin(ctx)
	if err != nil {
		return err
	}
	return c.ask(ctx, method, what, query, body, into, prefix+strings.Join(path, "/"))
}

// begin asks once how the catalog is to be asked.
func (c *catalog) begin(ctx context.Context) (prefix string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.prefix, nil
	}
	query, what := url.Values{}, "its settings"
	if c.Warehouse != "" {
		query.Set("warehouse", c.Warehouse)
		what = "the warehouse " + c.Warehouse
	}
	var config struct{ Defaults, Overrides map[string]string }
	if err := c.ask(ctx, http.MethodGet, what, query, nil, &config, "v1/config"); err != nil {
		return "", err
	}
	if other := strings.TrimSuffix(config.Overrides["uri"], "/"); other != "" && other != c.URI {
		return "", &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable,
			Message: "the catalog says that it is to be asked at another address",
			Err:     fmt.Errorf("the address is %s", other), Hint: "The operator can set the uri of the source to that address. " + api.InServerLog}
	}
	c.prefix, c.known = "v1/", true
	c.mode = cmp.Or(config.Overrides[planningMode], config.Defaults[planningMode])
	if p := cmp.Or(config.Overrides["prefix"], config.Defaults["prefix"]); p != "" {
		for part := range strings.SplitSeq(p, "/") {
			c.prefix += url.PathEscape(part) + "/"
		}
	}
	return c.prefix, nil
}

func (c *catalog) ask(ctx context.Context, method, what string, query url.Values, body, into any, path string) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return unasked(ctx, err)
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.URI+"/"+path+"?"+query.Encode(), sent)
	if err != nil {
		return unasked(ctx, err)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	if c.borrows {
		r.Header.Set("X-Iceberg-Access-Delegation", "vended-credentials")
	}
	telemetry.Pass(ctx, r.Header)
	res, err := c.client.Do(r)
	if err != nil {
		return unasked(ctx, err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return unasked(ctx, err)
	case res.StatusCode == http.StatusNotFound:
		return absent(what)
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return &api.Error{Code: api.CodeSource, Kind: api.KindAccessDenied,
			Message: fmt.Sprintf("the catalog refuses access to %s (%d)", what, res.StatusCode),
			Hint:    "The operator must correct token_env of the source, or its client_id and client_secret_env, or give its user the right to read."}
	case into == nil:
		return nil
	case res.StatusCode != http.StatusOK:
		return unasked(ctx, fmt.Errorf("it answers with %s: %s", res.Status, api.Clip(string(said), 500)))
	}
	if err := json.Unmarshal(said, into); err != nil {
		return unasked(ctx, fmt.Errorf("an answer that is not understood: %w", err))
	}
	return nil
}

func absent(what string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation, Message: "the catalog does not have " + what,
		Hint: "The path of a table is its namespace and its name, as in sales.orders."}
}

func unspaced(name string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindBadPath,
		Message: fmt.Sprintf("%s is not a path of a table: it needs its namespace, as in sales.orders", api.Clip(name, 200))}
}

// unasked is the error for a catalog that gives no answer. Those of OAuth2 can hold what
// was sent.
func unasked(ctx context.Context, err error) error {
	if settled, ok := api.Settled(ctx, err, "the catalog"); ok {
		return settled
	}
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return &api.Error{Code: api.CodeSource, Kind: api.KindBadCredentials,
			Message: "the catalog gives no token for the client_id of the source",
			Err:     fmt.Errorf("status %d: %s", refused.Response.StatusCode, refused.ErrorCode),
			Hint:    "The operator must correct client_id and client_secret."}
	}
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: "the catalog cannot be asked", Err: err, Hint: api.InServerLog}
}

// separator stands between the parts of a namespace in a path.
const separator = "\x1f"

// pages asks for a list until no page follows.
func pages[T any](ctx context.Context, c *catalog, what string, query url.Values, each func(T), path ...string) error {
	for seen := map[string]bool{}; ; {
		var page struct {
			Namespaces, Identifiers []T
			Next                    string `json:"next-page-token"`
		}
		query.Set("pageToken", query.Get("pageToken"))
		if err := c.get(ctx, what, query, &page, path...); err != nil {
			return err
		}
		for _, items := range [][]T{page.Namespaces, page.Identifiers} {
			for _, item := range items {
				each(item)
			}
		}
		if page.Next == "" || ctx.Err() != nil {
			return ctx.Err()
		}
		if seen[page.Next] {
			return unasked(ctx, errors.New("its pages name each other"))
		}
		seen[page.Next] = true
		query.Set("pageToken", page.Next)
	}
}

func (c *catalog) probe(ctx context.Context) error {
	_, err := c.begin(ctx)
	return err
}

// list lists the tables of all namespaces.
func (c *catalog) list(ctx context.Context) (names []string, err error) {
	var below func(parent []string) error
	below = func(parent []string) error {
		query := url.Values{}
		if len(parent) > 0 {
			query.Set("parent", strings.Join(parent, separator))
		}
		var spaces [][]string
		if err := pages(ctx, c, "the namespaces", query, func(s []string) { spaces = append(spaces, s) }, "namespaces"); err != nil {
			return err
		}
		for _, space := range spaces {
			if len(space) <= len(parent) { // it is not below
				continue
			}
			type identifier struct {
				Namespace []string
				Name      string
			}
			err := pages(ctx, c, "the tables of "+strings.Join(space, "."), url.Values{}, func(t identifier) {
				names = append(names, strings.Join(append(t.Namespace, t.Name), "."))
			}, "namespaces", url.PathEscape(strings.Join(space, separator)), "tables")
			if err == nil {
				err = below(space)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = below(nil)
	return names, err
}

// load asks for the metadata of a table as they are now, and where their file lies.
func (c *catalog) load(ctx context.Context, name string) (named, error) {
	parts := strings.Split(name, ".")
	last := len(parts) - 1
	if last < 1 {
		return named{}, unspaced(name)
	}
	path := []string{"namespaces", url.PathEscape(strings.Join(parts[:last], separator)), "tables", url.PathEscape(parts[last])}
	var table struct {
		Location string          `json:"metadata-location"`
		Metadata json.RawMessage `json:"metadata"`
		Config   map[string]string
		// Restrictions limit which rows and columns this user may read.
		Restrictions map[string]json.RawMessage `json:"read-restrictions"`
		credentials
	}
	err := c.get(ctx, "a table "+name, url.Values{"snapshots": {"all"}}, &table, path...)
	switch {
	case err != nil:
	case slices.ContainsFunc(slices.Collect(maps.Values(table.Restrictions)), restricts):
		err = listed.Refused("its catalog restricts which rows or columns the user may read (read-restrictions)")
	case table.Config["s3.remote-signing-enabled"] == "true":
		err = listed.Refused("its catalog lets nobody read files but through signatures of its own (s3.remote-signing-enabled)")
	}
	out := named{location: table.Location, text: table.Metadata}
	if cmp.Or(table.Config[planningMode], c.mode) == "server" {
		out.planning = func(ctx context.Context, root *listed.Root, p *plan) ([]*task, error) {
			return c.plan(ctx, name, path, root, p)
		}
	}
	if c.borrows {
		out.lent = table.keys(table.Location, table.Config)
		out.again = func(ctx context.Context) ([]bucket.Lent, error) { return c.again(ctx, name, path, "") }
	}
	return out, err
}

// restricts says whether a member of read-restrictions takes rows or columns away. An
// empty one takes none.
func restricts(member json.RawMessage) bool {
	return !slices.Contains([]string{"null", "[]", "{}", "true"}, string(member))
}

// credentials are the keys that a catalog lends for files of a table.
type credentials struct {
	Storage []struct {
		Prefix string
		Config map[string]string
	} `json:"storage-credentials"`
}

// keys are those of S3. Catalogs that know no prefixes have them among the settings.
func (c credentials) keys(location string, config map[string]string) (all []bucket.Lent) {
	add := func(at string, config map[string]string) {
		l := bucket.Lent{At: listed.Schemeless(at), Region: cmp.Or(config["client.region"], config["s3.region"]),
			AccessKey: config["s3.access-key-id"], SecretKey: config["s3.secret-access-key"], SessionToken: config["s3.session-token"]}
		if ms, err := strconv.ParseInt(config["s3.session-token-expires-at-ms"], 10, 64); err == nil {
			l.Ends = time.UnixMilli(ms)
		}
		if l.AccessKey != "" && strings.HasPrefix(l.At, "s3://") {
			all = append(all, l)
		}
	}
	for _, s := range c.Storage {
		add(s.Prefix, s.Config)
	}
	if folder, _, ok := strings.Cut(location, "/metadata/"); ok && len(all) == 0 {
		add(folder, config)
	}
	return all
}

// again asks for keys in place of others, which can be those of a plan. If the catalog refuses,
// the keys that come with the table are taken.
func (c *catalog) again(ctx context.Context, name string, path []string, plan string) ([]bucket.Lent, error) {
	query := url.Values{}
	if plan != "" {
		query.Set("planId", plan)
	}
	var lent credentials
	err := c.get(ctx, "keys for "+name, query, &lent, append(slices.Clone(path), "credentials")...)
	if err != nil && ctx.Err() == nil {
		var table named
		table, err = c.load(ctx, name)
		return table.lent, err
	}
	return lent.keys("", nil), err
}
