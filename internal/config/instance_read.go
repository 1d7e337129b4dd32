package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/words/printable"
)

// LoadInstance reads an instance file. types are the known source types. The
// error has CodeConfig and every fault of the file.
func LoadInstance(file string, types []SourceType) (*Instance, error) {
	data, err := readFile(file, "instance file")
	if err != nil {
		return nil, err
	}
	return ParseInstance(file, data, types)
}

// ParseInstance is LoadInstance for a file that has been read; its relative
// paths are relative to the folder of file.
func ParseInstance(file string, data []byte, types []SourceType) (*Instance, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, Faults(Fault{File: file, Message: err.Error()})
	}
	inst := Defaults()
	inst.File = abs
	p := &instanceReader{reader: reader{file: file}, dir: filepath.Dir(abs), types: types, inst: &inst}
	p.read(p.parse(data))
	if err := p.err(); err != nil {
		return nil, err
	}
	return &inst, nil
}

// instanceReader reads one instance file.
type instanceReader struct {
	reader
	dir   string // of the file, absolute
	types []SourceType
	inst  *Instance

	// sources are the sources in the file, including those with faults, so that
	// their tables get no additional fault.
	sources map[string]*SourceType
	tables  ast.Node
	later   []func() // checks that need the whole file
}

func (p *instanceReader) read(doc ast.Node) {
	p.sources = map[string]*SourceType{}
	p.mapping(doc, "the file", []field{
		{"server", p.section("server", p.serverFields())},
		{"api", p.section("api", p.apiFields())},
		{"limits", p.limits},
		{"metrics", p.section("metrics", []field{
			{"per_user", p.boolean(&p.inst.Metrics.PerUser)},
			{"otlp", p.text(&p.inst.Metrics.OTLP, checkCollector)},
			{"otlp_headers_env", p.text(&p.inst.Metrics.OTLPHeadersEnv, notEmpty)},
			{"otlp_seconds", p.seconds(&p.inst.Metrics.OTLPEvery, 1)},
		})},
		{"agent", p.model(&p.inst.Agent)},
		{"oidc", p.openID},
		{"files", func(n ast.Node) {
			f := DefaultFiles()
			p.files(&f, field{"inbox", p.text(&f.Inbox, notEmpty)})(n)
			if f.Inbox != "" {
				f.Inbox = p.absolute(f.Inbox)
			}
			p.inst.Files = &f
		}},
		{"model", p.text(&p.inst.SemanticModel, notEmpty)},
		{"search", p.section("search", []field{{"vectors", p.text(&p.inst.Vectors, notEmpty)}})},
		{"dashboards", p.text(&p.inst.Dashboards, notEmpty)},
		{"schedules", p.schedules},
		{"sources", p.readSources},
		// Tables refer to sources, which can come later in the file.
		{"tables", func(n ast.Node) { p.tables = n }},
	})
	if p.tables != nil {
		p.readTables(p.tables)
	}
	for _, check := range p.later {
		check()
	}
	p.inst.Server.StateDir = p.absolute(p.inst.Server.StateDir)
	if at := &p.inst.Server.Blobs.At; *at != "" && !strings.Contains(*at, "://") {
		*at = p.absolute(*at)
	}
	for _, path := range []*string{&p.inst.SemanticModel, &p.inst.Vectors, &p.inst.Dashboards, &p.inst.OpenID.SecretFile} {
		if *path != "" {
			*path = p.absolute(*path)
		}
	}
}

func (p *instanceReader) serverFields() []field {
	return []field{
		{"listen", p.text(&p.inst.Server.Listen, checkListen)},
		{"flight", p.text(&p.inst.Server.Flight, checkListen)},
		{"state_dir", func(n ast.Node) {
			p.inst.StateNamed = true
			p.text(&p.inst.Server.StateDir, notEmpty)(n)
		}},
		{"state", p.text(&p.inst.Server.State, notEmpty)},
		{"state_env", func(n ast.Node) {
			p.text(&p.inst.Server.StateEnv, notEmpty)(n)
			p.later = append(p.later, func() {
				if p.inst.Server.State != "" {
					p.faultAt(nodePosition(n), "server: state and state_env exclude each other")
				}
			})
		}},
		{"max_connections", p.integer(&p.inst.Server.MaxConnections, 0, 1_000_000)},
		{"drain_seconds", p.seconds(&p.inst.Server.Drain, 1)},
		{"blobs", p.section("blobs", []field{
			{"at", p.text(&p.inst.Server.Blobs.At, notEmpty)}, {"endpoint", p.text(&p.inst.Server.Blobs.Endpoint, notEmpty)},
			{"region", p.text(&p.inst.Server.Blobs.Region, notEmpty)},
			{"access_key_env", p.text(&p.inst.Server.Blobs.AccessKeyEnv, notEmpty)},
			{"secret_key_env", p.text(&p.inst.Server.Blobs.SecretKeyEnv, notEmpty)},
		})},
		{"proxies", p.proxies},
	}
}

func (p *instanceReader) apiFields() []field {
	a := &p.inst.API
	scan := &a.Scan
	return []field{
		{"scan", p.section("scan", []field{
			{"max_limit", p.integer(&scan.MaxLimit, 1, math.MaxInt64-1)},
			{"max_result_bytes", p.sized(&scan.MaxResultBytes, 1)},
			{"max_concurrent_per_user", p.integer(&scan.MaxConcurrentPerUser, 1, 1_000_000)},
			{"max_daily_bytes_per_user", p.sized(&scan.MaxDailyBytesPerUser, 0)},
			{"max_session_bytes", p.sized(&scan.MaxSessionBytes, 0)},
			{"bq_cost_per_tb_usd", p.number(&scan.BQCostPerTBUSD)},
			{"request_timeout_seconds", p.seconds(&scan.RequestTimeout, 1)},
		})},
		{"catalog_cache_ttl_seconds", p.seconds(&a.CatalogCacheTTL, 0)},
		{"schema_cache_ttl_seconds", p.seconds(&a.SchemaCacheTTL, 0)},
		{"sample_cache_ttl_seconds", p.seconds(&a.SampleCacheTTL, 0)},
	}
}

// sized reads a number of bytes, with a unit or in plain digits.
func (p *instanceReader) sized(dst *int64, low int64) func(ast.Node) {
	return func(n ast.Node) {
		if n.Type() == ast.StringType && sizePattern().MatchString(n.GetToken().Value) {
			*dst = p.bytes(n)
			return
		}
		p.integer(dst, low, math.MaxInt64)(n)
	}
}

// seconds reads a time of up to a year.
func (p *instanceReader) seconds(dst *time.Duration, low int64) func(ast.Node) {
	return func(n ast.Node) {
		v := int64(-1)
		p.integer(&v, low, 365*24*3600)(n)
		if v >= 0 {
			*dst = time.Duration(v) * time.Second
		}
	}
}

// absolute resolves a path of the file.
func (p *instanceReader) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.dir, path)
}

// proxies reads addresses and networks.
func (p *instanceReader) proxies(n ast.Node) {
	for _, item := range p.list(n) {
		text, ok := p.asText(item)
		if !ok {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if address, bad := netip.ParseAddr(text); bad == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			p.faultAt(nodePosition(item), "%q is not the address of a proxy; write an IP address or a network, as in 127.0.0.1 or 10.0.0.0/8", text)
			continue
		}
		p.inst.Server.Proxies = append(p.inst.Server.Proxies, network)
	}
}

func checkCollector(s string) string {
	u, err := url.Parse(s)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery+u.Fragment == "" {
		return ""
	}
	return fmt.Sprintf("%q is not the address of a collector; write it as in http://127.0.0.1:4318", s)
}

func checkListen(s string) string {
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Sprintf("%q is not an address to listen on; write host:port, as in 127.0.0.1:8400", s)
	}
	return ""
}

// readFile reads a config file, bounded.
func readFile(file, what string) ([]byte, error) {
	data, err := readBounded(file)
	if err == nil {
		return data, nil
	}
	message, hint := "cannot be read: "+reason(err), "Check what it is, and who may read it."
	if errors.Is(err, fs.ErrNotExist) {
		message = fmt.Sprintf("there is no such %s", what)
		hint = "Check the path; one that is not absolute begins at the working folder."
	}
	return nil, &api.Error{
		Code:    api.CodeConfig,
		Message: printable.Line(file) + ": " + message,
		Hint:    hint,
		Details: map[string]any{"faults": []Fault{{File: file, Message: message}}},
		Err:     err,
	}
}

// reason returns the system's reason without the operation and the path, which
// the message has already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func readBounded(file string) ([]byte, error) {
	return kernelfs.ReadFile(file, maxFileBytes)
}
