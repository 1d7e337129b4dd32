package spark

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// maxMessage limits the size of one message from the server. One cell is at least one
// batch, whatever its size.
const maxMessage = 256 << 20

// address is what a URI says.
type address struct {
	host, name string // with and without the port
	tls        bool
	user       string
	session    string // one that is there already; empty: a session of our own
	headers    metadata.MD
}

// parseAddress reads a connection string as Spark's own clients do.
func parseAddress(uri string) (a address, err error) {
	const form = "It is sc://host:15002, or sc://host:443/;use_ssl=true where the server has TLS."
	wrong := badOption("the uri of a Spark source is not valid", form)
	rest, ok := strings.CutPrefix(uri, "sc://")
	host, params, _ := strings.Cut(rest, "/")
	a = address{host: host, user: "da", headers: metadata.MD{}}
	if a.name, _, err = net.SplitHostPort(host); err != nil || !ok || a.name == "" || strings.ContainsAny(host, "@;") {
		return a, wrong
	}
	for _, param := range strings.Split(strings.Trim(params, ";"), ";") {
		key, value, _ := strings.Cut(param, "=")
		switch {
		case param == "":
		case key == "use_ssl" && (value == "true" || value == "false"):
			a.tls = value == "true"
		case key == "user_id" && value != "":
			a.user = value
		case key == "session_id" && uuid.Validate(value) == nil:
			a.session = value
		case key == "token":
			return a, badOption("the token of a Spark source does not belong in its uri",
				"Name the variable of the environment that holds it: token_env.")
		case strings.HasPrefix(key, "x-") && value != "":
			a.headers.Set(key, value)
		default:
			return a, wrong
		}
	}
	return a, nil
}

// dial prepares the connection. It is opened when it is first needed.
func dial(a address, o Options) (*grpc.ClientConn, error) {
	creds := insecure.NewCredentials()
	if a.tls {
		config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.name}
		if o.CAFile != "" {
			pem, err := kernelfs.ReadFile(o.CAFile, 1<<20)
			if err != nil {
				return nil, badOption("the ca_file of a Spark source cannot be read: "+err.Error(), "")
			}
			config.RootCAs = x509.NewCertPool()
			if !config.RootCAs.AppendCertsFromPEM(pem) {
				return nil, badOption("the ca_file of a Spark source holds no certificate", "It holds certificates in PEM.")
			}
		}
		creds = credentials.NewTLS(config)
	} else if ip := net.ParseIP(a.name); o.Token != "" && a.name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, badOption("a Spark source with a token needs TLS: anybody on the way could read it",
			"Add /;use_ssl=true to the uri, and ca_file if the server's certificate is one of your own.")
	}
	wait := backoff.DefaultConfig
	wait.MaxDelay = 5 * time.Second // soon connect to a server that is up again
	return grpc.NewClient(a.host,
		grpc.WithTransportCredentials(creds),
		grpc.WithUserAgent("da/"+build.Current().Version),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.ForceCodec(plain{})),
		// Ignore configuration from the name service: it could send calls to
		// another host.
		grpc.WithDisableServiceConfig())
}
